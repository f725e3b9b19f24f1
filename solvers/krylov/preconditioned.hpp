// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/operands.hpp"
#include "concepts.hpp"

/// What passes of several solvers have in common.
namespace heddle::detail::krylov {

/// How z = M r comes about.
enum class Preconditioned {
  not_at_all,   ///< z is r
  by_diagonal,  ///< z is d r, never stored
  by_operator   ///< z is a vector
};

/// How a preconditioner takes part, and what is read of it.
template <class M>
constexpr Preconditioned how_with() {
  if constexpr (no_preconditioner<M>) return Preconditioned::not_at_all;
  if constexpr (requires { requires M::is_diagonal; }) return Preconditioned::by_diagonal;
  return Preconditioned::by_operator;
}

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

/// Of a preconditioner: its diagonal, or `z`, which it applies itself to. Throws Error if the
/// diagonal is that of another number of rows.
template <Scalar S, class M>
Residuals<S, how_with<M>()> residuals_with([[maybe_unused]] M& preconditioner,
                                           const Multivector<const S>& z,
                                           [[maybe_unused]] std::int64_t rows) {
  if constexpr (how_with<M>() == Preconditioned::by_diagonal) {
    const auto diagonal = vectors::to_read(preconditioner.inverse_diagonal());
    if (diagonal.rows != rows) {
      throw Error("the preconditioner is for " + std::to_string(diagonal.rows) + " unknowns, not " +
                      std::to_string(rows),
                  "make it of the same matrix");
    }
    return {diagonal};
  } else {
    return {z};
  }
}

}  // namespace heddle::detail::krylov
