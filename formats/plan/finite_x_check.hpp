// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"
#include "../../core/multivector.hpp"

namespace heddle::detail {

/// The first entry, counted vector by vector, that is infinite or NaN.
template <Scalar V>
struct FiniteKernel {
  Multivector<const V> x;

  KOKKOS_FUNCTION bool is_finite(std::int64_t i) const {
    const V value = x(i % x.rows, static_cast<int>(i / x.rows));
    if constexpr (is_complex<V>) {
      return Kokkos::isfinite(value.real()) && Kokkos::isfinite(value.imag());
    } else {
      return Kokkos::isfinite(value);
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (!is_finite(i)) first = Kokkos::min(first, i);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (!is_finite(i)) {
      Kokkos::abort("heddle: promises.finite_x is broken: x holds an infinity or NaN");
    }
  }
};

/// Holds the user to promises.finite_x before an apply: one launch over x. Where host code can read
/// x, an entry that is not finite throws Error, naming it; else it aborts the program from the
/// device, since an apply does not wait.
template <ExecutionSpace Exec, Scalar V>
void check_finite(const Exec& exec, const Multivector<const V>& x) {
  constexpr bool on_host =
      Kokkos::SpaceAccessibility<KokkosSpace<Exec>, Kokkos::HostSpace>::accessible;
  const std::int64_t entries = x.rows * x.count;
  const auto policy = range_policy(exec, entries);
  const FiniteKernel<V> kernel{x};
  if constexpr (on_host) {
    std::int64_t first = entries;
    Kokkos::parallel_reduce("heddle::spmv::check_finite", policy, kernel,
                            Kokkos::Min<std::int64_t>(first));
    if (entries == 0 || first >= entries) return;
    throw Error("promises.finite_x is broken: vector " + std::to_string(first / x.rows) +
                    " of x holds an infinity or NaN",
                Where{.row = first % x.rows}, "leave the promise where x may hold such");
  } else {
    Kokkos::parallel_for("heddle::spmv::check_finite", policy, kernel);
  }
}

}  // namespace heddle::detail
