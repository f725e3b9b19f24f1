// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/unroll.hpp"
#include "residual.hpp"

/// The numbers of GMRES, on the device.
namespace heddle::detail::krylov {

/// Of a thread alone, so that they do not wait for each other.
inline constexpr int loads_together = 8;

/// What a cycle builds: the triangle that rotations make of the Hessenberg matrix, the rotations,
/// and the right-hand side that they turn.
template <Scalar S>
struct GmresState {
  using Sum = Wide<S>;
  static constexpr int cost = 1;  ///< products of an iteration
  Progress* progress;
  int* columns;      ///< of the triangle, that count
  int* again;        ///< whether w is made orthogonal a second time
  Sum* triangle;     ///< m x m, column after column
  Sum* sine;         ///< m
  double* cosine;    ///< m
  Sum* turned;       ///< m + 1
  Sum* first_part;   ///< m + 1: V' w, and behind it w' w
  Sum* second_part;  ///< m + 1: the same of what was left of w
  Sum* solution;     ///< m
  Sum* of_basis;     ///< 1: what V (V' w) is multiplied by
  Sum* of_w;         ///< 1: and w, for the next vector; zero if there is none
  double* factor;    ///< 1: what makes the first vector one of length 1; zero if there is none
  double* unscale;   ///< 1: of what was left of w
  double* loss;      ///< m + 1: see GmresProjection
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
    *state.factor = 0;
    state.loss[0] = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
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
  GmresState<S> state;
  Limits limits;
  int j;

  /// Whether another vector follows.
  KOKKOS_FUNCTION bool add(double below, bool twice) const {
    Progress& progress = *state.progress;
    Sum* const column = state.triangle + std::int64_t{j} * state.m;
    const auto entry = [&](int i) {
      const Sum first = state.first_part[i];
      return twice ? first + state.second_part[i] * *state.unscale : first;
    };
    Sum last = entry(0);  // of what is not final yet, the one above
    double size = below + Kokkos::abs(last);
    for (int first = 0; first < j; first += loads_together) {
      Sum lower[loads_together] = {}, sine[loads_together] = {};
      double cosine[loads_together] = {};
      HEDDLE_UNROLL(loads_together)
      for (int i = 0; i < loads_together; ++i) {
        if (first + i >= j) continue;
        lower[i] = entry(first + i + 1);
        cosine[i] = state.cosine[first + i];
        sine[i] = state.sine[first + i];
      }
      HEDDLE_UNROLL(loads_together)
      for (int i = 0; i < loads_together; ++i) {
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
      return false;
    }
    const double diagonal = Kokkos::abs(last);
    const double length = Kokkos::hypot(diagonal, below);
    if (!(length > Kokkos::Experimental::epsilon_v<heddle::RealOf<S>> * size)) {
      ++progress.iterations;
      progress.verified = 0;
      progress.outcome = Outcome::breakdown;  // A M is singular as far as can be seen from here
      return false;
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
    return state.running() && below > 0;
  }
};

/// After V' w and w' w: the norm of what is left of w follows from these, and with it the column
/// and the next vector, where V stays orthogonal enough. Else w is made orthogonal a second time.
///
/// loss[k] is at least how far vector k of V is from orthogonal to those before it and from length
/// 1, by what of them w loses too little or too much of (after H. Simon, The Lanczos algorithm with
/// partial reorthogonalization, 1984). What is subtracted from w is what the triangle holds, so
/// that a loss changes no solution: the norm of the residual that the rotations tell is wrong by
/// that part of it.
template <Scalar S>
struct GmresProjection {
  using Sum = Wide<S>;
  static constexpr double rounding = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  /// Of the norm of a residual: the cycle ends with the true one.
  static constexpr double most_loss = std::is_same_v<heddle::RealOf<S>, float> ? 1e-3 : 1e-4;
  /// Of w' w after the second time: what is left is rounding, if it is less.
  static constexpr double least_left = 1e-10;
  static constexpr double down = 0x1p-700, up = 0x1p700;  ///< from where squares are not numbers
  GmresColumn<S> column;
  bool second;

  KOKKOS_FUNCTION void operator()() const {
    const GmresState<S>& state = column.state;
    if (!second) *state.again = 0;
    set_next(0);
    if (!state.running()) return;
    const Sum* const parts = second ? state.second_part : state.first_part;
    const double all = real_part(parts[column.j + 1]);
    const bool in_range = Kokkos::isfinite(all) && all > Squares<S>::least;
    double left = all, before = 0;
    for (int first = 0; first <= column.j; first += loads_together) {
      double size[loads_together] = {};
      HEDDLE_UNROLL(loads_together)
      for (int k = 0; k < loads_together; ++k) {
        if (first + k <= column.j) size[k] = Kokkos::abs(parts[first + k]);
      }
      HEDDLE_UNROLL(loads_together)
      for (int k = 0; k < loads_together; ++k) {
        left -= size[k] * size[k];
        before += size[k];
      }
    }
    const double sizes = before;
    double behind = 0, most = 0;  // of what a vector of V keeps of w
    for (int last = column.j; last >= 0; last -= loads_together) {
      double size[loads_together] = {}, loss[loads_together] = {};
      HEDDLE_UNROLL(loads_together)
      for (int k = 0; k < loads_together; ++k) {
        if (last < k) continue;
        size[k] = Kokkos::abs(parts[last - k]);
        loss[k] = state.loss[last - k];
      }
      HEDDLE_UNROLL(loads_together)
      for (int k = 0; k < loads_together; ++k) {
        if (last < k) continue;
        const double kept = loss[k] * before + behind;
        most = most < kept ? kept : most;
        behind += loss[k] * size[k];
        before -= size[k];
      }
    }
    const double of_angles = (rounding * Kokkos::sqrt(all) + most) / Kokkos::sqrt(left);
    const double of_length = (rounding * all + most * sizes) / left;
    const double loss = of_angles < of_length ? of_length : of_angles;
    if (!second && !(in_range && loss <= most_loss)) {  // nor if it is not a number
      const double scale = in_range ? 1 : all < 1 ? up : down;
      *state.again = 1;
      *state.unscale = 1 / scale;
      return set_next(scale);
    }
    state.loss[column.j + 1] = loss;
    const double length = in_range && left >= least_left * all ? Kokkos::sqrt(left) : 0;
    if (column.add(second ? length * *state.unscale : length, second)) set_next(1 / length);
  }

 private:
  KOKKOS_FUNCTION void set_next(double factor) const {
    *column.state.of_w = Sum(factor);
    *column.state.of_basis = Sum(-factor);
  }
};

/// The combination of the cycle's vectors that is added to x, but for the scale: one item.
template <Scalar S>
struct GmresSolve {
  GmresState<S> state;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    const int columns = *state.columns;
    Wide<S>* const y = state.solution;
    for (int i = 0; i < state.m; ++i) y[i] = i < columns ? state.turned[i] : Wide<S>(0);
    for (int i = columns - 1; i >= 0; --i) {
      const Wide<S>* const column = state.triangle + std::int64_t{i} * state.m;
      const Wide<S> entry = y[i] / column[i];
      y[i] = entry;
      for (int first = 0; first < i; first += loads_together) {
        Wide<S> above[loads_together] = {}, sum[loads_together] = {};
        HEDDLE_UNROLL(loads_together)
        for (int k = 0; k < loads_together; ++k) {
          if (first + k >= i) continue;
          above[k] = column[first + k];
          sum[k] = y[first + k];
        }
        HEDDLE_UNROLL(loads_together)
        for (int k = 0; k < loads_together; ++k) {
          if (first + k < i) y[first + k] = sum[k] - above[k] * entry;
        }
      }
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
