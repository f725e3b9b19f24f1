// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace heddle::backends {

/// Streams of a GPU, of type Stream. `get_device(&number)` and `set_device(number)` are the
/// runtime's functions, which return 0 on success, and `device_of` the member of Exec that returns
/// the device of an instance.
template <class Exec, class Stream, auto get_device, auto set_device, auto device_of>
struct GpuStreams {
  static int current_device() {
    int device = -1;
    return static_cast<int>(get_device(&device)) == 0 ? device : -1;
  }
  static void set_current_device(int device) { static_cast<void>(set_device(device)); }
  static Exec instance(std::uintptr_t handle) {
    // A graph can capture Kokkos' stream, but not the default one.
    if (handle == 0 && current_device() == (Exec().*device_of)()) return Exec();
    return Exec(reinterpret_cast<Stream>(handle));
  }
};

}  // namespace heddle::backends
