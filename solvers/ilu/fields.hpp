// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<IluOptions> = std::tuple{
    field("fill_level", &IluOptions::fill_level,
          "k of ILU(k) and IC(k): fill up to this level is kept", at_least(0)),
    field("pivot_floor", &IluOptions::pivot_floor,
          "the magnitude that a smaller pivot gets; IcPlan lifts negative pivots too, IluPlan "
          "keeps the sign",
          finite_from(0)),
    field("retries", &IluOptions::retries,
          "how often the diagonal may grow, up to 64 times, until no pivot is bad; update_values "
          "then waits",
          within(0, 64)),
    field("block_size", &IluOptions::block_size,
          "rows of a block: blocks that hold an entry count as full", at_least(1)),
    field("subdomains", &IluOptions::subdomains, "ranges of rows between which entries are dropped",
          at_least(1)),
    field("partition", &IluOptions::partition,
          "the number of the subdomain of each row, instead of ranges"),
    field("factor_values", &IluOptions::factor_values,
          "the type that factors are stored in for the solves, the matrix's scalar or single "
          "precision"),
    field("vectors", &IluOptions::vectors, "right-hand sides that there is room for at once",
          at_least(1)),
    field("ops", &IluOptions::ops,
          "transposing ops of IluPlan prepared with the plan; IcPlan has every op"),
    field("expected_applies", &IluOptions::expected_applies,
          "applies that the plan is made for: more of them justify a longer inspection",
          at_least(0)),
    field("scheme", &IluOptions::scheme, "pins the scheme of the factorization"),
    field("sptrsv_scheme", &IluOptions::sptrsv_scheme, "pins the scheme of the triangular solves"),
    field("measure_seconds", &IluOptions::measure_seconds, "seconds for measuring each solve",
          finite_from(0)),
    field("cache", &IluOptions::cache, "a file that keeps measured results"),
    field("threads", &IluOptions::threads,
          "threads of a CPU that factorization and solves are scheduled for; 0: those of the "
          "execution space, at most one for each processor",
          at_least(0)),
    field("check_pattern", &IluOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits")};
static_assert(lists_all_fields<IluOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
