// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "entry_keys.hpp"

namespace heddle::recipe {

/// Keys of all panels together, and panels one of whose rows has keys that do not ascend.
struct KeySums {
  std::int64_t keys = 0;
  std::int64_t descents = 0;
};
struct KeySumsKernel {
  using value_type = KeySums;
  const std::int64_t* counts;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.keys += other.keys;
    sums.descents += other.descents;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t panel, value_type& sums) const {
    sums.keys += counts[panel] < 0 ? 0 : counts[panel];
    sums.descents += counts[panel] < 0;
  }
};

template <class AnyEntries>
struct PutPanelKey {
  AnyEntries entries;
  std::int64_t first_key;
  std::int64_t range;
  std::int64_t stop;
  std::uint64_t* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const Point point = entries.point(row, k);
    keys[k] = static_cast<std::uint64_t>(point.taken ? point.row * range + point.column - first_key
                                                     : stop);
  }
};

/// Of sorted keys, those that differ from the one before; `stop` is none.
struct ListDifferent {
  const std::uint64_t* sorted;
  std::uint64_t stop;
  std::uint64_t* different;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum, bool last) const {
    const std::uint64_t key = sorted[i];
    if (key == stop || (i > 0 && sorted[i - 1] == key)) return;
    if (last) different[sum] = key;
    ++sum;
  }
};

template <class Key>
struct WriteSortedKeys {
  const std::uint64_t* different;
  std::int64_t range;
  std::int64_t first_key;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    keys[i] = static_cast<Key>(static_cast<std::int64_t>(different[i]) % range + first_key);
  }
};

template <class AnyEntries, class Pointer, class Key>
struct WriteMergedKeys {
  AnyEntries entries;
  std::int64_t panel_rows;
  std::int64_t first_key;
  const typename AnyEntries::Off* merged;
  const std::int64_t* counts;
  const Pointer* key_ptr;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t panel) const {
    const std::int64_t from = entries.begin(panel * panel_rows);
    const auto to = static_cast<std::int64_t>(key_ptr[panel]);
    for (std::int64_t i = 0; i < counts[panel]; ++i) {
      keys[to + i] = static_cast<Key>(static_cast<std::int64_t>(merged[from + i]) + first_key);
    }
  }
};

/// A scan over the words of all panels: where the keys of each panel begin, and the keys.
template <class Pointer, class Key>
struct WriteMarkedKeys {
  const std::uint32_t* bits;
  std::int64_t panels;
  std::int64_t words;
  std::int64_t first_key;
  Pointer* key_ptr;
  Key* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t w, std::int64_t& sum, bool last) const {
    const std::int64_t panel = w / words;
    if (last && w == panel * words) key_ptr[panel] = static_cast<Pointer>(sum);
    if (panel == panels) return;
    if (last) {
      std::int64_t to = sum;
      for (int bit = 0; bit < 32; ++bit) {
        if (((bits[w] >> bit) & 1) == 0) continue;
        keys[to++] = static_cast<Key>((w - panel * words) * 32 + bit + first_key);
      }
    }
    sum += Kokkos::popcount(bits[w]);
  }
};

}  // namespace heddle::recipe
