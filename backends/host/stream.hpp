// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::backends {

/// Streams of an execution space without streams.
template <class Exec>
struct Streams {
  static constexpr int dlpack_device = 1;
  static int current_device() { return -1; }
  static void set_current_device(int) {}
  static Exec instance(std::uintptr_t) { return Exec(); }
};

}  // namespace heddle::backends
