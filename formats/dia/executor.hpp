// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/owned_executor.hpp"
#include "launches.hpp"
#include "storage.hpp"

namespace heddle::detail::dia {

/// Runs the scheme dia, and every op by it: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, tuning.most_vectors>;

  /// Takes a scheme whose parameters are resolved.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, backends::Simd how)
      : scheme(resolved), simd(how), storage(in.exec, in.A) {}

  bool has_dot(Op) const { return true; }

  template <int Vectors>
  bool run(const Exec& exec, Op op, const Product<V, Acc>& product,
           const team_sums::Dot<Acc>& dot) const {
    return dia::run<Vectors>(exec, storage.view(), product, transposes(op), simd, dot);
  }

  Scheme scheme;
  backends::Simd simd;
  Storage<Exec, S, O, Off> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::dia
