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
using ThisMemory = KokkosMemory;  // not all of them can distinguish device code
#elif defined(HEDDLE_EMULATED)
using ThisMemory = EmulatedMemory;  // outside of a lane the host's
#else
using ThisMemory = HostMemory;
#endif

/// Stores `value` (4 or 8 bytes) so that a thread of this device that sees it through await or
/// acquire also sees everything this thread wrote before (release).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void publish(T* place, T value) {
  ThisMemory::publish(place, value);
}

/// The value last published at `place`; its writer's earlier writes become visible.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T acquire(const T* place) {
  return ThisMemory::acquire(place);
}

namespace detail {

/// Polls after which a wait for a posted value pauses at each; most waits are shorter than a pause.
inline constexpr int polls_before_pause = 8;

/// await and collect by the words of Memory, whose pause yields the core of a CPU's thread. Tests
/// count the pauses.
template <class Memory, class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T await(const T* place, Ready& ready) {
  T value = Memory::acquire(place);
  while (!ready(value)) {
    Memory::pause();
    value = Memory::acquire(place);
  }
  return value;
}
template <class Memory, class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T collect(const T* place, Ready& ready) {
  T value = Memory::peek(place);
  for (int poll = 1; !ready(value); ++poll) {
    if (poll > polls_before_pause) Memory::pause();
    value = Memory::peek(place);
  }
  return value;
}

}  // namespace detail

/// Waits until `ready(value)` holds for the value published at `place`, and returns it. It ends
/// only if the publisher is resident or finished: the caller's launch must ensure that.
template <class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T await(const T* place, Ready ready) {
#ifdef HEDDLE_EMULATED
  return ThisMemory::await(place, ready);  // other lanes run meanwhile
#else
  return detail::await<ThisMemory>(place, ready);
#endif
}

/// Stores `value` (4 or 8 bytes) for another thread of this device to read. Orders nothing else,
/// and so need not wait for earlier writes (relaxed).
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void post(T* place, T value) {
  ThisMemory::post(place, value);
}

/// The value last posted at `place`, as far as this thread can see. Orders nothing.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T look(const T* place) {
  return ThisMemory::peek(place);
}

/// Reads as look does into `value` if `wanted`; otherwise `value` is unchanged and nothing is read.
/// No branch on CUDA, so that successive reads are in flight together.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION void look_if(const T* place, bool wanted, T& value) {
  ThisMemory::peek_if(place, wanted, value);
}

/// Waits until `ready(value)` holds for the value posted at `place`, and returns it. It ends under
/// the same condition as await.
template <class T, class Ready>
KOKKOS_FORCEINLINE_FUNCTION T collect(const T* place, Ready ready) {
#ifdef HEDDLE_EMULATED
  return ThisMemory::collect(place, ready);  // other lanes run meanwhile
#else
  return detail::collect<ThisMemory>(place, ready);
#endif
}

/// Counts this thread in and returns how many arrived before. What a thread wrote before it arrived
/// is visible to those that arrive later and then call fence(), which only the last need do. It
/// does not wait.
KOKKOS_FORCEINLINE_FUNCTION int arrive(int* counter) { return ThisMemory::arrive(counter); }

/// Orders this thread's accesses before it against those after it, for the whole device.
KOKKOS_FORCEINLINE_FUNCTION void fence() { ThisMemory::fence(); }

/// The value at `place`, which no thread writes meanwhile, if it is `wanted`; otherwise zero, and
/// `place` may be invalid. Unlike a branch it does not keep a GPU from having many loads in flight.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load(const T* place, bool wanted) {
  return ThisMemory::load(place, wanted);
}

/// Loads as load does what no thread reads again soon, with as little use of the caches as the
/// device allows: matrix entries stream through, x stays cached.
template <class T>
KOKKOS_FORCEINLINE_FUNCTION T load_once(const T* place, bool wanted) {
  return ThisMemory::load_once(place, wanted);
}

}  // namespace heddle::backends
