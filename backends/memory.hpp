// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "host/memory.hpp"
#include "kokkos/memory.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "cuda/memory.hpp"
#endif
#ifdef KOKKOS_ENABLE_HIP
#include "hip/memory.hpp"
#endif
#ifdef HEDDLE_EMULATED
#include "emulated/memory.hpp"
#endif

namespace heddle::backends {

#if defined(__CUDA_ARCH__)
using ThisMemory = CudaMemory;
#elif defined(__HIP_DEVICE_COMPILE__)
using ThisMemory = HipMemory;
#elif defined(KOKKOS_ENABLE_SYCL) || defined(KOKKOS_ENABLE_OPENMPTARGET) || \
    defined(KOKKOS_ENABLE_OPENACC)
using ThisMemory = KokkosMemory;  // not every one of them tells its device's pass from the host's
#elif defined(HEDDLE_EMULATED)
using ThisMemory = EmulatedMemory;  // the host's outside of a lane
#else
using ThisMemory = HostMemory;
#endif

/// Stores `value` (4 or 8 bytes) so that a thread of this device that sees it through await or
/// acquire also sees everything this thread wrote before.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void publish(T* place, T value) {
  ThisMemory::publish(place, value);
}

/// What was last published at `place`, and all that its writer wrote before.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T acquire(const T* place) {
  return ThisMemory::acquire(place);
}

/// Waits until `ready(value)` holds for what is published at `place`, and returns that value. It
/// ends only if the publisher is resident or finished: the caller's launch must see to that.
template <class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T await(const T* place, Ready ready) {
#ifdef HEDDLE_EMULATED
  return ThisMemory::await(place, ready);  // others go on meanwhile
#else
  T value = acquire(place);
  while (!ready(value)) {
    ThisMemory::pause();
    value = acquire(place);
  }
  return value;
#endif
}

/// Stores `value` (4 or 8 bytes) where another thread of this device looks for it. Orders nothing
/// else, and so need not wait for what was written before.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void post(T* place, T value) {
  ThisMemory::post(place, value);
}

/// What was last posted at `place`, as far as this thread can see. Orders nothing.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T look(const T* place) {
  return ThisMemory::peek(place);
}

/// The same into `value` where it is wanted; elsewhere `value` stays as it is and nothing is read.
/// No branch on CUDA, so that looks that follow each other are under way together.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void look_if(const T* place, bool wanted, T& value) {
  ThisMemory::peek_if(place, wanted, value);
}

/// Waits until `ready(value)` holds for what is posted at `place`, and returns that value. Ends
/// under the same condition as await.
template <class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T collect(const T* place, Ready ready) {
#ifdef HEDDLE_EMULATED
  return ThisMemory::collect(place, ready);  // others go on meanwhile
#else
  constexpr int spin_looks = 8;  // most waits are shorter than a pause
  T value = ThisMemory::peek(place);
  for (int look = 1; !ready(value); ++look) {
    if (look > spin_looks) ThisMemory::pause();
    value = ThisMemory::peek(place);
  }
  return value;
#endif
}

/// Counts this thread in and returns how many came before. What a thread wrote before it arrived is
/// seen by those that arrive later and then call fence(), which only the last need do. Nobody
/// waits.
KOKKOS_FORCEINLINE_FUNCTION int arrive(int* counter) { return ThisMemory::arrive(counter); }

/// Orders this thread's accesses before it against those after it, for the whole device.
KOKKOS_FORCEINLINE_FUNCTION void fence() { ThisMemory::fence(); }

/// Reads what no thread writes meanwhile, if it is wanted, and is zero if not, whatever `place` is
/// then. Unlike a branch it does not keep a GPU from having many loads in flight.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load(const T* place, bool wanted) {
  return ThisMemory::load(place, wanted);
}

/// The same for what no thread reads again soon, with as little trace in the caches as the device
/// allows: matrix entries pass through, x stays.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_once(const T* place, bool wanted) {
  return ThisMemory::load_once(place, wanted);
}

}  // namespace heddle::backends
