// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../core/arena.hpp"
#include "../../core/error.hpp"
#include "concepts.hpp"
#include "state.hpp"

namespace heddle::detail::krylov {

/// Labels of the states on the device, of their copy on the host, and of the fence of a check.
struct MonitorLabels {
  const char* states;
  const char* on_host;
  const char* check;
};

/// Labels of passes over b - A x; `scale` is null if the solver has its own scaling.
struct ResidualLabels {
  const char* residual;
  const char* scale;
  const char* give;
};

/// Name of a solver, and the options that it accepts and others do not.
struct TakenOptions {
  const char* name;
  bool restart = false, basis = false, flexible = false, bounds = false, vectors = false,
       scheme = false;
  bool recompute_every = true;
};

/// Properties in which solvers differ.
struct SolverTraits {
  TakenOptions takes;
  MonitorLabels monitor;
  ResidualLabels labels;
  const char* vectors;  ///< label of the memory of all vectors
  const char* best;     ///< label of the best solution; null: none is kept
  Method method = {};
  int passes = 2;                         ///< passes over vectors in a step
  bool recorded = false;                  ///< whether blocks of steps may run as graphs
  bool dot_in_product = false;            ///< whether it uses the apply_dot of an operator
  bool becomes_flexible = false;          ///< for a variable M, without options.flexible
  const char* needs_symmetric = nullptr;  ///< "conjugate gradients need"; null: M may be any
  /// Solvers for the same A that take any M.
  const char* for_any_preconditioner = "gmres, bicgstab or flexible cg";
};

/// Throws Error if M is not symmetric and the method `needs` that; null: it does not. `instead`:
/// see SolverTraits::for_any_preconditioner.
template <class M>
void check_symmetric(const M& preconditioner, const char* needs, const char* instead) {
  if (!needs || symmetric(preconditioner)) return;
  throw Error(name_of(preconditioner) + " is not symmetric, and " + needs +
                  " a preconditioner that is" + asymmetry_of(preconditioner),
              std::string("sweep forward and backward, or use ") + instead);
}

/// Throws Error if M is variable and the solver is not flexible.
template <class M>
void check_constant(const M& preconditioner, bool flexible, const TakenOptions& takes) {
  if (flexible || !is_variable(preconditioner)) return;
  throw Error(name_of(preconditioner) + " differs from one apply to the next, and " + takes.name +
                  " needs a preconditioner that does not",
              takes.flexible ? "set options.flexible"
                             : "use CgSolver, or GmresSolver with options.flexible");
}

/// Number of residuals of a right-hand side that the device keeps: those between two checks, and
/// the one before, which a check may replace.
inline int history_room(const KrylovOptions& options) {
  if (options.check_every == 0) return options.max_iterations + 1;
  return std::min(options.check_every, options.max_iterations) + 2;
}

/// Limits from options with a stagnation_window. `is_double`: whether the real part of S is double.
inline Limits limits_of(const KrylovOptions& options, bool is_double, double* history) {
  return {options.relative_tolerance.value_or(is_double ? 1e-8 : 1e-5),
          options.absolute_tolerance,
          options.divergence_factor,
          options.relative_to == RelativeTo::first_residual ? 1 : 0,
          options.max_iterations,
          *options.stagnation_window,
          history_room(options),
          history};
}

/// Number of iterations of a block, which queues the same work each time.
inline int block_of(const KrylovOptions& options) {
  if (options.recompute_every == 0 || options.check_every == 0) {
    return std::max(options.check_every, options.recompute_every);
  }
  return std::min(options.check_every, options.recompute_every);
}

/// Runs iterations [first, stop) by blocks(first, stop), and recompute() after each multiple of
/// `every`.
template <class Blocks, class Recompute>
void with_recomputed(int first, int stop, int every, const Blocks& blocks,
                     const Recompute& recompute) {
  while (every > 0 && first / every < stop / every) {
    const int due = (first / every + 1) * every;
    blocks(first, due);
    recompute();
    first = due;
  }
  if (first < stop) blocks(first, stop);
}

/// Functions by which a solver queues work. None of them waits:
///
/// - queue(first, stop): iterations;
/// - verify(due): the product, and b - A x of the right-hand sides that are due;
/// - restart(): what an iteration needs to continue from b - A x;
/// - keep(progress) and restore(progress): the solution of the smallest residual so far;
///   progress(v) is the Progress of right-hand side v.
template <class Queue, class Judge, class Restart, class Keep, class Restore>
struct Iteration {
  Queue queue;
  Judge verify;
  Restart restart;
  Keep keep;
  Restore restore;
};
template <class... Parts>
Iteration(Parts...) -> Iteration<Parts...>;

/// The sum of a number of the host over all processes. Without a reduction it is the number.
inline double over_processes(const Reduction& reduction, double number) {
  if (reduction) reduction({&number, 1});
  return number;
}

/// Runs check(), and throws Error on all processes if it throws on one of them, since the others
/// would wait in the next reduction.
template <class Check>
void agreed(const Reduction& reduction, const Check& check) {
  if (!reduction) return check();
  std::exception_ptr failure;
  try {
    check();
  } catch (...) {
    failure = std::current_exception();
  }
  const double failures = over_processes(reduction, failure ? 1 : 0);
  if (failure) std::rethrow_exception(failure);
  if (failures > 0) {
    throw Error("another process cannot solve its part of the system", "see the Error there");
  }
}

/// Progress of a solve: a State for each right-hand side and the history in memory of the device,
/// and on the host the results of the last check. A State is a Progress, or derives from it.
template <ExecutionSpace Exec, Scalar S, class State>
class Monitor {
 public:
  using Space = typename Exec::memory_space;

  Monitor() = default;
  /// A monitor of options.vectors right-hand sides, in one allocation in the order of `exec`.
  /// Throws Error if `rows` is negative.
  Monitor(const Exec& exec, const MonitorLabels& labels, const KrylovOptions& options,
          std::int64_t rows);

  const KrylovOptions& options() const { return options_; }
  State* states() const { return states_.data(); }
  Limits limits() const {
    return limits_of(options_, std::is_same_v<heddle::RealOf<S>, double>,
                     options_.history ? history_.data() : nullptr);
  }
  std::span<const KrylovResult> results() const { return results_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// The residuals of one right-hand side in order; waits.
  std::vector<double> history(const Exec& exec, int vector);

  /// Throws Error unless an operator of this shape, b and x are those of a system of so many rows,
  /// with a right-hand side for each state.
  void check_system(std::int64_t rows, std::int64_t operator_rows, std::int64_t operator_columns,
                    const Multivector<const S>& b, const Multivector<S>& x) const;

  /// Clears the results on the host before a solve. The device has recorded nothing of it yet.
  void clear() {
    std::fill(results_.begin(), results_.end(), KrylovResult());
    for (auto& of_vector : residuals_) of_vector.clear();
    ended_by_host_.reset();
    recording_failed_ = false;
    // No iteration follows those that are queued, even if the device says `running`.
    if (options_.check_every == 0) ended_by_host_ = Outcome::iteration_limit;
  }

  /// Queues iterations of the method in blocks until all right-hand sides have ended, and checks
  /// after each block. With check_every = 0 all are queued and nothing is waited for.
  template <class Of>
  void run(const Exec& exec, const Method& method, const Of& iteration) {
    const int products = method.cost, most = options_.max_iterations / products;
    const bool together = method.in_cycles && results_.size() > 1;
    if (options_.check_every == 0) {
      iteration.queue(0, most);
      return iteration.verify(Due::last);
    }
    const Kokkos::Timer timer;
    check(exec);
    while (any_running() && goes_on()) {
      iteration.keep(progress_on_host());
      const int first = least_iterations() / products;
      const int stop = std::min(most, first + options_.check_every);
      iteration.queue(first, stop);
      // Right-hand sides that end at the limit are verified before the same check.
      if (stop == most && !together) iteration.verify(Due::ended);
      check(exec);
      const bool waits = together && any_running();  // for the end of the cycle
      if (!waits && any([](const Progress& p) { return is_due(p, Due::ended) && claims(p); })) {
        iteration.verify(Due::ended);
        check(exec);
      }
      if (any([](const Progress& p) { return p.unscaled != 0; })) iteration.restart();
      if (any_running() && on_any_process(timer.seconds() > options_.max_seconds)) {
        ended_by_host_ = Outcome::out_of_time;
        break;
      }
    }
    finish(exec, iteration);
  }

  /// Makes results report from the next check on that a recording failed.
  void note_failed_recording() { recording_failed_ = true; }

  /// Copies the states, and the history if it is kept, to the host. Waits.
  void check(const Exec& exec);

  /// The worst result of all right-hand sides: first those that have not converged, then the one
  /// with NaN or the largest residual.
  KrylovResult worst() const;

 private:
  static bool claims(const Progress& progress) { return progress.outcome == Outcome::converged; }

  auto progress_on_host() const {
    return [this](std::size_t v) -> const Progress& { return on_host_(v); };
  }
  template <class Test>
  bool any(const Test& test) const {
    for (std::size_t v = 0; v < results_.size(); ++v) {
      if (test(progress_on_host()(v))) return true;
    }
    return false;
  }
  bool any_running() const {
    return any([](const Progress& p) { return p.running(); });
  }
  int least_iterations() const {
    int least = options_.max_iterations;
    for (const KrylovResult& result : results_) {
      if (result.outcome == Outcome::running) least = std::min(least, result.iterations);
    }
    return least;
  }
  /// Whether something that each process decides by itself holds on any of them.
  bool on_any_process(bool here) const {
    return asks_ ? over_processes(options_.reduction, here ? 1 : 0) > 0 : here;
  }
  bool goes_on() {
    if (!on_any_process(!call_back())) return true;
    ended_by_host_ = Outcome::stopped_by_user;
    return false;
  }
  bool call_back() const;
  /// Appends the residuals of right-hand side v since the last check.
  void take_recent(std::size_t v);

  /// Leaves the best solution of right-hand sides that have not converged, and its residual. A
  /// second time is needed if the residual of the recurrence turns out to be wrong.
  template <class Of>
  void finish(const Exec& exec, const Of& iteration) {
    for (int time = 0; time < 2; ++time) {
      const bool restored = iteration.restore(progress_on_host());
      if (!restored && !any([](const Progress& p) { return !p.verified; })) break;
      iteration.verify(Due::last);
      check(exec);
    }
    if (ended_by_host_) check(exec);
    if (ended_by_host_ != Outcome::stopped_by_user) call_back();
  }

  MonitorLabels labels_{};
  KrylovOptions options_;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<State> states_;
  typename Arena<Space>::template Array<double> history_;
  Kokkos::View<State*, Kokkos::HostSpace> on_host_;
  Kokkos::View<double*, Kokkos::HostSpace> recent_;  ///< copy of history_
  std::vector<KrylovResult> results_;
  std::vector<std::vector<double>> residuals_;  ///< of each right-hand side, if they are kept
  std::optional<Outcome> ended_by_host_;
  bool recording_failed_ = false;
  /// Whether any process has a callback or a limit of time.
  bool asks_ = false;
};

/// The solution with the smallest residual that the host has seen, for each right-hand side.
template <ExecutionSpace Exec, Scalar S>
class BestSolution {
  using Vectors = SolverVectors<Exec, S>;

 public:
  BestSolution() = default;
  /// Allocates the solutions, except with options.check_every = 0, where the host sees no residual.
  /// `last_is_best`: see Method.
  BestSolution(const Exec& exec, const char* label, const KrylovOptions& options, std::size_t rows,
               std::size_t count, bool last_is_best)
      : last_is_best_(last_is_best) {
    if (options.check_every == 0) return;
    arena_ = Arena<typename Exec::memory_space>(exec, label, arena_bytes<S>(rows * count));
    solutions_ = Vectors(arena_.template take<S>(rows * count).data(), rows, count);
    kept_.resize(count);
  }
  void clear() { std::fill(kept_.begin(), kept_.end(), Kept()); }
  /// Keeps the x whose residual is smaller. A residual of b - A x replaces any of the recurrence.
  template <class ProgressOf>
  void keep(const Exec& exec, const ProgressOf& progress, const Vectors& x) {
    for (std::size_t v = 0; v < kept_.size(); ++v) {
      const Progress& of = progress(v);
      const bool better = of.residual < kept_[v].residual || (of.verified && !kept_[v].verified);
      if (!of.running() || !better) continue;
      kept_[v] = {of.residual, of.verified != 0};
      copy(exec, x, solutions_, v);
    }
  }
  /// Copies a kept solution to x if that has not converged, is no least-squares solution and is
  /// worse. Returns whether any was copied; it is no longer kept then.
  template <class ProgressOf>
  bool restore(const Exec& exec, const ProgressOf& progress, const Vectors& x) {
    bool any = false;
    for (std::size_t v = 0; v < kept_.size(); ++v) {
      const Progress& of = progress(v);
      const bool last = last_is_best_ && of.outcome == Outcome::iteration_limit;
      const double reached = of.verified ? of.residual : of.carried;
      if (of.outcome == Outcome::converged || of.outcome == Outcome::inconsistent ||
          (last && of.left == Left::own) || !std::isfinite(kept_[v].residual) ||
          reached <= kept_[v].residual) {  // NaN is not
        continue;
      }
      kept_[v] = {};
      copy(exec, solutions_, x, v);
      any = true;
    }
    return any;
  }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  static void copy(const Exec& exec, const Vectors& from, const Vectors& to, std::size_t v) {
    const int column_index = static_cast<int>(v);
    heddle::vectors::copy(exec, column<Exec, S>(from, column_index),
                          column<Exec, S>(to, column_index));
  }

  Arena<typename Exec::memory_space> arena_;
  struct Kept {
    double residual = std::numeric_limits<double>::infinity();
    bool verified = false;
  };
  Vectors solutions_;
  std::vector<Kept> kept_;
  bool last_is_best_ = false;
};

}  // namespace heddle::detail::krylov
