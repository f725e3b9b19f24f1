// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "preconditioned.hpp"
#include "state.hpp"

/// The numbers of GMRES, on the device.
namespace heddle::detail::krylov {

/// What a cycle builds: the triangle that rotations make of the Hessenberg matrix, the rotations,
/// and the right-hand side that they turn.
template <Scalar S>
struct GmresState {
  using Real = heddle::RealOf<S>;
  Progress<Real>* progress;
  int* columns;    ///< of the triangle, that count
  S* triangle;     ///< m x m, column after column
  S* sine;         ///< m
  Real* cosine;    ///< m
  S* turned;       ///< m + 1
  S* first_part;   ///< m + 1: V' w
  S* second_part;  ///< m + 1: what was left of it
  S* solution;     ///< m
  S* factor;       ///< 1: what makes the next vector one of length 1; zero if there is none
  int m;

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress->outcome == Outcome::running; }
};

/// FirstResidual in the first vector of the basis, and with First the norm of b: the begin of a
/// cycle.
template <Scalar S, bool First>
struct GmresBegin : FirstResidual<S, First> {
  using Real = heddle::RealOf<S>;
  GmresState<S> state;
  Limits<Real> limits;

  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    Progress<Real>& progress = *state.progress;
    const Real square = real_part(total[0]);
    *state.columns = 0;
    *state.factor = S(0);
    if constexpr (First) {
      begin(progress, limits, 0, square, real_part(total[1]));
    } else {
      if (!state.running()) return;
      advance(progress, limits, 0, square, 0);
      progress.recomputed = 1;
    }
    if (!state.running()) return;
    const Real norm = Kokkos::sqrt(square);
    state.turned[0] = S(norm);
    *state.factor = S(Real(1) / norm);
  }
};

/// The norm of what is left of w, and with it column j of the triangle: all rotations so far, and
/// one more that turns the entry below the diagonal to zero.
template <Scalar S>
struct GmresColumn {
  static constexpr int sums = 1;
  using accumulator_type = S;
  using Real = heddle::RealOf<S>;
  Multivector<const S> w;
  GmresState<S> state;
  Limits<Real> limits;
  int j;

  template <class Pack>
  struct Constants {};
  template <class Pack>
  struct Values {
    Pack w;
  };
  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return state.running(); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Constants<Pack> constants(int) const {
    return {};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Values<Pack> read(const Entries& at, const Constants<Pack>&) const {
    return {at.load(w)};
  }
  template <class Entries, class Pack>
  KOKKOS_FORCEINLINE_FUNCTION void write(const Entries&, const Constants<Pack>&,
                                         const Values<Pack>& of, Pack* sum) const {
    *sum = Pack::multiply_add(Pack::conjugate(of.w), of.w, *sum);
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const S* total) const {
    *state.factor = S(0);
    if (!state.running()) return;
    Progress<Real>& progress = *state.progress;
    const Real below = Kokkos::sqrt(real_part(*total));
    S* const column = state.triangle + std::int64_t{j} * state.m;
    Real size = below;  // of the whole column
    for (int i = 0; i <= j; ++i) {
      column[i] = state.first_part[i] + state.second_part[i];
      size += Kokkos::abs(column[i]);
    }
    if (!is_finite(size)) {
      ++progress.iterations;
      progress.outcome = Outcome::not_a_number;
      return;
    }
    for (int i = 0; i < j; ++i) {
      const S upper = column[i], lower = column[i + 1];
      column[i] = state.cosine[i] * upper + state.sine[i] * lower;
      column[i + 1] = state.cosine[i] * lower - conjugate(state.sine[i]) * upper;
    }
    const Real diagonal = Kokkos::abs(column[j]);
    const Real length = Kokkos::hypot(diagonal, below);
    if (!(length > Kokkos::Experimental::epsilon_v<Real> * size)) {
      ++progress.iterations;
      progress.outcome = Outcome::breakdown;  // A M is singular as far as can be seen from here
      return;
    }
    // Turns (a, h) with a real h >= 0 to (a / |a| * length, 0).
    const S phase = diagonal > Real(0) ? column[j] / diagonal : S(1);
    state.cosine[j] = diagonal / length;
    state.sine[j] = phase * (below / length);
    column[j] = phase * length;
    const S turned = state.turned[j];
    state.turned[j] = state.cosine[j] * turned;
    state.turned[j + 1] = -conjugate(state.sine[j]) * turned;
    *state.columns = j + 1;
    const Real residual = Kokkos::abs(state.turned[j + 1]);
    advance(progress, limits, 0, residual * residual, 1);
    if (state.running() && below > Real(0)) *state.factor = S(Real(1) / below);
  }
};

/// The combination of the cycle's vectors that is added to x: one item.
template <Scalar S>
struct GmresSolve {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    const int columns = *state.columns;
    for (int i = state.m - 1; i >= 0; --i) {
      if (i >= columns) {
        state.solution[i] = S(0);
        continue;
      }
      S sum = state.turned[i];
      for (int k = i + 1; k < columns; ++k) {
        sum -= state.triangle[std::int64_t{k} * state.m + i] * state.solution[k];
      }
      state.solution[i] = sum / state.triangle[std::int64_t{i} * state.m + i];
    }
  }
};

}  // namespace heddle::detail::krylov
