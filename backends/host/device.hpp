// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <fstream>
#include <memory>
#include <new>
#include <string>

#include "../../core/device.hpp"
#include "../../core/error.hpp"
#include "../../core/types.hpp"
#include "../lanes.hpp"
#include "../threads_at_once.hpp"
#include "cpu_traits.hpp"

namespace heddle::backends {

/// Bytes of scratch of a team of one thread: as much as on a large GPU, and little enough to stay
/// in the caches of a core.
inline constexpr std::size_t host_scratch_bytes = std::size_t{256} << 10;

inline void* allocate_host_scratch(std::align_val_t alignment) {
  void* const memory = ::operator new(host_scratch_bytes, alignment, std::nothrow);
  if (memory) return memory;
  throw OutOfMemory(
      "the host has no " + std::to_string(host_scratch_bytes) + " bytes for a thread's scratch",
      "free memory");
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

/// The processor's name as Linux reports it, or "CPU" if there is none.
inline std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "CPU";
}

template <BackendIs<Host> Exec>
std::size_t max_scratch_bytes(const Exec&) {
  return host_scratch_bytes;
}

template <BackendIs<Host> Exec>
Device describe_device(const Exec& exec) {
  static const std::string name = processor_name();
  Device device;
  device.name = name;
  device.multiprocessors = threads_at_once(exec);
  device.threads_per_multiprocessor = 1;
  device.cache_bytes = last_level_cache_bytes();
  device.scratch_bytes = max_scratch_bytes(exec);
  return device;
}

}  // namespace heddle::backends
