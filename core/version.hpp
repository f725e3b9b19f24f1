// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <cstdint>

namespace heddle {

/// A number, from 1 on, that no other call in this program gives: for version(), so that two states
/// with the same number are one, of whatever object.
inline std::uint64_t next_version() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace heddle
