// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For tests that request more memory than there is: sanitizers end the program there by default.
// One source of an executable includes this.
#pragma once

#include <cstddef>

extern "C" const char* __asan_default_options() { return "allocator_may_return_null=1"; }
extern "C" const char* __tsan_default_options() { return "allocator_may_return_null=1"; }

namespace heddle::test {

inline constexpr std::size_t more_bytes_than_any = std::size_t{1} << 60;

}  // namespace heddle::test
