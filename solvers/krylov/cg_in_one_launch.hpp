// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/all_teams.hpp"
#include "../../backends/launch.hpp"
#include "cg_passes.hpp"

/// Steps of conjugate gradients inside of one launch, which computes the product itself: what
/// cg/one-team, cg/one-cluster and cg/all-teams have in common.
namespace heddle::detail::krylov {

/// The vectors of the iteration: pointers, or what takes a row in brackets as they do.
template <class Vector>
struct CgVectors {
  Vector x, r, p, q;
};

/// What an iteration needs of the one before it, of the rows of this thread.
template <class Crew, class From, class To>
KOKKOS_FORCEINLINE_FUNCTION void copy_iteration(const Crew& crew, std::int64_t rows,
                                                const CgVectors<From>& from,
                                                const CgVectors<To>& to) {
  crew.each_row(rows, [&](std::int64_t i) {
    to.x[i] = from.x[i];
    to.r[i] = from.r[i];
    to.p[i] = from.p[i];
  });
}

/// What a team shares beside its vectors. Every team has the state, and all come to the same.
template <Scalar S>
struct CgShared {
  static constexpr int most_sums = 3;
  team_sums::Scratch<S, most_sums> sums;
  CgState<heddle::RealOf<S>> state;
};

/// The system, the user's vectors, and which steps.
template <Scalar S, class Matrix>
struct CgProblem {
  using Real = heddle::RealOf<S>;
  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const typename Matrix::scalar_type* values;
  std::int64_t rows;
  Multivector<const S> b, diagonal;
  Multivector<S> solution;
  CgState<Real>* state;
  Limits<Real> limits;
  int first, stop, recompute_every;
  bool begins, zero_guess;
};

/// Steps [first, stop). A thread has the same rows in all it does; of p alone, and of x where the
/// residual is computed anew, it reads rows of others. Threads agree on every branch: only thread 0
/// of a team writes its state, between two barriers.
///
/// Crew is who works together: `team()`; `each_row(rows, body)`, those of this thread;
/// `add(shared, sums, n)`, after which thread 0 of each team has the sums of all threads, in a
/// fixed order, and all have come to a barrier; `barrier()`, after which all see what each wrote to
/// the vectors; `of_all(vector)`, by which rows of others are read; and `leads()`, one thread of
/// all.
template <Scalar S, class Matrix, Preconditioned How, class Crew, class Vector = S*>
struct CgSteps {
  using Real = heddle::RealOf<S>;
  using Off = typename Matrix::offset_type;
  using Shared = CgShared<S>;
  static constexpr int sums_of_team = Shared::most_sums;

  const CgProblem<S, Matrix>& problem;
  const Crew& crew;
  Shared& shared;
  CgVectors<Vector> own;

  KOKKOS_FORCEINLINE_FUNCTION void run() const {
    if (problem.begins) {
      begin();
    } else if (crew.team().thread() == 0) {
      shared.state = *problem.state;
    }
    crew.barrier();
    const int every = problem.recompute_every;
    for (int step = problem.first; step < problem.stop && shared.state.running(); ++step) {
      if (!iterate()) break;
      if (every > 0 && (step + 1) % every == 0) recompute();
    }
    if (crew.leads()) *problem.state = shared.state;
    crew.each_row(problem.rows, [&](std::int64_t i) { problem.solution(i, 0) = own.x[i]; });
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION S product(std::int64_t row, const Vector& v) const {
    const auto of_all = crew.of_all(v);
    S sum(0);
    for (Off e = problem.row_ptr[row]; e < problem.row_ptr[row + 1]; ++e) {
      sum += S(problem.values[e]) * of_all[problem.col_idx[e]];
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION S preconditioned(std::int64_t row, const S& r) const {
    return How == Preconditioned::by_diagonal ? problem.diagonal(row, 0) * r : r;
  }
  /// The history is written by one.
  KOKKOS_FORCEINLINE_FUNCTION Limits<Real> limits() const {
    Limits<Real> limits = problem.limits;
    if (!crew.leads()) limits.history = nullptr;
    return limits;
  }

  /// x from the guess, r = b - A x, p = z
  KOKKOS_FORCEINLINE_FUNCTION void begin() const {
    const bool zero = problem.zero_guess;
    crew.each_row(problem.rows,
                  [&](std::int64_t i) { own.x[i] = zero ? S(0) : S(problem.solution(i, 0)); });
    crew.barrier();
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    crew.each_row(problem.rows, [&](std::int64_t i) {
      const S right = problem.b(i, 0), r = zero ? right : right - product(i, own.x);
      const S z = preconditioned(i, r);
      own.r[i] = r;
      own.p[i] = z;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(right) * right;
      sum[2] += conjugate(r) * z;
    });
    crew.add(shared, sum, 3);
    if (crew.team().thread() == 0) {
      begin_cg(shared.state, limits(), 0, real_part(sum[0]), real_part(sum[1]), real_part(sum[2]));
    }
  }

  /// Whether there is a next step to be thought of.
  KOKKOS_FORCEINLINE_FUNCTION bool iterate() const {
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    crew.each_row(problem.rows, [&](std::int64_t i) {
      own.q[i] = product(i, own.p);
      sum[0] += conjugate(own.p[i]) * own.q[i];
    });
    crew.add(shared, sum, 1);
    if (crew.team().thread() == 0) take_curvature(shared.state, real_part(sum[0]));
    crew.team().barrier();
    if (shared.state.moves == 0) return false;
    const S alpha(shared.state.alpha);
    sum[0] = sum[1] = S(0);
    crew.each_row(problem.rows, [&](std::int64_t i) {
      own.x[i] += alpha * own.p[i];
      const S r = own.r[i] - alpha * own.q[i];
      own.r[i] = r;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    crew.add(shared, sum, 2);
    if (crew.team().thread() == 0) {
      advance(shared.state.progress, limits(), 0, real_part(sum[0]), 1);
      next_direction(shared.state, real_part(sum[1]));
    }
    crew.team().barrier();
    const S beta(shared.state.beta);
    crew.each_row(problem.rows, [&](std::int64_t i) {
      own.p[i] = preconditioned(i, own.r[i]) + beta * own.p[i];
    });
    crew.barrier();
    return true;
  }

  /// r = b - A x
  KOKKOS_FORCEINLINE_FUNCTION void recompute() const {
    if (!shared.state.running()) return;
    S sum[sums_of_team] = {S(0), S(0), S(0)};
    crew.each_row(problem.rows, [&](std::int64_t i) {
      const S r = S(problem.b(i, 0)) - product(i, own.x);
      own.r[i] = r;
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    crew.add(shared, sum, 2);
    if (crew.team().thread() == 0) {
      take_residual_anew(shared.state, limits(), 0, real_part(sum[0]));
      shared.state.rho = real_part(sum[1]);
    }
    crew.team().barrier();
  }
};

}  // namespace heddle::detail::krylov
