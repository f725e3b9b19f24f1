// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <fstream>
#include <string>

#include "../../core/device.hpp"
#include "../../core/types.hpp"
#include "../lanes.hpp"
#include "../threads_at_once.hpp"
#include "scratch.hpp"

namespace heddle::backends {

/// The processor's name as Linux tells it, or "CPU" where it does not.
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
#ifdef _SC_LEVEL3_CACHE_SIZE
  static const long cache_bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  device.cache_bytes = cache_bytes > 0 ? static_cast<std::size_t>(cache_bytes) : 0;
#endif
  device.scratch_bytes = max_scratch_bytes(exec);
  return device;
}

}  // namespace heddle::backends
