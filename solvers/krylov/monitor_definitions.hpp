// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "../vectors/operands.hpp"
#include "monitor.hpp"

/// Defines what monitor.hpp declares.
namespace heddle::detail::krylov {

template <ExecutionSpace Exec, Scalar S, class State>
Monitor<Exec, S, State>::Monitor(const Exec& exec, const MonitorLabels& labels,
                                 const KrylovOptions& options, std::int64_t rows)
    : labels_(labels), options_(options) {
  if (!options.stagnation_window) {
    const std::int64_t least = options.restart ? 2 * std::int64_t{*options.restart} : rows;
    options_.stagnation_window =
        static_cast<int>(std::clamp<std::int64_t>(least, 500, std::numeric_limits<int>::max()));
  }
  if (rows < 0) {
    throw Error("a solver for " + std::to_string(rows) + " unknowns",
                "give the size of the system");
  }
  const auto vectors = static_cast<std::size_t>(options.vectors);
  const std::size_t recorded =
      options.history ? vectors * static_cast<std::size_t>(history_room(options)) : 0;
  arena_ = Arena<Space>(exec, labels.states, arena_bytes<State, double>(vectors, recorded));
  states_ = arena_.template take<State>(vectors);
  history_ = arena_.template take<double>(recorded);
  on_host_ = Kokkos::View<State*, Kokkos::HostSpace>(std::string(labels.on_host), vectors);
  recent_ = Kokkos::View<double*, Kokkos::HostSpace>(std::string(labels.on_host), recorded);
  results_.resize(vectors);
  residuals_.resize(vectors);
}

template <ExecutionSpace Exec, Scalar S, class State>
std::vector<double> Monitor<Exec, S, State>::history(const Exec& exec, int vector) {
  if (!options_.history) {
    throw Error("the history of a solver that keeps none", "set options.history");
  }
  if (vector < 0 || static_cast<std::size_t>(vector) >= results_.size()) {
    throw Error("the history of right-hand side " + std::to_string(vector),
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
  // Before the first solve the state is not made yet.
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
bool Monitor<Exec, S, State>::tell() const {
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

}  // namespace heddle::detail::krylov
