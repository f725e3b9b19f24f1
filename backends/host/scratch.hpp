// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <string>

#include "../../core/error.hpp"

namespace heddle::backends {

/// What a team of one thread can have: as much as the scratch of a large GPU, and little enough to
/// stay in the caches of a core.
inline constexpr std::size_t host_scratch_bytes = std::size_t{256} << 10;

inline void* allocate_host_scratch(std::align_val_t alignment) {
  void* const memory = ::operator new(host_scratch_bytes, alignment, std::nothrow);
  if (memory) return memory;
  throw OutOfMemory("no " + std::to_string(host_scratch_bytes) + " bytes for a thread's scratch",
                    "free some memory of the host");
}

/// This thread's scratch. The first call of a thread allocates it, and the thread keeps it.
inline void* host_scratch() {
  static constexpr std::align_val_t alignment{64};
  struct Free {
    void operator()(void* memory) const { ::operator delete(memory, alignment); }
  };
  thread_local const std::unique_ptr<void, Free> memory(allocate_host_scratch(alignment));
  return memory.get();
}

}  // namespace heddle::backends
