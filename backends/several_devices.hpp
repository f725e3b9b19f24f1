// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../core/types.hpp"
#include "host/several_devices.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/several_devices.hpp"
#endif

namespace heddle {

/// Number of devices that one process can use: those that CUDA sees, elsewhere 1.
template <ExecutionSpace Exec>
int device_count() {
  return backends::SeveralDevices<Exec>::count();
}

/// A queue of a device: `DeviceQueue(device, priority)` for a device from 0 to device_count() - 1,
/// with QueuePriority::normal if none is given. exec() is an instance on a new stream of it, and
/// elsewhere than on CUDA the default instance. Movable. Queues are destroyed before
/// Kokkos::finalize, and after all that uses them.
template <ExecutionSpace Exec>
using DeviceQueue = typename backends::SeveralDevices<Exec>::Queue;

/// A point in the queue of an instance, for which queues of other devices can wait. Made for the
/// device of an instance. Movable.
///
/// - `record(exec)`: the point is after all work that is queued on `exec`, an instance of the
///   event's device. Replaces the point recorded before;
/// - `hold(exec)`: work that is queued on `exec` from now on, an instance of any device, begins
///   after the recorded point. Does nothing if none is recorded.
///
/// On CUDA neither waits; elsewhere record() waits for `exec`. Calls for one event by several
/// threads are ordered by the program: a hold() finds what was recorded when it is called.
template <ExecutionSpace Exec>
using DeviceEvent = typename backends::SeveralDevices<Exec>::Event;

/// Lets copies between memory of the devices of two instances, as Kokkos::deep_copy(exec, to, from)
/// queues them, and kernels' accesses, go from device to device. Returns whether they do; if not,
/// copies pass through the host's memory.
template <ExecutionSpace Exec>
bool connect_devices(const Exec& first, const Exec& second) {
  return backends::SeveralDevices<Exec>::connect(first, second);
}

}  // namespace heddle
