// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<SolveOptions> = std::tuple{
    field("relative_tolerance", &SolveOptions::relative_tolerance,
          "bound of the norm of b - A x, relative to that of b", at_least(0)),
    field("absolute_tolerance", &SolveOptions::absolute_tolerance, "bound of the norm of b - A x",
          at_least(0)),
    field("max_iterations", &SolveOptions::max_iterations,
          "limit of products with A, those of all pairs together", within(0, 1 << 30)),
    field("max_seconds", &SolveOptions::max_seconds,
          "limit of time of a solve, tested when the host checks", at_least(0)),
    field("max_bytes", &SolveOptions::max_bytes,
          "the most device memory that the Solver may keep, in bytes"),
    field("positive_definite", &SolveOptions::positive_definite,
          "whether A is positive definite, if you know it"),
    field("expected_solves", &SolveOptions::expected_solves,
          "number of solves with one set-up: more of them justify a longer one", at_least(1)),
    field("block_size", &SolveOptions::block_size,
          "unknowns of each point, for multigrid; 0: as found in the pattern", within(0, 32)),
    field("zero_guess", &SolveOptions::zero_guess, "whether x counts as zero, and is not read"),
    field("nullspace", &SolveOptions::nullspace,
          "vectors that a singular A and its conjugate transpose map to zero; by default the "
          "constant vector if A is symmetric and all of its rows sum to zero"),
    field("near_nullspace", &SolveOptions::near_nullspace,
          "vectors that A maps to about zero, for multigrid: rigid_body_motions of elastic bodies"),
    field("direct", &SolveOptions::direct,
          "complete factors that a solve may take, of direct_solver"),
    field("pair", &SolveOptions::pair,
          "pins the pair of method and preconditioner, such as cg/multigrid"),
    field("cache", &SolveOptions::cache, "a file that keeps the pairs that solved systems"),
    field("callback", &SolveOptions::callback,
          "called when the host checks, with iterations and the relative residual; returning false "
          "ends the solve")};
static_assert(lists_all_fields<SolveOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
