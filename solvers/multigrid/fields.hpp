// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<MultigridOptions> = std::tuple{
    field("kind", &MultigridOptions::kind,
          "smoothed or plain aggregation; automatic: chosen by expected_solves"),
    field("cycle", &MultigridOptions::cycle,
          "how often a cycle visits a level: once, twice, or twice as steps of a Krylov method; k "
          "needs a flexible solver, as CgSolver then is"),
    field("strength", &MultigridOptions::strength,
          "entries above this, relative to the diagonal, join rows; halved from level to level",
          at_least(0)),
    field("strength_measure", &MultigridOptions::strength_measure,
          "what makes an entry strong; automatic: evolution if positive entries make magnitudes "
          "mislead"),
    field("improve_candidates", &MultigridOptions::improve_candidates,
          "sweeps that relax near-nullspace vectors on each level; -1: 4 if these are of no use, "
          "else 0",
          within(-1, 100)),
    field("block_size", &MultigridOptions::block_size, "rows of a node, which join together",
          at_least(1)),
    field("smoother", &MultigridOptions::smoother, "the smoother of all levels"),
    field("smoothers", &MultigridOptions::smoothers,
          "the smoothers of the finest levels, in place of smoother"),
    field("degree", &MultigridOptions::degree,
          "degree of the Chebyshev polynomial, 1 to 4, or number of sweeps; 0: 2, and 1 for "
          "Gauss-Seidel and a preconditioner of yours",
          within(0, 4)),
    field("values", &MultigridOptions::values,
          "the type of the hierarchy, the matrix's scalar or single precision under a solver in "
          "double"),
    field("coarsest_rows", &MultigridOptions::coarsest_rows,
          "levels of more rows are coarsened; the coarsest is inverted if it has no more",
          at_least(0)),
    field("max_levels", &MultigridOptions::max_levels,
          "number of levels at most, the finest and the coarsest included", within(1, 64)),
    field("max_operator_complexity", &MultigridOptions::max_operator_complexity,
          "the most entries of all levels over those of A", at_least(1)),
    field("one_launch_entries", &MultigridOptions::one_launch_entries,
          "levels of at most this many entries run in one launch; -1: chosen, 0: none",
          at_least(-1)),
    field("vectors", &MultigridOptions::vectors, "right-hand sides that there is room for at once",
          at_least(1)),
    field("expected_applies", &MultigridOptions::expected_applies,
          "applies that the plan is made for: more of them justify a longer inspection",
          at_least(0)),
    field("expected_solves", &MultigridOptions::expected_solves,
          "solves with one set-up, from which an automatic kind is chosen; 0: unknown",
          at_least(0)),
    field("borrow_values", &MultigridOptions::borrow_values,
          "whether cycles read the user's values instead of a copy"),
    field("symmetry_tolerance", &MultigridOptions::symmetry_tolerance,
          "how far A may be from symmetric", at_least(0)),
    field("max_bytes", &MultigridOptions::max_bytes,
          "device memory, in bytes, that the plan may keep")};
static_assert(lists_all_fields<MultigridOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
