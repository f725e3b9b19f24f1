// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"
#include "sparse_options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<DirectOptions> = std::tuple{
    field("ordering", &DirectOptions::ordering, "the order in which a band is factored"),
    field("refinement_steps", &DirectOptions::refinement_steps,
          "steps of iterative refinement in each apply, with the true residual", at_least(0)),
    field("max_bytes", &DirectOptions::max_bytes,
          "largest memory of the plan, in bytes; a plan that needs more is an Error"),
    field("vectors", &DirectOptions::vectors, "right-hand sides that there is room for at once",
          at_least(1)),
    field("scheme", &DirectOptions::scheme, "pins the scheme"),
    field("check_overlap", &DirectOptions::check_overlap,
          "whether applies of one plan that overlap are detected"),
    field("check_pattern", &DirectOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits")};
static_assert(lists_all_fields<DirectOptions>, "a field is missing, or has another place");

template <>
inline constexpr auto fields<SparseDirectOptions> = std::tuple{
    field("method", &SparseDirectOptions::method, "the library that factors"),
    field("refinement_steps", &SparseDirectOptions::refinement_steps,
          "steps of iterative refinement in each apply, with the true residual", at_least(0)),
    field("max_bytes", &SparseDirectOptions::max_bytes,
          "largest memory of the factors by the forecast, in bytes; more is an Error"),
    field("check_pattern", &SparseDirectOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits")};
static_assert(lists_all_fields<SparseDirectOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
