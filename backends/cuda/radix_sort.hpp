// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

#include "launch.hpp"

namespace heddle::backends {

/// The radix sort of CUB, which reads and writes a pair once a pass of eight bits (A. Adinets and
/// D. Merrill, "Onesweep", 2022).
struct CudaRadixSort {
  static constexpr bool exists = true;

  /// Workspace query: bytes that sort() needs for `count` keys of any bits.
  template <class Key, class Value>
  static std::size_t bytes(const Kokkos::Cuda& exec, Value count) {
    using Bits = std::make_unsigned_t<Key>;
    std::size_t bytes = 0;
    make_current(exec, "heddle::sort::bytes");
    check_launch("heddle::sort::bytes",
                 cub::DeviceRadixSort::SortPairs(
                     nullptr, bytes, static_cast<const Bits*>(nullptr), static_cast<Bits*>(nullptr),
                     static_cast<const Value*>(nullptr), static_cast<Value*>(nullptr), count, 0,
                     static_cast<int>(8 * sizeof(Key)), exec.cuda_stream()));
    return bytes;
  }

  /// Sorts keys of at most `bits` bits into sorted_keys, and the values with them; stable. If the
  /// values are null, keys alone. No input is an output. Queued on `exec`; no wait.
  template <class Key, class Value>
  static void sort(const Kokkos::Cuda& exec, const char* label, void* work, std::size_t bytes,
                   const Key* keys, Key* sorted_keys, const Value* values, Value* sorted_values,
                   Value count, int bits) {
    using Bits = std::make_unsigned_t<Key>;
    const auto* const from = reinterpret_cast<const Bits*>(keys);
    auto* const to = reinterpret_cast<Bits*>(sorted_keys);
    const ProfiledKernel profiled(exec, label);
    make_current(exec, label);
    check_launch(label, values ? cub::DeviceRadixSort::SortPairs(work, bytes, from, to, values,
                                                                 sorted_values, count, 0, bits,
                                                                 exec.cuda_stream())
                               : cub::DeviceRadixSort::SortKeys(work, bytes, from, to, count, 0,
                                                                bits, exec.cuda_stream()));
  }
};

}  // namespace heddle::backends
