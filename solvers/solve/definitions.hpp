// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chosen.hpp"

/// The guarded run of a solve.
namespace heddle::detail::solve {

/// Sets up a pair and runs it from x. Without a trial x is the best one so far, and has the best
/// one afterwards; best_ has it after a trial.
template <ExecutionSpace Exec, class Matrix>
void ChosenSolver<Exec, Matrix>::try_pair(const Exec& exec, Known& pair, const ConstVector& b,
                                          const Vector& x, double target) {
  Run run{exec, pair, b, target, fraction_left(target)};
  run.attempt.pair = pair.name();
  const auto fail = [&](const Error& error) {
    // Another pair may have taken the room.
    const bool bounded = in_trial_ && options_.max_bytes != no_bound;
    if (bounded) pair.last = true;
    if (!bounded) pair.refused = std::string("failed: ") + error.what();
    run.attempt.ended = error.what();
    note(run, run.reported);
  };
  const auto note_setup = [&] {
    run.attempt.setup_seconds = run.timer.seconds();
    report_.setup_seconds += run.attempt.setup_seconds;
  };
  try {
    set_up(exec, pair);
    exec.fence("heddle::solve::set_up");
  } catch (const Error& error) {
    note_setup();
    return fail(error);
  }
  note_setup();
  note_set_up();

  guard_.forecast.clear();
  guard_.rivals = in_trial_ ? std::vector<Rival>() : rivals_of(pair);
  guard_.predicted = run.fraction * pair.iterations;
  guard_.seconds_of_iteration = pair.seconds_of_iteration;
  // A trial takes as long as predicted before it is judged. Without Ritz values, with which other
  // pairs have no price, a remembered one has its iterations twice.
  const double least = in_trial_         ? guard_.predicted
                       : pair.remembered ? 2 * pair.first_iterations
                                         : 0;
  guard_.earliest = std::max(least_seen, static_cast<int>(least));
  guard_.before = report_.iterations;
  guard_.iterations_left = options_.max_iterations - report_.iterations;
  guard_.began = guard_.seconds();
  guard_.in_trials = 0;
  guard_.stopped = Guard::Stopped::no;
  const Vector best(best_, x.extent(0));
  if (!in_trial_) {
    run_ = &run;
    heddle::vectors::copy(exec, x, best);
  }
  KrylovResult result;
  try {
    result = this->run(exec, pair, b, x, guard_.iterations_left);
  } catch (const Error& error) {
    if (!in_trial_) heddle::vectors::copy(exec, best, x);
    return fail(error);
  }
  const double reached = residual(exec, b, x);
  const bool limit_of_cg =
      pair.method == M::cg && result.outcome == Outcome::iteration_limit && std::isfinite(reached);
  if (reached <= best_residual_ || limit_of_cg) {
    best_residual_ = reached;
    if (in_trial_) heddle::vectors::copy(exec, x, best);
  } else if (!in_trial_) {
    heddle::vectors::copy(exec, best, x);
  }
  if (!in_trial_ && guard_.stopped == Guard::Stopped::by_trial) return;
  if (best_residual_ <= target) {
    report_.outcome = Outcome::converged;
    run.attempt.ended = name(Outcome::converged);
    pair.iterations = std::max(1.0, result.iterations / run.fraction);
    pair.measured = true;
    const double missed = std::max(1.0, pair.iterations / pair.first_iterations);
    for (Known& other : known_) {
      if (are_alike(pair, other)) other.iterations = missed * other.first_iterations;
    }
  } else {
    run.attempt.ended = judge(pair, result);
  }
  const bool outgrown = pair.preconditioner == P::multigrid && multigrid_renewed_ &&
                        pair.iterations > 3 * pair.first_iterations;
  if (outgrown) {  // a hierarchy of former values
    multigrid_.reset();
    pair.iterations = pair.first_iterations;
    note_set_up();
  }
  if (result.iterations > run.reported || run.reported == 0) note(run, result.iterations);
}

/// Tries another pair from the x so far of a run that waits. A trial that solves the system ends
/// it.
template <ExecutionSpace Exec, class Matrix>
template <class SolutionSoFar>
void ChosenSolver<Exec, Matrix>::try_rival(const Rival& rival, int iterations,
                                           const SolutionSoFar& solution_so_far) {
  Run& run = *run_;
  Known& other = known_[static_cast<std::size_t>(rival.pair)];
  const auto n = static_cast<std::size_t>(A_.rows());
  S* memory = nullptr;
  trial_memory_ = Arena<Space>(run.exec, "heddle::solve::trial", arena_array(memory, n));
  const Vector x(memory, n);
  solution_so_far(run.exec, x);
  const double reached = residual(run.exec, run.b, x);
  if (reached <= best_residual_) {
    best_residual_ = reached;
    heddle::vectors::copy(run.exec, x, Vector(best_, n));
  }
  // Those that are alike follow when the run has ended.
  const double more = guard_.more(iterations);
  run.pair.iterations = std::max(run.pair.iterations, (iterations + more) / run.fraction);
  run.pair.measured = true;
  run.attempt.ended = "waits, since " + number_text(more) + " iterations more were forecast, and " +
                      other.name() + " is predicted to take less time or to keep the limits";
  note(run, iterations);

  Guard held = guard_;
  const int before = report_.iterations;
  guard_.waiting = held.rest(iterations);
  in_trial_ = true;
  const double setup = other.setup_seconds;
  try_pair(run.exec, other, run.b, x, run.target);
  in_trial_ = false;
  of_trial_ = {};
  trial_memory_ = {};
  const int tried = report_.iterations - before;
  held.before += tried;
  held.iterations_left -= tried;
  held.in_trials += setup + tried * other.seconds_of_iteration;
  held.began += guard_.seconds() - held.seconds();
  held.thrown = std::exchange(guard_.thrown, nullptr);
  if (report_.outcome == Outcome::converged) {
    held.stopped = Guard::Stopped::by_trial;
  } else if (guard_.stopped == Guard::Stopped::by_time ||
             guard_.stopped == Guard::Stopped::by_user) {
    held.stopped = guard_.stopped;
  } else {
    report_.outcome = Outcome::running;
  }
  guard_ = std::move(held);
  guard_.rivals = rivals_of(run.pair);
  run.timer.reset();
}

/// Decides what follows from a run that did not converge. Returns how it ended, in words.
template <ExecutionSpace Exec, class Matrix>
std::string ChosenSolver<Exec, Matrix>::judge(Known& pair, const KrylovResult& result) {
  report_.outcome =
      result.outcome == Outcome::converged ? Outcome::attainable_accuracy : result.outcome;
  // The guard's last call has no effect on an iteration that has ended, but the user has his word.
  const bool ended = result.outcome != Outcome::stopped_by_user;
  const bool by_user = guard_.stopped == Guard::Stopped::by_user;
  switch (ended && !by_user ? Guard::Stopped::no : guard_.stopped) {
    case Guard::Stopped::by_forecast:  // of a trial: it may have another one
      pair.iterations *= missed_by(guard_.predicted, result.iterations, guard_.left);
      pair.measured = true;
      return "left, since " + number_text(guard_.more(result.iterations)) +
             " iterations more were forecast, and the pair that waits is forecast to take less "
             "time";
    case Guard::Stopped::by_limit: report_.outcome = Outcome::iteration_limit; break;
    case Guard::Stopped::by_time: report_.outcome = Outcome::out_of_time; break;
    case Guard::Stopped::by_user: report_.outcome = Outcome::stopped_by_user; break;
    default: break;
  }
  pair.last = true;
  const std::string words = name(report_.outcome);
  const auto is = [&](auto... outcomes) { return ((report_.outcome == outcomes) || ...); };
  // These depend on b: the pair may serve another one.
  if (is(Outcome::breakdown, Outcome::diverged, Outcome::stagnated, Outcome::not_a_number)) {
    pair.iterations *= 4;
    pair.measured = true;
  }
  if (report_.outcome != Outcome::indefinite) return words;
  pair.refused = "failed: " + words;
  if (pair.method != M::cg || pair.preconditioner > P::jacobi) return words;
  for (Known& other : known_) {  // A itself is not definite
    other.last_resort = false;
    if (other.method == M::cg) other.refused = not_definite(report_.matrix) + ", as cg has seen";
  }
  return words;
}

template <ExecutionSpace Exec, class Matrix>
const SolveReport& ChosenSolver<Exec, Matrix>::solve(const Exec& exec,
                                                     const Multivector<const S>& b,
                                                     const Multivector<S>& x,
                                                     double seconds_before) {
  const auto n = static_cast<std::int64_t>(A_.rows());
  vectors::check_alike("b", b, "x", x);
  vectors::check_distinct("b", b, "x", x);
  if (b.rows != n) {
    throw Error("b has " + std::to_string(b.rows) + " rows, and A " + std::to_string(n),
                "give vectors of the size of A");
  }
  timer_.reset();
  in_trial_ = false;
  guard_ = {};
  guard_.timer = &timer_;
  guard_.seconds_before = seconds_before;
  guard_.max_seconds = options_.max_seconds;
  guard_.callback = &options_.callback;
  guard_.history = &report_.history;
  report_.outcome = Outcome::converged;
  report_.residual = report_.reference = report_.setup_seconds = report_.solve_seconds = 0;
  report_.iterations = 0;
  report_.none_ran.clear();
  report_.attempts.clear();
  report_.history.clear();
  report_.advice.clear();
  const bool none = std::none_of(known_.begin(), known_.end(),
                                 [](const Known& pair) { return pair.refused.empty(); });
  for (Known& pair : known_) {
    pair.last = false;
    if (none) pair.refused.clear();  // rather than to try nothing
  }
  // Prices and limits are those of the whole tolerance, from zero.
  best_residual_ = report_.reference = 1;
  note_limits(tolerance());
  std::stable_sort(known_.begin(), known_.end(), [&](const Known& a, const Known& other) {
    return order_of(a) < order_of(other);
  });
  report_.reference = 0;
  report_.considered.assign(known_.begin(), known_.end());
  if (n == 0) return report_;

  // Strided vectors are copied, so that each method is compiled for one type of them.
  Arena<Space> staged;
  S *own_b = nullptr, *own_x = nullptr;
  const auto size = static_cast<std::size_t>(n);
  const bool strided = b.row_stride != 1 || x.row_stride != 1;
  using Strided = Kokkos::View<S*, Kokkos::LayoutStride, Space, Unmanaged>;
  using ConstStrided = Kokkos::View<const S*, Kokkos::LayoutStride, Space, Unmanaged>;
  const auto stride = [](int of) { return static_cast<std::size_t>(of); };
  const Strided user_x(x.data, Kokkos::LayoutStride(size, stride(x.row_stride)));
  if (strided) {
    staged = Arena<Space>(exec, "heddle::solve::staged", arena_array(own_b, size),
                          arena_array(own_x, size));
    heddle::vectors::copy(exec,
                          ConstStrided(b.data, Kokkos::LayoutStride(size, stride(b.row_stride))),
                          Vector(own_b, size));
    heddle::vectors::copy(exec, user_x, Vector(own_x, size));
  }
  const ConstVector right(strided ? own_b : b.data, size);
  const Vector solution(strided ? own_x : x.data, size);

  report_.reference = norm(exec, right);
  const double target = std::max(tolerance() * report_.reference, options_.absolute_tolerance);
  const auto finish = [&]() -> const SolveReport& {
    if (strided) heddle::vectors::copy(exec, solution, user_x);
    for (std::size_t k = 0; k < known_.size(); ++k) {
      report_.considered[k].refused = known_[k].refused;
    }
    exec.fence("heddle::solve::end");
    report_.solve_seconds = timer_.seconds() - report_.setup_seconds;
    remember_pair();
    advise(options_, report_);
    return report_;
  };
  if (!std::isfinite(report_.reference) || report_.matrix.not_finite >= 0) {
    report_.outcome = Outcome::not_a_number;
    report_.residual = std::numeric_limits<double>::quiet_NaN();
    if (report_.matrix.not_finite < 0) {
      std::int64_t count = 0;
      Kokkos::parallel_reduce("heddle::solve::read_b", range_policy(exec, n),
                              CountNotFinite<S>{right.data()}, count);
      report_.advice.emplace_back(count > 0 ? "b has NaN or infinity"
                                            : "the norm of b overflows: scale A and b");
    }
    return finish();
  }
  const bool guessed = !options_.zero_guess && report_.reference > 0;
  best_residual_ =
      guessed ? residual(exec, right, solution) : std::numeric_limits<double>::quiet_NaN();
  if (!(best_residual_ < report_.reference)) {
    heddle::vectors::scale(exec, S(0), solution);
    best_residual_ = report_.reference;
  }

  report_.outcome = best_residual_ <= target ? Outcome::converged : Outcome::running;
  bool attained = false;
  const auto is = [&](auto... outcomes) { return ((report_.outcome == outcomes) || ...); };
  while (report_.outcome != Outcome::converged) {
    note_limits(target);
    Known* const pair = cheapest();
    if (!pair) break;
    if (report_.iterations >= options_.max_iterations || is(Outcome::iteration_limit)) {
      report_.outcome = Outcome::iteration_limit;
      break;
    }
    if (guard_.seconds() > options_.max_seconds) {
      report_.outcome = Outcome::out_of_time;
      break;
    }
    const auto exceeds = [&] {
      return options_.max_bytes != no_bound && bytes() + bytes_of(*pair) > options_.max_bytes;
    };
    if (exceeds()) free_all_but(*pair);
    if (exceeds()) {
      pair->refused = "left out: it would keep about " + std::to_string(bytes_of(*pair)) +
                      " bytes more, and max_bytes is " + std::to_string(options_.max_bytes);
      continue;
    }
    try_pair(exec, *pair, right, solution, target);
    if (is(Outcome::inconsistent) && constant_nullspace() &&
        report_.iterations < options_.max_iterations) {
      // Rounding decides whether rows sum to zero: A may be regular.
      not_singular_ = true;
      forget_solvers();
      const std::vector<Known> before = known_;
      try_pair(exec, *pair, right, solution, target);
      if (!is(Outcome::converged, Outcome::out_of_time, Outcome::stopped_by_user)) {
        report_.outcome = Outcome::inconsistent;
        known_ = before;
        not_singular_ = false;
        forget_solvers();
      }
    }
    if (is(Outcome::converged, Outcome::out_of_time, Outcome::stopped_by_user,
           Outcome::inconsistent)) {
      break;
    }
    // At the end of accuracy one more pair may do better, unless nothing is left but rounding.
    const bool again = attained;
    attained = attained || is(Outcome::attainable_accuracy);
    const bool stalled = is(Outcome::attainable_accuracy, Outcome::stagnated);
    if (again || (stalled && is_rounding(exec, solution))) {
      report_.outcome = Outcome::attainable_accuracy;
      break;
    }
  }
  if (is(Outcome::running) && report_.iterations == 0) {
    const auto refused = std::find_if(known_.begin(), known_.end(),
                                      [](const Known& of) { return !of.refused.empty(); });
    report_.none_ran = refused != known_.end() ? refused->name() + ": " + refused->refused : "";
  }
  if (is(Outcome::running)) report_.outcome = Outcome::breakdown;
  report_.residual = best_residual_;
  finish();
  if (guard_.thrown) std::rethrow_exception(std::exchange(guard_.thrown, nullptr));
  return report_;
}

template <ExecutionSpace Exec, class Matrix>
std::unique_ptr<AnySolver<Exec, Matrix>> make_solver(const Exec& exec, const Matrix& A,
                                                     const SolveOptions& options) {
  return std::make_unique<ChosenSolver<Exec, Matrix>>(exec, A, options);
}

}  // namespace heddle::detail::solve

namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix>
inline constexpr bool is_defined<solve::AnySolver<Exec, Matrix>> = true;

}  // namespace heddle::detail
