// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/stream.hpp"

/// What passes of several solvers have in common.
namespace heddle::detail::krylov {

/// How z = M r comes about.
enum class Preconditioned {
  not_at_all,   ///< z is r
  by_diagonal,  ///< z is d r, never stored
  by_operator   ///< z is a vector
};

/// r and what z is made of.
template <Scalar S, Preconditioned How>
struct Residuals {
  Multivector<const S> z;  ///< d, one vector, of by_diagonal

  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack read(const Entries& at, const Pack& r) const {
    if constexpr (How == Preconditioned::not_at_all) {
      return r;
    } else if constexpr (How == Preconditioned::by_diagonal) {
      Entries first = at;
      first.vector = 0;
      return first.load(z);
    } else {
      return at.load(z);
    }
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION static Pack value(const Pack& read, const Pack& r) {
    if constexpr (How == Preconditioned::not_at_all) return r;
    if constexpr (How == Preconditioned::by_diagonal) return Pack::multiply(read, r);
    return read;
  }
};

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION heddle::RealOf<S> real_part(const S& value) {
  if constexpr (is_complex<S>) {
    return value.real();
  } else {
    return value;
  }
}

template <class Pack>
struct NoConstants {};

}  // namespace heddle::detail::krylov
