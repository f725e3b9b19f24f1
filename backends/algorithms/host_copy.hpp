// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

#include "../../core/types.hpp"

namespace heddle::detail::ordered {

/// Copy on the host of from[0] to from[count - 1] in device memory. Waits for `exec`, by a fence
/// with this label.
template <ExecutionSpace Exec, class T>
std::vector<T> copied_to_host(const Exec& exec, const char* label, const T* from,
                              std::int64_t count) {
  std::vector<T> host(static_cast<std::size_t>(count));
  Kokkos::deep_copy(
      kokkos_space(exec),
      Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(host.data(), host.size()),
      Kokkos::View<const T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(from,
                                                                                   host.size()));
  exec.fence(label);
  return host;
}

/// Copies `from` to the device, in the order of `exec`; wait for `exec` before `from` is destroyed.
template <ExecutionSpace Exec, class T>
void copy_from_host(const Exec& exec, T* to, const std::vector<T>& from) {
  Kokkos::deep_copy(
      kokkos_space(exec),
      Kokkos::View<T*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>(to, from.size()),
      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(from.data(), from.size()));
}

}  // namespace heddle::detail::ordered
