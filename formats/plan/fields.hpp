// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "core.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<SpmvOptions> = std::tuple{
    field("scheme", &SpmvOptions::scheme, "pins the scheme"),
    field("transposed_scheme", &SpmvOptions::transposed_scheme,
          "pins the scheme of the stored transpose"),
    field("expected_applies", &SpmvOptions::expected_applies,
          "applies that the plan is made for: more of them justify a longer inspection",
          at_least(0)),
    field("vectors", &SpmvOptions::vectors, "vectors that x will hold", at_least(1)),
    field("ops", &SpmvOptions::ops, "ops prepared with the plan"),
    field("values_in_place", &SpmvOptions::values_in_place,
          "restricts the choice to schemes that read the user's values in place"),
    field("max_bytes", &SpmvOptions::max_bytes,
          "device memory, in bytes, that the plan may keep beyond the matrix"),
    field("measure_seconds", &SpmvOptions::measure_seconds,
          "seconds for measuring schemes, in place of predicting their time", finite_from(0)),
    field("cache", &SpmvOptions::cache, "a file that keeps measured results"),
    field("bytes_per_second", &SpmvOptions::bytes_per_second,
          "bytes per second of the device's memory that the choice assumes; 0: the known speed of "
          "the device",
          at_least(0)),
    field("model", &SpmvOptions::model, "a learned model of the choice on this device"),
    field("check", &SpmvOptions::check, "whether column indices are checked"),
    field("promises", &SpmvOptions::promises, "what you guarantee of the matrix: in_range, sorted"),
    field("check_promises", &SpmvOptions::check_promises, "whether the promises are checked"),
    field("check_overlap", &SpmvOptions::check_overlap,
          "whether applies of one plan that overlap are detected"),
    field("check_pattern", &SpmvOptions::check_pattern,
          "whether update_values compares the pattern with the inspected one, which waits"),
    field("symmetry", &SpmvOptions::symmetry,
          "whether A is one triangle of a symmetric or Hermitian matrix; the plan stores both, and "
          "ignores the imaginary part of a Hermitian matrix's diagonal")};
static_assert(lists_all_fields<SpmvOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
