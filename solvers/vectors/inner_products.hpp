// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "operands.hpp"

namespace heddle {

namespace detail::vectors {

/// A small matrix of the device: entry (i, j).
template <class T>
struct SmallMatrix {
  T* data = nullptr;
  std::int64_t row_stride = 1, column_stride = 0;

  KOKKOS_FORCEINLINE_FUNCTION T& operator()(int i, int j) const {
    return data[i * row_stride + j * column_stride];
  }
};

/// A View of rank 2, or of rank 1 for a matrix of one column. Throws Error unless it is rows x
/// columns.
template <class T, class View>
SmallMatrix<T> small_matrix(const char* name, const View& view, int rows, int columns) {
  static_assert(View::rank() == 1 || View::rank() == 2);
  std::size_t held = 1;
  SmallMatrix<T> matrix{view.data(), static_cast<std::int64_t>(view.stride(0)), 0};
  if constexpr (View::rank() == 2) {
    held = view.extent(1);
    matrix.column_stride = static_cast<std::int64_t>(view.stride(1));
  }
  if (view.extent(0) != static_cast<std::size_t>(rows) ||
      held != static_cast<std::size_t>(columns)) {
    throw Error(std::string(name) + " is " + std::to_string(view.extent(0)) + " x " +
                    std::to_string(held) + ", and is to be " + std::to_string(rows) + " x " +
                    std::to_string(columns),
                "give one row for each vector of V, and one column for each of W");
  }
  return matrix;
}

/// `to` = left' right, of vectors and numbers that fit. Defined in inner_products_kernel.hpp.
template <ExecutionSpace Exec, Scalar V, Scalar Acc>
void launch_inner_products(const Exec& exec, const Multivector<const V>& left,
                           const Multivector<const V>& right, const SmallMatrix<Acc>& to,
                           const team_sums::Partials<Acc>& partials);

}  // namespace detail::vectors

namespace vectors {

/// G = V' W, the conjugated dots of every vector of V with every vector of W. G is a View of rank 2
/// on the device, with one row for each vector of V and one column for each of W, or of rank 1 if W
/// is one vector; G = V' V is the Gram matrix of V. The order of every sum is fixed, as in
/// dots.hpp.
///
/// V and W have n rows and k and m columns of b bytes. On a CPU this moves (k + m) n b bytes for k
/// and m up to 96. On a GPU V and W are read once for each tile of 4 x 4, from its caches if they
/// fit. The workspace holds k m numbers. Throws Error if shapes do not fit, or the workspace has no
/// room.
template <ExecutionSpace Exec, VectorView V, VectorView W, Scalar Acc, class Result>
void inner_products(const Exec& exec, const V& v, const W& w,
                    const VectorWorkspace<Exec, Acc>& workspace, const Result& result) {
  namespace common = heddle::detail::vectors;
  using S = common::ScalarOf<V>;
  const auto left = common::to_read(v), right = common::to_read(w);
  if (left.rows != right.rows) {
    throw Error("V has " + std::to_string(left.rows) + " rows and W " + std::to_string(right.rows),
                "give vectors of one length");
  }
  common::assert_defined<Exec, S, Acc>();
  const auto to = common::small_matrix<Acc>("G", result, left.count, right.count);
  if (left.count == 0 || right.count == 0) return;
  common::launch_inner_products(exec, left, right, to,
                                workspace.partials(left.count * right.count));
}

}  // namespace vectors

namespace detail::vectors {

/// W = alpha V C + beta W, of what fits; nothing where a number of the device, *only_if, is zero.
/// Defined in inner_products_kernel.hpp.
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
