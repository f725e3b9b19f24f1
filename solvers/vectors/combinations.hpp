// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "inner_products.hpp"

namespace heddle {

namespace detail::vectors {

/// W = alpha V C + beta W, of what fits; nothing where a number of the device, *only_if, is zero.
/// Defined in combinations_kernel.hpp.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_combinations(const Exec& exec, const Multivector<const V>& from,
                         const SmallMatrix<const Acc>& coefficients, const Multivector<V>& to,
                         const Factor<Acc>& alpha, const Factor<Acc>& beta,
                         const int* only_if = nullptr);

}  // namespace detail::vectors

namespace vectors {

/// W = alpha V C + beta W: linear combinations of the vectors of V (n x k) with the coefficients C
/// (k x m), a View of rank 2 on the device, or of rank 1 if W is one vector. beta == 0 overwrites W
/// without reading it, and alpha == 0 reads neither V nor C. Sums have C's type, which may be wider
/// than that of the vectors, and a fixed order. W - V (V' W) is inner_products followed by this
/// with alpha -1 and beta 1.
///
/// Moves (k + 2 m) n b bytes, (k + m) n b if beta is 0, for k and m up to 96 on a CPU; a GPU reads
/// V once for every four columns of W, from its caches if V fits. On a CPU sums of more than eight
/// vectors are rounded to W's type in between. Throws Error if shapes do not fit, or V and W
/// overlap.
template <ExecutionSpace Exec, VectorFactor A, VectorView V, class C, VectorFactor B,
          WritableVectorView W>
void combine(const Exec& exec, const A& alpha, const V& v, const C& coefficients, const B& beta,
             const W& w) {
  namespace common = heddle::detail::vectors;
  using S = common::ScalarOf<W>;
  using Acc = common::ScalarOf<C>;
  const auto from = common::to_read(v);
  const auto to = common::to_write(w);
  if (from.rows != to.rows) {
    throw Error("V has " + std::to_string(from.rows) + " rows and W " + std::to_string(to.rows),
                "give vectors of one length");
  }
  common::check_distinct("V", from, "W", to);
  common::assert_defined<Exec, S, Acc>();
  const auto small = common::small_matrix<const Acc>("C", coefficients, from.count, to.count);
  const auto a = common::factor_of<Acc>("alpha", alpha, 1);
  const auto b = common::factor_of<Acc>("beta", beta, 1);
  if (to.count == 0 || to.rows == 0) return;
  common::launch_combinations(exec, from, small, to, a, b);
}

}  // namespace vectors

}  // namespace heddle
