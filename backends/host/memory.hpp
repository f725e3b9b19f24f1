// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <atomic>
#include <cstdint>
#include <thread>

namespace heddle::backends {

/// Memory order between the threads of a CPU.
struct HostMemory {
  template <class T>
  static void publish(T* place, T value) {
    std::atomic_ref<T>(*place).store(value, std::memory_order_release);
  }
  template <class T>
  static T acquire(const T* place) {
    return std::atomic_ref<T>(*const_cast<T*>(place)).load(std::memory_order_acquire);
  }
  template <class T>
  static void post(T* place, T value) {
    std::atomic_ref<T>(*place).store(value, std::memory_order_relaxed);
  }
  template <class T>
  static T peek(const T* place) {
    return std::atomic_ref<T>(*const_cast<T*>(place)).load(std::memory_order_relaxed);
  }
  template <class T>
  static void peek_if(const T* place, bool wanted, T& value) {
    if (wanted) value = peek(place);
  }
  /// With the fence that follows, release would suffice; but the thread sanitizer ignores fences.
  static int arrive(int* counter) {
    return std::atomic_ref<int>(*counter).fetch_add(1, std::memory_order_acq_rel);
  }
  static std::uint32_t next_ticket(std::uint32_t* next, std::uint32_t teams) {
    const std::uint32_t ticket =
        std::atomic_ref<std::uint32_t>(*next).fetch_add(1, std::memory_order_relaxed);
    if (ticket == teams - 1) post(next, std::uint32_t{0});
    return ticket;
  }
  static void fence() { std::atomic_thread_fence(std::memory_order_seq_cst); }
  /// There may be more threads than cores: the one that is waited for must get to run.
  static void pause() { std::this_thread::yield(); }
  template <class T>
  static T load(const T* place, bool wanted) {
    return wanted ? *place : T(0);
  }
  template <class T>
  static T load_once(const T* place, bool wanted) {
    return load(place, wanted);
  }
};

}  // namespace heddle::backends
