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

/// A contiguous View of any space as a list.
template <class View>
auto copy_out(const View& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return std::vector<typename View::non_const_value_type>(host.data(), host.data() + host.size());
}

}  // namespace heddle::test
