// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <vector>

namespace heddle::test {

/// A list in the memory of a device.
template <class Space, class T>
Kokkos::View<T*, Space> copy_in(const std::vector<T>& values) {
  const Kokkos::View<T*, Space> view("heddle::test::array", values.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged> host(values.data(),
                                                                                values.size());
  Kokkos::deep_copy(view, host);
  return view;
}

}  // namespace heddle::test
