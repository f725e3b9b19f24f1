// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "residual.hpp"

/// The numbers of GMRES, on the device.
namespace heddle::detail::krylov {

/// What a cycle builds: the triangle that rotations make of the Hessenberg matrix, the rotations,
/// and the right-hand side that they turn.
template <Scalar S>
struct GmresState {
  using Sum = Wide<S>;
  static constexpr int cost = 1;  ///< products of an iteration
  Progress* progress;
  int* columns;      ///< of the triangle, that count
  int* again;        ///< whether w is made orthogonal a second time, and is not of length 1 yet
  Sum* triangle;     ///< m x m, column after column
  Sum* sine;         ///< m
  double* cosine;    ///< m
  Sum* turned;       ///< m + 1
  Sum* first_part;   ///< m + 1: V' w, and behind it w' w
  Sum* second_part;  ///< m + 1: what was left of V' w
  Sum* solution;     ///< m
  Sum* of_basis;     ///< 1: what V (V' w) is multiplied by
  Sum* of_w;         ///< 1: and w, for the next vector; zero if there is none
  double* factor;    ///< 1: what makes the next vector one of length 1; zero if there is none
  int m;

  KOKKOS_FORCEINLINE_FUNCTION bool running() const { return progress->running(); }
};

/// After b - A x: the begin of a cycle, one item.
template <Scalar S>
struct GmresBegin {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    Progress& progress = *state.progress;
    *state.columns = 0;
    *state.again = 1;
    *state.factor = 0;
    if (!progress.running()) return;
    begin_anew(progress);
    progress.unscaled = 0;
    const double norm = progress.residual * progress.scale;
    state.turned[0] = Wide<S>(norm);
    *state.factor = progress.scale / norm;
  }
};

/// v = factor v, or zero where there is no next vector.
template <Scalar S>
struct GmresNormalize : vectors::Pass<Wide<S>> {
  Multivector<S> v;
  const double* factor;
  const int* again;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return *again != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(v, *factor > 0));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [factor = Pack::all(Wide<S>(*factor))](Pack& v) { v = Pack::multiply(factor, v); };
  }
};

/// Column j of the triangle, of V' w and the norm of what is left of w: all rotations so far, and
/// one more that turns the entry below the diagonal to zero.
template <Scalar S>
struct GmresColumn {
  using Sum = Wide<S>;
  static constexpr int together = 8;  ///< loads that do not wait for each other
  GmresState<S> state;
  Limits limits;
  int j;

  KOKKOS_FUNCTION void add(double below, bool twice) const {
    Progress& progress = *state.progress;
    Sum* const column = state.triangle + std::int64_t{j} * state.m;
    const auto entry = [&](int i) {
      return twice ? state.first_part[i] + state.second_part[i] : state.first_part[i];
    };
    Sum last = entry(0);  // of what is not final yet, the one above
    double size = below + Kokkos::abs(last);
    for (int first = 0; first < j; first += together) {
      Sum lower[together] = {}, sine[together] = {};
      double cosine[together] = {};
      HEDDLE_UNROLL(together)
      for (int i = 0; i < together; ++i) {
        if (first + i >= j) continue;
        lower[i] = entry(first + i + 1);
        cosine[i] = state.cosine[first + i];
        sine[i] = state.sine[first + i];
      }
      HEDDLE_UNROLL(together)
      for (int i = 0; i < together; ++i) {
        if (first + i >= j) continue;
        size += Kokkos::abs(lower[i]);
        column[first + i] = cosine[i] * last + sine[i] * lower[i];
        last = cosine[i] * lower[i] - conjugate(sine[i]) * last;
      }
    }
    if (!Kokkos::isfinite(size)) {
      ++progress.iterations;
      progress.verified = 0;
      progress.outcome = Outcome::not_a_number;
      return;
    }
    const double diagonal = Kokkos::abs(last);
    const double length = Kokkos::hypot(diagonal, below);
    if (!(length > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * size)) {
      ++progress.iterations;
      progress.verified = 0;
      progress.outcome = Outcome::breakdown;  // A M is singular as far as can be seen from here
      return;
    }
    // Turns (a, h) with a real h >= 0 to (a / |a| * length, 0).
    const Sum phase = diagonal > 0 ? last / diagonal : Sum(1);
    state.cosine[j] = diagonal / length;
    state.sine[j] = phase * (below / length);
    column[j] = phase * length;
    const Sum turned = state.turned[j];
    state.turned[j] = state.cosine[j] * turned;
    state.turned[j + 1] = -conjugate(state.sine[j]) * turned;
    *state.columns = j + 1;
    advance(progress, limits, 0, Kokkos::abs(state.turned[j + 1]), 1, GmresState<S>::cost);
    if (state.running() && below > 0) *state.factor = 1 / below;
  }
};

/// After V' w and w' w, one item: where enough of w is left, its norm follows from these, and with
/// it the column and the next vector. Else w is made orthogonal twice.
template <Scalar S>
struct GmresFirst {
  using Sum = Wide<S>;
  /// Of w' w: what is left of it at least. Its norm then loses two of sixteen digits at most.
  static constexpr double least_left = 0.01;
  GmresColumn<S> column;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    const GmresState<S>& state = column.state;
    *state.again = 0;
    *state.factor = 0;
    *state.of_basis = *state.of_w = Sum(0);
    if (!state.running()) return;
    const double all = real_part(state.first_part[column.j + 1]);
    double left = all;
    for (int i = 0; i <= column.j; ++i) {
      const double size = Kokkos::abs(state.first_part[i]);
      left -= size * size;
    }
    // Not if the squares have overflowed, or lost digits.
    if (all > Squares<S>::least && Kokkos::isfinite(all) && left >= least_left * all) {
      column.add(Kokkos::sqrt(left), false);
      *state.of_w = Sum(*state.factor);
      *state.of_basis = -*state.of_w;
      return;
    }
    *state.again = 1;
    *state.of_w = Sum(1);
    *state.of_basis = Sum(-1);
  }
};

/// The norm of what is left of w, made orthogonal twice, and with it the column.
template <Scalar S>
struct GmresSecond : vectors::Pass<Wide<S>, Squares<S>::sums> {
  using Norm = Squares<S>;
  using Sum = Wide<S>;
  Multivector<const S> w;
  GmresColumn<S> column;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int) const { return *column.state.again != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(loaded(w)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& w) { Norm::add(w, sum); };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Sum* total) const {
    if (active(0)) column.add(Norm::norm(total), true);
  }
};

/// The combination of the cycle's vectors that is added to x, but for the scale: one item.
template <Scalar S>
struct GmresSolve {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    const int columns = *state.columns;
    for (int i = state.m - 1; i >= 0; --i) {
      if (i >= columns) {
        state.solution[i] = Wide<S>(0);
        continue;
      }
      Wide<S> sum = state.turned[i];
      for (int k = i + 1; k < columns; ++k) {
        sum -= state.triangle[std::int64_t{k} * state.m + i] * state.solution[k];
      }
      state.solution[i] = sum / state.triangle[std::int64_t{i} * state.m + i];
    }
  }
};

/// x += z, which is scaled.
template <Scalar S>
struct GmresUpdate : vectors::Pass<Wide<S>> {
  Multivector<S> x;
  Multivector<const S> z;
  const Progress* progress;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(updated(x), loaded(z));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [unscale = Pack::all(Wide<S>(progress->unscale))](Pack& x, const Pack& z) {
      x = Pack::multiply_add(unscale, z, x);
    };
  }
};

}  // namespace heddle::detail::krylov
