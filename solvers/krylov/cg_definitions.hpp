// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../backends/loops.hpp"
#include "cg.hpp"
#include "cg_in_one_launch.hpp"
#include "solver_definitions.hpp"

/// Defines what cg.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
CgSolver<Exec, S>::CgSolver(const Exec& exec, std::int64_t rows, const KrylovOptions& options)
    : Base(exec, rows, options), device_(backends::describe(exec)) {
  detail::krylov::check_cg_scheme(options.scheme);
  const auto vectors = static_cast<std::size_t>(options.vectors);
  allocate(exec, {&p_, &z_}, arena_bytes<Sum, int>(vectors, 2));
  curvature_ = arena_.template take<Sum>(vectors).data();
  int* const words = arena_.template take<int>(2).data();
  detail::fill(exec, "heddle::cg::clear_meetings", words, 2, 0);
  meeting_ = {words, words + 1};
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::check_pinned() const {
  if (const auto& pinned = options().scheme; pinned && *pinned != scheme_) {
    throw Error(
        pinned->to_string() +
            " does not take this system: A has no csr(), or M is neither none nor "
            "Jacobi, or there are several right-hand sides or options.nullspace, or too many "
            "rows for one team or cluster, or teams cannot wait for each other on this device",
        "leave out options.scheme");
  }
}

}  // namespace heddle
