// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

#include "integers.hpp"

namespace heddle::detail {

/// Asks for huge pages for host memory that has not been touched yet. Readers and inspections touch
/// their memory once, and the first touch of small pages costs a third of a reader's time, and most
/// of an inspection's on some virtual machines.
inline void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t huge_page_bytes = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = ceil_div(begin, huge_page_bytes) * huge_page_bytes;
  const std::uintptr_t last = (begin + bytes) / huge_page_bytes * huge_page_bytes;
  if (last > first) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace heddle::detail
