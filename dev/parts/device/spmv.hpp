// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Instantiates every SpMV and SpMM kernel of a scalar, for the GPU that this is compiled for.
#pragma once

#include <heddle/spmv.hpp>

namespace heddle {

using Gpu = Kokkos::DefaultExecutionSpace;

/// A plan holds the kernels of all schemes, and the transpose of each. The layout of x and y is no
/// part of a kernel's type.
template <class Vector, class Accumulator, class Matrix>
void plan_for(const Gpu& exec, const Matrix& A, const Kokkos::View<Vector**, Gpu>& x) {
  SpmvPlan<Gpu, Matrix, Vector, Accumulator> plan(exec, A);
  plan.apply(exec, Accumulator(1), x, Accumulator(0), x);
  plan.update_values(exec, A);
}

template <class Scalar, class Ordinal, class Offset>
void plan_for_indices(const Gpu& exec) {
  const CsrStorage<Scalar, Ordinal, Offset, Gpu::memory_space> A(exec, 1, 1, 1);
  const Kokkos::View<Scalar**, Gpu> x("heddle::check::x", 1, 1);
  plan_for<Scalar, Scalar>(exec, A.matrix(), x);
  spmv(exec, Op::conjugate_transpose, Scalar(1), A.matrix(), x, Scalar(0), x);
}

template <class Scalar>
void plan_of_narrow_indices(const Gpu& exec) {
  plan_for_indices<Scalar, std::int32_t, std::int32_t>(exec);
}

/// By wide indices the kernels take the most registers. Others only where all are asked for.
template <class Scalar>
void every_plan(const Gpu& exec) {
  plan_for_indices<Scalar, std::int64_t, std::int64_t>(exec);
#ifdef HEDDLE_FULL
  plan_for_indices<Scalar, std::int32_t, std::size_t>(exec);
  plan_of_narrow_indices<Scalar>(exec);
  plan_for_indices<Scalar, std::int32_t, std::int64_t>(exec);
#endif
}

/// Of a matrix in vectors of Vector, summed in Accumulator.
template <class Scalar, class Vector, class Accumulator>
void plan_of_wider(const Gpu& exec) {
  const CsrStorage<Scalar, std::int32_t, std::int32_t, Gpu::memory_space> A(exec, 1, 1, 1);
  plan_for<Vector, Accumulator>(exec, A.matrix(),
                                Kokkos::View<Vector**, Gpu>("heddle::check::x", 1, 1));
}

}  // namespace heddle
