// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<GaussSeidelOptions> = std::tuple{
    field("sweep", &GaussSeidelOptions::sweep, "the half sweeps of one apply; symmetric is both"),
    field("omega", &GaussSeidelOptions::omega,
          "relaxation factor, more than 0 and less than 2: 1 is Gauss-Seidel, others are SOR and "
          "SSOR",
          between(0, 2)),
    field("order", &GaussSeidelOptions::order, "the order of the rows, ascending or by colors"),
    field("block_size", &GaussSeidelOptions::block_size,
          "rows of a block, 1 to 8, whose unknowns are solved for together", within(1, 8)),
    field("scheme", &GaussSeidelOptions::scheme, "pins the scheme"),
    field("measure_seconds", &GaussSeidelOptions::measure_seconds, "seconds for measuring sweeps",
          finite_from(0)),
    field("cache", &GaussSeidelOptions::cache, "a file that keeps measured results"),
    field("vectors", &GaussSeidelOptions::vectors,
          "right-hand sides that there is room for at once", at_least(1)),
    field("expected_applies", &GaussSeidelOptions::expected_applies,
          "applies that the plan is made for: more of them justify a longer inspection",
          at_least(0)),
    field("threads", &GaussSeidelOptions::threads,
          "threads of a CPU that half sweeps are scheduled for; 0: those of the execution space, "
          "at most one for each processor",
          at_least(0)),
    field("check_overlap", &GaussSeidelOptions::check_overlap,
          "whether sweeps of one plan that overlap are detected"),
    field("check_pattern", &GaussSeidelOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits"),
    field("sptrsv_scheme", &GaussSeidelOptions::sptrsv_scheme,
          "pins the scheme of the triangular solves of gauss-seidel/split; an error unless scheme "
          "pins that"),
    field(
        "spmv_scheme", &GaussSeidelOptions::spmv_scheme,
        "pins the scheme of the products of gauss-seidel/split; an error unless scheme pins that")};
static_assert(lists_all_fields<GaussSeidelOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
