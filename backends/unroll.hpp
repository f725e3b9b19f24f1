// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

/// Asks a GPU compiler to unroll the next loop N times, so that the loads of N rounds are in flight
/// together. CPUs have their own means, and their compilers other pragmas.
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define HEDDLE_PRAGMA(text) _Pragma(#text)
#define HEDDLE_UNROLL(n) HEDDLE_PRAGMA(unroll n)
#else
#define HEDDLE_UNROLL(n)
#endif
