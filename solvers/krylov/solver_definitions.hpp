// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/host/measured_thread_costs.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../vectors/definitions.hpp"
#include "monitor_definitions.hpp"
#include "projection_definitions.hpp"
#include "solver.hpp"

/// Defines what solver.hpp declares.
namespace heddle::detail::krylov {

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
                 std::max(options.restart.value_or(0) + 1,
                          TrueResidual<S, State, true>::sums * vectors::vectors_at_once),
                 Solver::traits.dot_in_product ? rows : 0),
      blocks_(block_of(options)),
      nullspace_(exec, options.nullspace, rows, options.vectors),
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

}  // namespace heddle::detail::krylov
