// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "../huge_pages.hpp"

namespace heddle::files {

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};

template <class T>
using Buffer = std::unique_ptr<T[], FreeMemory>;

using heddle::detail::prefer_huge_pages;

/// An uninitialized array on the host; throws std::bad_alloc.
template <class T>
Buffer<T> make_buffer(std::size_t count) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
  const std::size_t bytes = count * sizeof(T);
  void* const memory = std::malloc(bytes > 0 ? bytes : 1);
  if (!memory) throw std::bad_alloc();
  prefer_huge_pages(memory, bytes);
  return Buffer<T>(static_cast<T*>(memory));
}

}  // namespace heddle::files
