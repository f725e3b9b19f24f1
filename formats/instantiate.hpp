// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "spmv_plan.hpp"

/// The plans that the library Heddle::compiled holds for one scalar: on the default execution
/// space, of all formats. With EXTERN empty their definition (cmake/HeddleCompiled.cmake makes a
/// source of it), with `extern` the promise that they are defined elsewhere, which leaves the
/// kernels out of the source at hand. An operation adds its plan here; members that are to be left
/// out must not be inline, thus not defined in the class.
#define HEDDLE_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_INSTANCES_OF(EXTERN, SCALAR, int) HEDDLE_INSTANCES_OF(EXTERN, SCALAR, std::int64_t)
#define HEDDLE_INSTANCES_OF(EXTERN, SCALAR, OFFSET) \
  EXTERN template class SpmvPlan<                   \
      Kokkos::DefaultExecutionSpace,                \
      CsrMatrix<SCALAR, int, OFFSET, Kokkos::DefaultExecutionSpace::memory_space>>;

namespace heddle {

// Defined for those who link Heddle::compiled.
#ifdef HEDDLE_COMPILED_FLOAT
HEDDLE_INSTANCES(extern, float)
#endif
#ifdef HEDDLE_COMPILED_DOUBLE
HEDDLE_INSTANCES(extern, double)
#endif
#ifdef HEDDLE_COMPILED_CFLOAT
HEDDLE_INSTANCES(extern, Kokkos::complex<float>)
#endif
#ifdef HEDDLE_COMPILED_CDOUBLE
HEDDLE_INSTANCES(extern, Kokkos::complex<double>)
#endif

}  // namespace heddle
