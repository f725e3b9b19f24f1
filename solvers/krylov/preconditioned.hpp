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
  if constexpr (std::same_as<M, NoPreconditioner>) return Preconditioned::not_at_all;
  if constexpr (requires(M& m) { m.inverse_diagonal(); }) return Preconditioned::by_diagonal;
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

/// r = b - r (which is A x or zero); r . r, and with RightHandSide b . b
template <Scalar S, bool RightHandSide = true>
struct FirstResidual : vectors::PassOfAll {
  static constexpr int sums = RightHandSide ? 2 : 1;
  using accumulator_type = S;
  Multivector<const S> b;
  Multivector<S> r;

  template <class Pack>
  struct Constants {
    Pack minus_one;
  };
  template <class Pack>
  struct Values {
    Pack b, r;
  };
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {Pack::all(S(-1))};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(b), at.load(r)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries& at, const Constants<Pack>& with,
                                         const Values<Pack>& of, Pack* sum) const {
    residual(at, with, of, sum);
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack residual(const Entries& at, const Constants<Pack>& with,
                                            const Values<Pack>& of, Pack* sum) const {
    const Pack entry = at.keep(Pack::multiply_add(with.minus_one, of.r, of.b));
    at.store(r, entry);
    sum[0] = Pack::multiply_add(Pack::conjugate(entry), entry, sum[0]);
    if constexpr (RightHandSide) {
      sum[1] = Pack::multiply_add(Pack::conjugate(of.b), of.b, sum[1]);
    }
    return entry;
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
