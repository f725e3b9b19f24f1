// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "../../backends/host/measured_thread_costs.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../vectors/definitions.hpp"
#include "../vectors/operands.hpp"
#include "fields.hpp"
#include "monitor.hpp"
#include "solver.hpp"

/// Defines what solver.hpp and monitor.hpp declare.
namespace heddle::detail::krylov {

/// Throws Error for an option that is set and has no effect on the solver.
inline void check_effects(const KrylovOptions& options, const TakenOptions& takes) {
  const auto refuse = [&](bool set, bool taken, const char* option, const char* remedy) {
    if (!set || taken) return;
    throw Error(std::string("options.") + option + " has no effect on " + takes.name, remedy);
  };
  refuse(options.restart.has_value(), takes.restart, "restart",
         "leave it out: it is GmresSolver's");
  refuse(options.basis != KrylovBasis::in_scalar, takes.basis, "basis",
         "leave it out: it is GmresSolver's");
  refuse(options.flexible, takes.flexible, "flexible",
         "leave it out: it is CgSolver's and GmresSolver's");
  refuse(options.bounds.has_value(), takes.bounds, "bounds",
         "leave it out: it is ChebyshevSolver's");
  refuse(options.scheme.has_value(), takes.scheme, "scheme", "leave it out: it is CgSolver's");
  refuse(options.recompute_every != 0, takes.recompute_every, "recompute_every",
         "leave it out: b - A x is computed at every restart");
  if (options.vectors > 1 && !takes.vectors) {
    throw Error(
        std::string("options.vectors of ") + takes.name + " is " + std::to_string(options.vectors),
        "solve one system after the other: it has one right-hand side");
  }
}

/// Throws Error for options that make no sense.
inline void check_options(const KrylovOptions& options) {
  check_fields(options);
  if (options.check_every == 0 && (options.callback || !std::isinf(options.max_seconds))) {
    throw Error(std::string("options.") + (options.callback ? "callback" : "max_seconds") +
                    " has no effect with options.check_every = 0",
                "leave it out, or let the host check");
  }
  if (options.check_every == 0 && options.reduction) {
    throw Error(
        "options.check_every is 0, and with options.reduction the host waits in each "
        "iteration",
        "let the host check: leave out options.check_every");
  }
}

/// Returns the options. Throws Error if they are invalid or have no effect.
inline const KrylovOptions& checked(const KrylovOptions& options, const TakenOptions& takes) {
  check_effects(options, takes);
  check_options(options);
  return options;
}

// b - A x, by which every solver is judged and from which every iteration begins.

using vectors::add_dot, vectors::loaded, vectors::operands_of, vectors::stored, vectors::updated;

/// r = b - q with q = A x, and its norm; with First, the norm of b too. r may be q.
template <Scalar S, class State, bool First>
struct TrueResidual : vectors::Pass<Wide<S>, WideSquares<S>::sums*(First ? 2 : 1)> {
  using Norm = WideSquares<S>;
  Multivector<const S> b, q;
  Multivector<S> r;
  State* state;
  Limits limits;
  Due due;
  Method method;
  const Wide<S>* along = nullptr;  ///< see Projection; right-hand side v begins at v * nullspace
  int nullspace = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return First || is_due(state[v], due); }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return operands_of(loaded(b), loaded(q), stored(r));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [minus_one = Pack::all(Wide<S>(-1))](const auto& at, Pack* sum, const Pack& b,
                                                const Pack& q, Pack& r) {
      r = at.keep(Pack::multiply_add(minus_one, q, b));
      Norm::add(r, sum);
      if constexpr (First) Norm::add(b, sum + Norm::sums);
    };
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(int v, const Wide<S>* total) const {
    if (!active(v)) return;
    const double residual = Norm::norm(total);
    if constexpr (First) {
      begin(state[v], limits, v, residual, Norm::norm(total + Norm::sums), outside(v), method.cost);
    } else {
      verify(state[v], limits, v, residual, due, method);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double outside(int v) const {
    double norm = 0;
    for (int i = 0; i < nullspace; ++i) {
      norm = Kokkos::hypot(norm, Kokkos::abs(along[std::int64_t{v} * nullspace + i]));
    }
    return norm;
  }
};

/// r = scale r, for right-hand sides whose iteration continues from b - A x.
template <Scalar S, class State>
struct ScaleResidual : vectors::Pass<Wide<S>> {
  Multivector<S> r;
  const State* state;

  KOKKOS_FORCEINLINE_FUNCTION bool active(int v) const { return state[v].unscaled != 0; }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const { return operands_of(updated(r)); }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [scale = Pack::all(Wide<S>(state[v].scale))](Pack& r) { r = Pack::multiply(scale, r); };
  }
};

/// x = the x that is left, or zero if b is zero. If the guess is left, it stays in x.
template <Scalar S, class State>
struct GiveSolution : vectors::Pass<S> {
  Multivector<const S> own, start;  ///< start: of Left::start, which only GMRES has
  Multivector<S> x;
  const State* state;
  bool zero_guess;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int v) const {
    const State& of = state[v];
    const bool stays = of.left == Left::guess && !zero_guess && of.zero == 0;
    return operands_of(loaded(own, of.zero == 0 && of.left == Left::own),
                       loaded(start, of.zero == 0 && of.left == Left::start), stored(x, !stays));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int v) const {
    return [starts = state[v].left == Left::start](const Pack& own, const Pack& start, Pack& x) {
      x = starts ? start : own;
    };
  }
};

template <ExecutionSpace Exec, Scalar S, class State>
Monitor<Exec, S, State>::Monitor(const Exec& exec, const MonitorLabels& labels,
                                 const KrylovOptions& options, std::int64_t rows)
    : labels_(labels), options_(options) {
  agreed(options.reduction, [&] {
    if (rows >= 0) return;
    throw Error("the solver is for " + std::to_string(rows) + " unknowns",
                "give the system's size");
  });
  if (!options.stagnation_window) {
    const double all_rows = over_processes(options.reduction, static_cast<double>(rows));
    const double least = options.restart ? 2.0 * *options.restart : all_rows;
    options_.stagnation_window =
        static_cast<int>(std::clamp<double>(least, 500, std::numeric_limits<int>::max()));
  }
  const bool asks = options.callback || !std::isinf(options.max_seconds);
  asks_ = over_processes(options.reduction, asks ? 1 : 0) > 0;
  const auto vectors = static_cast<std::size_t>(options.vectors);
  const std::size_t recorded =
      options.history ? vectors * static_cast<std::size_t>(history_room(options)) : 0;
  arena_ = Arena<Space>(exec, labels.states, arena_array(states_, vectors),
                        arena_array(history_, recorded));
  on_host_ = Kokkos::View<State*, Kokkos::HostSpace>(std::string(labels.on_host), vectors);
  recent_ = Kokkos::View<double*, Kokkos::HostSpace>(std::string(labels.on_host), recorded);
  results_.resize(vectors);
  residuals_.resize(vectors);
}

template <ExecutionSpace Exec, Scalar S, class State>
std::vector<double> Monitor<Exec, S, State>::history(const Exec& exec, int vector) {
  if (!options_.history) {
    throw Error("the solver keeps no history", "set options.history");
  }
  if (vector < 0 || static_cast<std::size_t>(vector) >= results_.size()) {
    throw Error("there is no right-hand side " + std::to_string(vector),
                "give one from 0 to " + std::to_string(results_.size() - 1));
  }
  check(exec);
  std::vector<double> residuals = residuals_[static_cast<std::size_t>(vector)];
  if (!residuals.empty()) residuals.back() = results_[static_cast<std::size_t>(vector)].residual;
  return residuals;
}

template <ExecutionSpace Exec, Scalar S, class State>
void Monitor<Exec, S, State>::check(const Exec& exec) {
  Kokkos::deep_copy(kokkos_space(exec), on_host_, states_);
  if (options_.history) Kokkos::deep_copy(kokkos_space(exec), recent_, history_);
  exec.fence(labels_.check);
  for (std::size_t v = 0; v < results_.size(); ++v) {
    results_[v] = result_of(on_host_(v));
    results_[v].recording_failed = recording_failed_;
    if (ended_by_host_ && results_[v].outcome == Outcome::running) {
      results_[v].outcome = *ended_by_host_;
    }
    if (options_.history) take_recent(v);
  }
}

template <ExecutionSpace Exec, Scalar S, class State>
void Monitor<Exec, S, State>::take_recent(std::size_t v) {
  const auto room = static_cast<std::size_t>(history_room(options_));
  // Before the first solve the state is not set yet.
  const auto recorded =
      static_cast<std::size_t>(std::clamp(on_host_(v).recorded, 0, options_.max_iterations + 1));
  std::vector<double>& of = residuals_[v];
  std::size_t i = of.empty() ? 0 : of.size() - 1;  // the last one may have been replaced
  of.resize(recorded);
  for (; i < recorded; ++i) of[i] = with_outside(on_host_(v), recent_(v * room + i % room));
}

template <ExecutionSpace Exec, Scalar S, class State>
KrylovResult Monitor<Exec, S, State>::worst() const {
  const auto rank = [](const KrylovResult& result) {
    const double residual = result.relative_residual();
    return std::make_pair(result.converged() ? 0 : 1, std::isnan(residual)
                                                          ? std::numeric_limits<double>::infinity()
                                                          : residual);
  };
  return *std::max_element(
      results_.begin(), results_.end(),
      [&](const KrylovResult& a, const KrylovResult& other) { return rank(a) < rank(other); });
}

template <ExecutionSpace Exec, Scalar S, class State>
bool Monitor<Exec, S, State>::call_back() const {
  if (!options_.callback) return true;
  double residual = 0;
  int iterations = 0;
  for (const KrylovResult& result : results_) {
    const double of_this = result.relative_residual();
    if (!(of_this <= residual)) residual = of_this;  // NaN is the largest
    iterations = std::max(iterations, result.iterations);
  }
  return options_.callback(iterations, residual);
}

template <ExecutionSpace Exec, Scalar S, class State>
void Monitor<Exec, S, State>::check_system(std::int64_t rows, std::int64_t operator_rows,
                                           std::int64_t operator_columns,
                                           const Multivector<const S>& b,
                                           const Multivector<S>& x) const {
  if (operator_rows != rows || operator_columns != rows) {
    throw Error("the operator is " + std::to_string(operator_rows) + " x " +
                    std::to_string(operator_columns) + ", and the solver is for " +
                    std::to_string(rows) + " unknowns",
                "make the solver for the operator's size");
  }
  vectors::check_alike("b", b, "x", x);
  vectors::check_distinct("b", b, "x", x);
  if (b.rows != rows || static_cast<std::size_t>(b.count) != results_.size()) {
    throw Error("b is " + std::to_string(b.rows) + " x " + std::to_string(b.count) +
                    ", and the solver is for " + std::to_string(results_.size()) +
                    " right-hand sides of " + std::to_string(rows) + " rows",
                "make the solver for the size of b");
  }
}

template <ExecutionSpace Exec, Scalar S>
Projection<Exec, S>::Projection(const Exec& exec, const KrylovOptions& options, std::int64_t rows) {
  const Nullspace& nullspace = options.nullspace;
  const auto n = static_cast<std::size_t>(rows), k = static_cast<std::size_t>(nullspace.count());
  const auto count = static_cast<std::size_t>(options.vectors);
  if (k == 0 || (n == 0 && !options.reduction)) return;
  const std::size_t numbers = k * std::max(k, count);
  sums_ = {options.reduction, numbers};
  workspace_ = VectorWorkspace<Exec, Sum>(exec, static_cast<int>(numbers));
  S *basis = nullptr, *right = nullptr;
  arena_ = Arena<typename Exec::memory_space>(
      exec, "heddle::krylov::nullspace", arena_array(basis, n * k), arena_array(right, n * count),
      arena_array(coefficients_, numbers + k * count));
  basis_ = Vectors(basis, n, k);
  right_ = Vectors(right, n, count);
  along_ = coefficients_ + numbers;
  agreed(options.reduction, [&] {
    std::visit([&](const auto& given) { take(exec, given, nullspace.memory()); },
               nullspace.vectors());
  });
  orthonormalize(exec);
}

template <ExecutionSpace Exec, Scalar S>
template <class Given>
void Projection<Exec, S>::take(const Exec& exec, const Given& given, const std::string& memory) {
  const auto rows = static_cast<std::int64_t>(basis_.extent(0));
  if constexpr (std::same_as<Given, Nullspace::Ones>) {
    detail::fill(exec, "heddle::krylov::ones", basis_.data(), rows, S(1));
  } else if constexpr (std::same_as<Given, Multivector<const S>>) {
    if (given.rows != rows) {
      throw Error("options.nullspace has vectors of " + std::to_string(given.rows) +
                      " rows, and the solver is for " + std::to_string(rows) + " unknowns",
                  "give vectors of the size of the system");
    }
    if (memory != Exec::memory_space::name()) {
      throw Error("options.nullspace is in memory of " + memory,
                  std::string("give vectors in memory of ") + Exec::memory_space::name());
    }
    heddle::vectors::passes::Axpby<S, S> copy{};
    copy.x = given;
    copy.y = multivector_of<S>(basis_);
    copy.alpha.value = S(1);
    vectors::stream(exec, "heddle::vectors::axpby", rows, given.count, given.row_stride == 1, copy);
  } else {
    throw Error("options.nullspace has vectors of another scalar than the solver",
                "give vectors of the solver's scalar");
  }
}

template <ExecutionSpace Exec, Scalar S>
void Projection<Exec, S>::orthonormalize(const Exec& exec) {
  constexpr double epsilon = Kokkos::Experimental::epsilon_v<heddle::RealOf<S>>;
  for (int j = 0; j < static_cast<int>(basis_.extent(1)); ++j) {
    const Vectors v = columns(j, 1);
    scale_to_one(exec, v);
    double left = 1;
    for (int time = 0; time < 2; ++time) {
      if (j > 0) subtract(exec, columns(0, j), v, coefficients_);
      left *= scale_to_one(exec, v);
    }
    if (!(left > 100 * epsilon)) {
      throw Error("vector " + std::to_string(j) +
                      " of options.nullspace is zero, not finite, or depends on those before",
                  "give vectors that do not depend on each other");
    }
  }
}

template <ExecutionSpace Exec, Scalar S>
double Projection<Exec, S>::scale_to_one(const Exec& exec, const Vectors& v) {
  const auto norm = [&] {
    Sum square;
    const Kokkos::View<Sum, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> to(&square);
    vectors::launch_inner_products(exec, multivector_of<const S>(v), multivector_of<const S>(v),
                                   vectors::SmallMatrix<Sum>{coefficients_},
                                   workspace_.partials(1));
    sums_.complete(exec, coefficients_, 1);
    Kokkos::deep_copy(kokkos_space(exec), to,
                      Kokkos::View<const Sum, typename Exec::memory_space,
                                   Kokkos::MemoryTraits<Kokkos::Unmanaged>>(coefficients_));
    exec.fence("heddle::krylov::nullspace_norm");
    return std::sqrt(real_part(square));
  };
  double before = 1;
  for (const double factor : {0x1p-500, 0x1p500}) {  // if squares overflow or underflow
    const double size = norm();
    if (factor < 1 ? std::isfinite(size) : size > 0x1p-400) continue;
    heddle::vectors::scale(exec, S(static_cast<heddle::RealOf<S>>(factor)), v);
    before /= factor;
  }
  const double size = norm();
  if (!(size > 0) || !std::isfinite(size)) return 0;
  heddle::vectors::scale(exec, S(static_cast<heddle::RealOf<S>>(1 / size)), v);
  return before * size;
}

template <ExecutionSpace Exec, Scalar S>
void Projection<Exec, S>::subtract(const Exec& exec, const Vectors& from, const Vectors& v,
                                   Sum* coefficients) const {
  const auto basis = multivector_of<const S>(from);
  const vectors::SmallMatrix<Sum> small{coefficients, 1, basis.count};
  const auto of = multivector_of<S>(v);
  vectors::launch_inner_products(exec, basis, multivector_of<const S>(v), small,
                                 workspace_.partials(basis.count * of.count));
  sums_.complete(exec, coefficients, basis.count * of.count);
  vectors::launch_combinations(
      exec, basis, vectors::SmallMatrix<const Sum>{coefficients, 1, basis.count}, of,
      vectors::Factor<Sum>{nullptr, 0, Sum(-1)}, vectors::Factor<Sum>{nullptr, 0, Sum(1)});
}

template <ExecutionSpace Exec, Scalar S>
Multivector<const S> Projection<Exec, S>::right(const Exec& exec,
                                                const Multivector<const S>& b) const {
  heddle::vectors::passes::Axpby<S, S> copy{};
  copy.x = b;
  copy.y = multivector_of<S>(right_);
  copy.alpha.value = S(1);
  vectors::stream(exec, "heddle::vectors::axpby", b.rows, b.count, b.row_stride == 1, copy);
  subtract(exec, basis_, right_, along_);
  return multivector_of<const S>(right_);
}

template <ExecutionSpace Exec>
SolverThreads threads_of([[maybe_unused]] const Exec& exec) {
  if constexpr (backends::BackendIs<Exec, backends::Host>) {
    const int at_once = backends::threads_at_once(exec);
    return {at_once, at_once < exec.concurrency(), backends::thread_costs(exec)};
  } else {
    return {};
  }
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
KrylovSolver<Solver, Exec, S, State>::KrylovSolver(const Exec& exec, std::int64_t rows,
                                                   const KrylovOptions& options)
    : rows_(rows),
      monitor_(exec, Solver::traits.monitor, checked(options, Solver::traits.takes), rows),
      workspace_(exec,
                 std::max((options.restart.value_or(0) + 1) * options.vectors,
                          TrueResidual<S, State, true>::sums * vectors::vectors_at_once),
                 Solver::traits.dot_in_product ? rows : 0),
      sums_(options.reduction,
            static_cast<std::size_t>(
                std::max(options.restart.value_or(0) + 1, ProcessSums<Exec, Sum>::most_sums) *
                options.vectors)),
      blocks_(block_of(options)),
      nullspace_(exec, options, rows),
      threads_(threads_of(exec)) {
  if (Solver::traits.best) {
    best_ = {exec,
             Solver::traits.best,
             options,
             static_cast<std::size_t>(rows),
             static_cast<std::size_t>(options.vectors),
             Solver::traits.method.last_is_best};
  }
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
void KrylovSolver<Solver, Exec, S, State>::allocate(const Exec& exec,
                                                    std::initializer_list<Vectors*> own,
                                                    std::size_t more) {
  const auto n = static_cast<std::size_t>(rows_), vectors = static_cast<std::size_t>(count());
  arena_ = Arena<Space>(exec, Solver::traits.vectors,
                        (3 + own.size()) * arena_bytes<S>(n * vectors) + more);
  const auto take = [&](Vectors& v) {
    v = Vectors(arena_.template take<S>(n * vectors).data(), n, vectors);
  };
  for (Vectors* v : {&x_, &r_, &q_}) take(*v);
  for (Vectors* v : own) take(*v);
}

/// Finishes a pass with sums that are complete: one item for each right-hand side.
template <class Pass>
struct FinishPass {
  Pass pass;
  const typename Pass::accumulator_type* totals;

  KOKKOS_FUNCTION void operator()(std::int64_t v) const {
    pass.finish(static_cast<int>(v), totals + v * Pass::sums);
  }
};

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
template <class Pass>
void KrylovSolver<Solver, Exec, S, State>::pass(const Exec& exec, const char* label,
                                                bool unit_stride, const Pass& of) {
  if constexpr (Pass::sums == 0) {
    vectors::stream(exec, label, rows_, count(), unit_stride, of);
  } else {
    add_up(exec, label, unit_stride, of, sums_.totals());
    if (!sums_) return;
    sums_.complete(exec, count() * Pass::sums);
    finish(exec, of, sums_.totals());
  }
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
template <class Pass>
void KrylovSolver<Solver, Exec, S, State>::finish(const Exec& exec, const Pass& of,
                                                  const Sum* totals) {
  detail::parallel_for(exec, "heddle::krylov::finish", count(), FinishPass<Pass>{of, totals});
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
void KrylovSolver<Solver, Exec, S, State>::scale_residual(const Exec& exec) {
  if constexpr (Solver::traits.labels.scale != nullptr) {
    pass(exec, Solver::traits.labels.scale, true, ScaleResidual<S, State>{{}, write(r_), states()});
  }
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
void KrylovSolver<Solver, Exec, S, State>::give(const Exec& exec, const Multivector<S>& solution) {
  pass(exec, Solver::traits.labels.give, solution.row_stride == 1,
       GiveSolution<S, State>{
           {}, read(x_), self().start(), solution, states(), options().zero_guess});
}

template <class Solver, ExecutionSpace Exec, Scalar S, class State>
void KrylovSolver<Solver, Exec, S, State>::verify_residual(const Exec& exec, const Const& b,
                                                           Due due, bool first) {
  const auto verify = [&]<bool is_first>() {
    constexpr SolverTraits traits = Solver::traits;
    const auto along = nullspace_.along();
    pass(exec, traits.labels.residual, b.row_stride == 1,
         TrueResidual<S, State, is_first>{{},
                                          b,
                                          read(q_),
                                          write(traits.method.keeps_residual ? q_ : r_),
                                          states(),
                                          limits(),
                                          due,
                                          traits.method,
                                          along.of,
                                          along.count});
  };
  first ? verify.template operator()<true>() : verify.template operator()<false>();
}

}  // namespace heddle::detail::krylov
