// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<KrylovOptions> = std::tuple{
    field("relative_tolerance", &KrylovOptions::relative_tolerance,
          "bound of the norm of b - A x, relative to that of b", at_least(0)),
    field("absolute_tolerance", &KrylovOptions::absolute_tolerance, "bound of the norm of b - A x",
          at_least(0)),
    field("relative_to", &KrylovOptions::relative_to,
          "the norm that the relative tolerance is multiplied by, that of b or of the first "
          "residual"),
    field("max_iterations", &KrylovOptions::max_iterations, "limit of products with A",
          within(0, 1 << 30)),
    field("check_every", &KrylovOptions::check_every,
          "iterations from one check of the host to the next; 0: it never checks", at_least(0)),
    field("zero_guess", &KrylovOptions::zero_guess, "whether x counts as zero, and is not read"),
    field("recompute_every", &KrylovOptions::recompute_every,
          "iterations after which b - A x replaces the residual, or is compared with it by "
          "MinresSolver; 0: only when the solve would end; not for GmresSolver, which does so at "
          "every restart",
          at_least(0)),
    field("stagnation_window", &KrylovOptions::stagnation_window,
          "iterations without a smaller residual that end the solve, of CgSolver if the energy of "
          "the error did not fall either; by default at least the number of rows, of GmresSolver "
          "two cycles",
          at_least(1)),
    field("divergence_factor", &KrylovOptions::divergence_factor,
          "a residual of more than this many times the first one ends the solve", above(1)),
    field("max_seconds", &KrylovOptions::max_seconds, "limit of time, tested when the host checks",
          at_least(0)),
    field("history", &KrylovOptions::history, "whether the norms of all residuals are kept"),
    field(
        "callback", &KrylovOptions::callback,
        "called when the host checks, at the start and at the end; returning false ends the solve"),
    field("scheme", &KrylovOptions::scheme,
          "pins the scheme of CgSolver: cg/launches, cg/one-team or cg/one-cluster"),
    field("vectors", &KrylovOptions::vectors,
          "right-hand sides that are solved together; ChebyshevSolver accepts one", at_least(1)),
    field("restart", &KrylovOptions::restart, "iterations after which GmresSolver is restarted",
          at_least(1)),
    field("basis", &KrylovOptions::basis,
          "the precision in which GmresSolver of double stores its basis; in float it has half of "
          "the bytes"),
    field("flexible", &KrylovOptions::flexible,
          "whether M may change from one apply to the next, for CgSolver and GmresSolver"),
    field("bounds", &KrylovOptions::bounds,
          "bounds of the eigenvalues of M A, for ChebyshevSolver, which needs them"),
    field("nullspace", &KrylovOptions::nullspace,
          "Nullspace::constant(), or vectors that a singular A and its conjugate transpose map to "
          "zero, which are left out"),
    field("reduction", &KrylovOptions::reduction,
          "adds up sums over processes, for a system whose rows are distributed over them")};
static_assert(lists_all_fields<KrylovOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
