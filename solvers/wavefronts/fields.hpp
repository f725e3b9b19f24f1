// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "wavefronts.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<WavefrontsOptions> = std::tuple{
    field("sweep", &WavefrontsOptions::sweep,
          "from the first iteration to the last, or back; symmetric is an error"),
    field("ahead", &WavefrontsOptions::ahead,
          "the meaning of reading an item that is written later, which is an Error, or its value "
          "before the loop"),
    field("scheme", &WavefrontsOptions::scheme, "pins the scheme"),
    field("threads", &WavefrontsOptions::threads,
          "threads of a CPU that the loop is scheduled for; 0: those of the execution space, at "
          "most one for each processor"),
    field("least_gain", &WavefrontsOptions::least_gain,
          "the smallest predicted speed-up over one thread with which more threads are used")};
static_assert(lists_all_fields<WavefrontsOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
