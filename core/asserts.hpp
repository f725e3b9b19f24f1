// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace heddle::detail {

/// Whether this source is compiled with assertions.
#ifdef NDEBUG
inline constexpr bool asserts = false;
#else
inline constexpr bool asserts = true;
#endif

}  // namespace heddle::detail
