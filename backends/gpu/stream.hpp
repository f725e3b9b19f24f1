// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::backends {

/// Streams of a GPU, of type Stream. `get_device(&number)` is the driver's, which returns 0, and
/// `device_of` the member of Exec that says on which device an instance runs.
template <class Exec, class Stream, auto get_device, auto device_of>
struct GpuStreams {
  static int current_device() {
    int device = -1;
    return static_cast<int>(get_device(&device)) == 0 ? device : -1;
  }
  static Exec instance(std::uintptr_t handle) {
    // Kokkos' stream can be captured in a graph, and the default one cannot.
    if (handle == 0 && current_device() == (Exec().*device_of)()) return Exec();
    return Exec(reinterpret_cast<Stream>(handle));
  }
};

}  // namespace heddle::backends
