// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

/// HEDDLE_EACH_SPACE(DO, ...): DO(..., Exec) for each execution space that a compiled part holds
/// instances for: Kokkos' default, and where that is a device's the host's default beside it.
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ENABLE_SYCL) || \
    defined(KOKKOS_ENABLE_OPENMPTARGET) || defined(KOKKOS_ENABLE_OPENACC)
#define HEDDLE_EACH_SPACE(DO, ...)                 \
  DO(__VA_ARGS__, ::Kokkos::DefaultExecutionSpace) \
  DO(__VA_ARGS__, ::Kokkos::DefaultHostExecutionSpace)
#else
#define HEDDLE_EACH_SPACE(DO, ...) DO(__VA_ARGS__, ::Kokkos::DefaultExecutionSpace)
#endif
