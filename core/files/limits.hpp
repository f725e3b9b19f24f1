// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cstdint>
#include <limits>
#include <string>

#include "../error.hpp"
#include "options.hpp"

namespace heddle::files {

/// Bytes of memory this machine has; the largest number where that cannot be asked.
inline std::uint64_t machine_memory_bytes() {
#if defined(_SC_PHYS_PAGES) && defined(_SC_PAGESIZE)
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages > 0 && page_bytes > 0) {
    return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
#endif
  return std::numeric_limits<std::uint64_t>::max();
}

inline std::uint64_t byte_limit(const ReadOptions& options) {
  return options.max_bytes > 0 ? options.max_bytes : machine_memory_bytes();
}

inline Error error_beyond_limit(const std::string& what, const ReadOptions& options,
                                const Where& where) {
  return Error(what + " takes more than " + std::to_string(byte_limit(options)) + " bytes", where,
               options.max_bytes > 0 ? "raise ReadOptions::max_bytes"
                                     : "read it on a machine with more memory");
}

inline Error out_of_memory(const std::string& name, const std::string& doing = "read") {
  return Error("there is not enough memory to " + doing + " the matrix", Where{.file = name},
               doing + " it on a machine with more memory");
}

}  // namespace heddle::files
