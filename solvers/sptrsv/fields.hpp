// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<SptrsvOptions> = std::tuple{
    field("triangle", &SptrsvOptions::triangle, "the triangle to solve with"),
    field("diagonal", &SptrsvOptions::diagonal, "the stored diagonal, or ones, whatever is stored"),
    field("ignore_outside", &SptrsvOptions::ignore_outside,
          "whether entries outside the triangle are ignored, as for a combined LU matrix, or an "
          "error"),
    field("expected_applies", &SptrsvOptions::expected_applies,
          "applies that the plan is made for: more of them justify a longer inspection",
          at_least(0)),
    field("scheme", &SptrsvOptions::scheme, "pins the scheme"),
    field("measure_seconds", &SptrsvOptions::measure_seconds,
          "seconds for measuring the solve of each op", finite_from(0)),
    field("cache", &SptrsvOptions::cache, "a file that keeps measured results"),
    field("model", &SptrsvOptions::model, "a learned model of the choice on this device"),
    field("vectors", &SptrsvOptions::vectors, "right-hand sides that there is room for at once",
          at_least(1)),
    field("ops", &SptrsvOptions::ops, "transposing ops prepared with the plan"),
    field("threads", &SptrsvOptions::threads,
          "threads of a CPU that the solve is scheduled for; 0: those of the execution space, at "
          "most one for each processor",
          at_least(0)),
    field("check_overlap", &SptrsvOptions::check_overlap,
          "whether solves of one plan that overlap are detected"),
    field("check_pattern", &SptrsvOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits")};
static_assert(lists_all_fields<SptrsvOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
