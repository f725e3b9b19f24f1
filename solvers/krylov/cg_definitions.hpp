// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
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
  allocate(exec, {&p_, &z_}, arena_bytes<Sum>(vectors));
  curvature_ = arena_.template take<Sum>(vectors).data();
}

template <ExecutionSpace Exec, Scalar S>
void CgSolver<Exec, S>::check_pinned() const {
  if (const auto& pinned = options().scheme; pinned && *pinned != scheme_) {
    throw Error(
        pinned->to_string() +
            " does not take this system: A has no csr(), or M is neither none nor "
            "Jacobi, or there are several right-hand sides or options.nullspace, or too many "
            "rows for one team or cluster",
        "leave out options.scheme");
  }
}

}  // namespace heddle
