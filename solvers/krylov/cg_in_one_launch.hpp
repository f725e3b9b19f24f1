// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/all_teams.hpp"
#include "../../backends/launch.hpp"
#include "../../core/rounded.hpp"
#include "../../formats/common/team_sums/last_team.hpp"
#include "cg_problem.hpp"

/// Steps of conjugate gradients inside of one launch, which computes the product itself: what
/// cg/one-team, cg/one-cluster and cg/all-teams have in common.
namespace heddle::detail::krylov {

/// What an iteration needs of the one before it, of the rows of this thread.
template <class Group, class From, class To>
KOKKOS_FORCEINLINE_FUNCTION void copy_iteration(const Group& group, std::int64_t rows,
                                                const CgVectors<From>& from,
                                                const CgVectors<To>& to) {
  group.each_row(rows, [&](std::int64_t i) {
    to.x[i] = from.x[i];
    to.r[i] = from.r[i];
    to.p[i] = from.p[i];
  });
}

/// What a team shares beside its vectors. Every team has the state, and all come to the same.
template <Scalar S>
struct CgShared {
  static constexpr int most_sums = 2 * Squares<S>::sums;
  team_sums::Scratch<Wide<S>, most_sums> sums;
  CgState state;
};

/// Steps up to `stop`; b - A x is computed at once where the iteration ends. A thread has the same
/// rows in all it does; of p, and of x where the residual is computed from it, it reads rows of
/// others. Threads agree on every branch: only thread 0 of a team writes its state, between two
/// barriers.
///
/// Group is who works together: `team()`; `each_row(rows, body)`, those of this thread;
/// `add(shared, sums, n)`, after which thread 0 of each team has the sums of all threads, in a
/// fixed order, and all have come to a barrier; `barrier()`, after which all see what each wrote to
/// the vectors; `of_all(vector)`, by which rows of others are read; and `is_first()`, one thread of
/// all.
template <Scalar S, class Matrix, Preconditioned How, class Group, class Vector = S*>
struct CgSteps {
  using Off = typename Matrix::offset_type;
  using Shared = CgShared<S>;
  using Norm = Squares<S>;
  using Sum = Wide<S>;

  const CgProblem<S, Matrix>& problem;
  const Group& group;
  Shared& shared;
  CgVectors<Vector> own;

  KOKKOS_FORCEINLINE_FUNCTION void run() const {
    if (problem.begins) {
      const bool zero = problem.zero_guess;
      group.each_row(problem.rows,
                     [&](std::int64_t i) { own.x[i] = zero ? S(0) : S(problem.solution(i, 0)); });
      group.barrier();
      judge_residual<true>(Due::all);
    } else {
      if (group.team().thread() == 0) shared.state = *problem.state;
      group.barrier();
    }
    const Progress& progress = shared.state;
    const int every = problem.recompute_every;
    while (progress.running() && progress.iterations < problem.stop) {
      iterate();
      if (is_due(progress, Due::ended)) {
        judge_residual<false>(Due::ended);
      } else if (progress.running() && every > 0 && progress.iterations % every == 0) {
        judge_residual<false>(Due::running);
      }
    }
    if (problem.ends && is_due(progress, Due::all)) judge_residual<false>(Due::all);
    if (group.is_first()) *problem.state = shared.state;
    if (problem.begins && problem.ends) give();
  }

 private:
  /// Of a whole solve: else the host gives what is left.
  KOKKOS_FORCEINLINE_FUNCTION void give() const {
    const Progress& progress = shared.state;
    const bool zero = progress.zero != 0 || progress.left != Left::own;
    if (progress.left != Left::own && progress.zero == 0 && !problem.zero_guess) return;
    group.each_row(problem.rows,
                   [&](std::int64_t i) { problem.solution(i, 0) = zero ? S(0) : own.x[i]; });
  }
  KOKKOS_FORCEINLINE_FUNCTION S product(std::int64_t row, const Vector& v) const {
    const auto of_all = group.of_all(v);
    S sum(0);
    for (Off e = problem.row_ptr[row]; e < problem.row_ptr[row + 1]; ++e) {
      sum += S(problem.values[e]) * of_all[problem.col_idx[e]];
    }
    return sum;
  }
  KOKKOS_FORCEINLINE_FUNCTION Sum preconditioned(std::int64_t row, const Sum& r) const {
    return How == Preconditioned::by_diagonal ? Sum(problem.diagonal(row, 0)) * r : r;
  }
  /// The history is written by one.
  KOKKOS_FORCEINLINE_FUNCTION Limits limits() const {
    Limits limits = problem.limits;
    if (!group.is_first()) limits.history = nullptr;
    return limits;
  }
  KOKKOS_FORCEINLINE_FUNCTION static void clear(Sum (&sum)[Shared::most_sums]) {
    for (Sum& of : sum) of = Sum(0);
  }

  /// r = b - A x, and what an iteration needs that goes on from there
  template <bool first>
  KOKKOS_FORCEINLINE_FUNCTION void judge_residual(Due due) const {
    CgState& state = shared.state;
    Sum sum[Shared::most_sums];
    clear(sum);
    const bool zero = first && problem.zero_guess;
    group.each_row(problem.rows, [&](std::int64_t i) {
      const Sum right(problem.b(i, 0));
      const Sum r = zero ? right : right - Sum(product(i, own.x));
      own.r[i] = rounded<S>(r);
      Norm::add_one(r, sum);
      if (first) Norm::add_one(right, sum + Norm::sums);
    });
    group.add(shared, sum, first ? 2 * Norm::sums : Norm::sums);
    if (group.team().thread() == 0) {
      if (first) {
        state.z_scale = 1;
        begin(state, limits(), 0, Norm::norm(sum), Norm::norm(sum + Norm::sums), 0,
              method_of_cg.cost);
      } else {
        constexpr Method method = method_of_cg;
        judge(state, limits(), 0, Norm::norm(sum), due, method);
      }
    }
    group.barrier();
    if (!state.unscaled) return;
    const bool anew = state.anew != 0;
    const double scale = state.scale;
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      const S r = rounded<S>(Sum(own.r[i]) * scale);
      const Sum z = preconditioned(i, Sum(r));
      own.r[i] = r;
      sum[0] += conjugate(Sum(r)) * z;
    });
    group.add(shared, sum, 1);
    if (group.team().thread() == 0) restart_cg(state, real_part(sum[0]));
    group.team().barrier();
    if (anew) {
      group.each_row(problem.rows, [&](std::int64_t i) { own.p[i] = direction(i, Sum(0)); });
    }
    group.barrier();
  }

  /// z + of_last, of row i
  KOKKOS_FORCEINLINE_FUNCTION S direction(std::int64_t i, const Sum& of_last) const {
    return rounded<S>(shared.state.z_scale * preconditioned(i, Sum(own.r[i])) + of_last);
  }

  KOKKOS_FORCEINLINE_FUNCTION void iterate() const {
    CgState& state = shared.state;
    Sum sum[Shared::most_sums];
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      const S q = product(i, own.p);
      own.q[i] = q;
      sum[0] += conjugate(Sum(own.p[i])) * Sum(q);
    });
    group.add(shared, sum, 1);
    if (group.team().thread() == 0) take_curvature(state, real_part(sum[0]));
    group.team().barrier();
    if (state.moves == 0) return;
    const double alpha = state.alpha, unscaled_alpha = alpha * state.unscale;
    clear(sum);
    group.each_row(problem.rows, [&](std::int64_t i) {
      own.x[i] = rounded<S>(Sum(own.x[i]) + unscaled_alpha * Sum(own.p[i]));
      const Sum r = Sum(own.r[i]) - alpha * Sum(own.q[i]);
      own.r[i] = rounded<S>(r);
      sum[0] += conjugate(r) * r;
      sum[1] += conjugate(r) * preconditioned(i, r);
    });
    group.add(shared, sum, 2);
    if (group.team().thread() == 0) {
      advance_cg(state, limits(), 0, real_part(sum[0]));
      next_direction(state, real_part(sum[1]));
    }
    group.team().barrier();
    const double beta = state.beta;
    group.each_row(problem.rows,
                   [&](std::int64_t i) { own.p[i] = direction(i, beta * Sum(own.p[i])); });
    group.barrier();
  }
};

}  // namespace heddle::detail::krylov
