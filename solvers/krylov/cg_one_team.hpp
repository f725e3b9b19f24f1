// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "cg_passes.hpp"

/// Conjugate gradients by one team, which computes the product itself: cg/one-team.
namespace heddle::detail::krylov {

/// The vectors of a team, in scratch on a GPU.
template <Scalar S>
struct TeamVectors {
  S *x, *r, *p, *q;
};

/// What a team shares beside its vectors. A barrier makes what was written to scratch visible to
/// all, and nothing more, so the state is there while the team is at work.
template <Scalar S>
struct TeamShared {
  static constexpr int most_sums = 3;
  team_sums::Scratch<S, most_sums> sums;
  CgState<heddle::RealOf<S>> state;
};

/// Bytes of scratch for a system of so many rows.
template <Scalar S>
constexpr std::size_t one_team_scratch_bytes(std::int64_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  return backends::scratch_bytes<TeamShared<S>, S, S, S, S>(1, n, n, n, n);
}

/// Steps [first, stop) of conjugate gradients. A thread has the rows thread, thread + threads, ...
/// in all it does; of p alone it reads rows of others. What is kept from one launch to the next
/// lies in `kept`, and x in the user's vector after each. Threads agree on every branch: only
/// thread 0 writes the state, between two barriers. Deterministic: sums are of the rows of a thread
/// in order, then of the team in the order of its shape.
template <Scalar S, class Matrix, Preconditioned How, bool InScratch>
struct CgOneTeam {
  using Real = heddle::RealOf<S>;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Shared = TeamShared<S>;
  static constexpr int sums_of_team = Shared::most_sums;
  using Scratch = std::conditional_t<InScratch, backends::DynamicScratch, Shared>;

  const Off* row_ptr;
  const O* col_idx;
  const typename Matrix::scalar_type* values;
  std::int64_t rows;
  Multivector<const S> b, diagonal;
  Multivector<S> solution;
  TeamVectors<S> kept;
  CgState<Real>* state;
  Limits<Real> limits;
  int first, stop, recompute_every;
  bool begins, zero_guess;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if constexpr (InScratch) {
      const auto n = static_cast<std::size_t>(rows);
      Shared& shared = *scratch.template take<Shared>(1);
      S* const x = scratch.template take<S>(n);
      S* const r = scratch.template take<S>(n);
      S* const p = scratch.template take<S>(n);
      S* const q = scratch.template take<S>(n);
      run(team, shared, {x, r, p, q});
    } else {
      run(team, scratch, kept);
    }
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Team& team, Shared& shared,
                                       const TeamVectors<S>& own) const {
    if (begins) {
      begin(team, shared, own);
    } else {
      if (team.thread() == 0) shared.state = *state;
      if constexpr (InScratch) take_up(team, own);
    }
    team.barrier();
    for (int step = first; step < stop && shared.state.running(); ++step) {
      if (!iterate(team, shared, own)) break;
      if (recompute_every > 0 && (step + 1) % recompute_every == 0) recompute(team, shared, own);
    }
    leave(team, shared, own);
  }

  /// What the launch before left.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void take_up(const Team& team, const TeamVectors<S>& own) const {
    each_row(team, [&](std::int64_t i) {
      own.x[i] = kept.x[i];
      own.r[i] = kept.r[i];
      own.p[i] = kept.p[i];
    });
  }
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void leave(const Team& team, const Shared& shared,
                                         const TeamVectors<S>& own) const {
    if (team.thread() == 0) *state = shared.state;
    each_row(team, [&](std::int64_t i) {
      solution(i, 0) = own.x[i];
      if constexpr (InScratch) {
        kept.x[i] = own.x[i];
        kept.r[i] = own.r[i];
        kept.p[i] = own.p[i];
      }
    });
  }

  template <class Team, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_row(const Team& team, const Body& body) const {
    for (std::int64_t i = team.thread(); i < rows; i += Team::threads) body(i);
  }

  KOKKOS_FORCEINLINE_FUNCTION S product(std::int64_t row, const S* v) const {
    S sum(0);
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) sum += S(values[e]) * v[col_idx[e]];
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION S preconditioned(std::int64_t row, const S& r) const {
    return How == Preconditioned::by_diagonal ? diagonal(row, 0) * r : r;
  }

  /// x from the guess, r = b - A x, p = z
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void begin(const Team& team, Shared& shared,
                                         const TeamVectors<S>& own) const {
    each_row(team, [&](std::int64_t i) { own.x[i] = zero_guess ? S(0) : S(solution(i, 0)); });
    team.barrier();
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    each_row(team, [&](std::int64_t i) {
      const S right = b(i, 0), r = zero_guess ? right : right - product(i, own.x);
      const S z = preconditioned(i, r);
      own.r[i] = r;
      own.p[i] = z;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(right) * right;
      sum[2] += conjugate(r) * z;
    });
    team_sums::add_over_team(team, shared.sums, sum, 3);
    if (team.thread() == 0) {
      begin_cg(shared.state, limits, 0, real_part(sum[0]), real_part(sum[1]), real_part(sum[2]));
    }
  }

  /// Whether there is a next step to be thought of.
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION bool iterate(const Team& team, Shared& shared,
                                           const TeamVectors<S>& own) const {
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    each_row(team, [&](std::int64_t i) {
      own.q[i] = product(i, own.p);
      sum[0] += conjugate(own.p[i]) * own.q[i];
    });
    team_sums::add_over_team(team, shared.sums, sum, 1);
    if (team.thread() == 0) take_curvature(shared.state, real_part(sum[0]));
    team.barrier();
    if (shared.state.moves == 0) return false;
    const S alpha(shared.state.alpha);
    sum[0] = sum[1] = S(0);
    each_row(team, [&](std::int64_t i) {
      own.x[i] += alpha * own.p[i];
      const S r = own.r[i] - alpha * own.q[i];
      own.r[i] = r;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    team_sums::add_over_team(team, shared.sums, sum, 2);
    if (team.thread() == 0) {
      advance(shared.state.progress, limits, 0, real_part(sum[0]), 1);
      next_direction(shared.state, real_part(sum[1]));
    }
    team.barrier();
    const S beta(shared.state.beta);
    each_row(team,
             [&](std::int64_t i) { own.p[i] = preconditioned(i, own.r[i]) + beta * own.p[i]; });
    team.barrier();
    return true;
  }

  /// r = b - A x
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void recompute(const Team& team, Shared& shared,
                                             const TeamVectors<S>& own) const {
    if (!shared.state.running()) return;
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    each_row(team, [&](std::int64_t i) {
      const S r = S(b(i, 0)) - product(i, own.x);
      own.r[i] = r;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    team_sums::add_over_team(team, shared.sums, sum, 2);
    if (team.thread() == 0) {
      take_residual_anew(shared.state, limits, 0, real_part(sum[0]));
      shared.state.rho = real_part(sum[1]);
    }
    team.barrier();
  }
};

}  // namespace heddle::detail::krylov
