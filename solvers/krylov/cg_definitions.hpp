// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../core/loops.hpp"
#include "../vectors/definitions.hpp"
#include "cg.hpp"
#include "cg_launch.hpp"
#include "monitor_definitions.hpp"

/// Defines what cg.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
CgSolver<Exec, S>::CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options,
                            int count)
    : rows_(rows),
      count_(count),
      monitor_(exec,
               detail::krylov::MonitorLabels{"heddle::cg::state", "heddle::cg::state_on_host",
                                             "heddle::cg::check"},
               options, rows, count),
      workspace_(exec, ResidualPasses::most_numbers, rows),
      device_(backends::describe(exec)),
      blocks_(detail::krylov::block_of(options)),
      best_(exec, "heddle::cg::best", options, static_cast<std::size_t>(rows),
            static_cast<std::size_t>(count)) {
  detail::krylov::check_cg_scheme(options.scheme);
  const auto n = static_cast<std::size_t>(rows), vectors = static_cast<std::size_t>(count);
  arena_ = Arena<Space>(exec, "heddle::cg::vectors",
                        5 * arena_bytes<S>(n * vectors) + arena_bytes<Sum, int>(vectors, 2));
  for (Vectors* v : {&x_, &r_, &p_, &q_, &z_}) {
    *v = Vectors(arena_.template take<S>(n * vectors).data(), n, vectors);
  }
  curvature_ = arena_.template take<Sum>(vectors).data();
  int* const words = arena_.template take<int>(2).data();
  detail::fill(exec, "heddle::cg::clear_meetings", words, 2, 0);
  meeting_ = {words, words + 1};
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::check_pinned() const {
  if (const auto& pinned = monitor_.options().scheme; pinned && *pinned != scheme_) {
    throw Error(pinned->to_string() +
                    " does not take this system: A has no csr(), or M is neither none nor "
                    "Jacobi, or there are several right-hand sides, or too many rows for one "
                    "team or cluster, or teams cannot wait for each other on this device",
                "leave out options.scheme");
  }
}

}  // namespace heddle

#include "instantiate_cg.hpp"  // behind what it makes
