// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <cstring>

namespace heddle::backends {

/// Two sums of products at once, on CPUs.
template <class T>
struct PairOfSums {
  T sums[2] = {T(0), T(0)};

  /// Adds left[0] * right0 to sums[0] and left[1] * right1 to sums[1].
  KOKKOS_FORCEINLINE_FUNCTION void add(const T* left, const T& right0, const T& right1) {
    sums[0] += left[0] * right0;
    sums[1] += left[1] * right1;
  }
  KOKKOS_FORCEINLINE_FUNCTION T total() const { return sums[0] + sums[1]; }
};

// Compilers do not pair the loads of x automatically, and every 64-bit CPU has registers of two
// doubles. The compilers of GPUs do not have such vectors, so there the two sums are scalars.
#if defined(__GNUC__) && !defined(__CUDACC__) && !defined(__HIPCC__)
template <>
struct PairOfSums<double> {
  using Two = double __attribute__((vector_size(16)));
  Two sums = {0, 0};

  KOKKOS_FORCEINLINE_FUNCTION void add(const double* left, double right0, double right1) {
    Two factors;
    std::memcpy(&factors, left, sizeof factors);
    sums += factors * Two{right0, right1};
  }
  KOKKOS_FORCEINLINE_FUNCTION double total() const { return sums[0] + sums[1]; }
};
#endif

}  // namespace heddle::backends
