// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../core/arena.hpp"
#include "../../core/partition.hpp"
#include "../../core/search.hpp"
#include "../loops.hpp"
#include "../threads_at_once.hpp"

namespace heddle::detail {

/// Number of shares for the threads of a CPU, each of which needs an array of `keys` numbers: at
/// most four numbers for each item and key, so that the arrays cost no more than the items.
template <ExecutionSpace Exec>
std::int64_t shares_with_keys(const Exec& exec, std::int64_t items, std::int64_t keys) {
  const std::int64_t fitting = keys > 0 ? 4 * (items + keys) / keys : 1;
  return std::min<std::int64_t>(fitting, std::max(1, backends::threads_at_once(exec)));
}

/// The entries of a CSR pattern, with their columns as keys and their rows as items.
template <Ordinal O, Offset Off>
struct EntriesByColumn {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;

  /// visit(k, column, row) for each entry begin <= k < end, in their order.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t begin, std::int64_t end,
                                        const Visit& visit) const {
    if (begin == end) return;
    std::int64_t row = last_not_above(row_ptr, std::int64_t{0}, rows, begin);
    for (std::int64_t k = begin; k < end; ++row) {
      const auto row_end = static_cast<std::int64_t>(row_ptr[row + 1]);
      const std::int64_t stop = row_end < end ? row_end : end;
      for (; k < stop; ++k) visit(k, col_idx[k], static_cast<O>(row));
    }
  }
};

/// Number of items of each key in each share: counters[share * keys + key].
template <class Items, Offset Off>
struct CountKeys {
  Items items;
  EqualShares shares;
  std::int64_t keys;
  Off* counters;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    Off* const mine = counters + share * keys;
    for (std::int64_t key = 0; key < keys; ++key) mine[key] = Off(0);
    items.walk(shares.begin(share), shares.begin(share + 1),
               [mine](std::int64_t, auto key, auto) { ++mine[key]; });
  }
};

/// Prefix sum over keys and, within a key, over shares: counters become places.
template <Offset Off>
struct PlaceKeys {
  Off* counters;
  Off* starts;
  std::int64_t keys;
  std::int64_t shares;

  KOKKOS_FUNCTION void operator()(std::int64_t key, Off& sum, bool last) const {
    if (last) starts[key] = sum;
    if (key == keys) return;
    for (std::int64_t share = 0; share < shares; ++share) {
      Off& counter = counters[share * keys + key];
      const Off count = counter;
      if (last) counter = sum;
      sum += count;
    }
  }
};

template <class Items, class Put, Offset Off>
struct MoveByKey {
  Items items;
  EqualShares shares;
  std::int64_t keys;
  Off* places;
  Put put;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    Off* const next = places + share * keys;
    const Put to = put;  // a copy stays in registers, since no store can change it
    items.walk(shares.begin(share), shares.begin(share + 1),
               [&](std::int64_t k, auto key, auto item) {
                 to(static_cast<std::int64_t>(next[key]++), item, k);
               });
  }
};

/// Stable counting sort on the threads of a CPU: one pass counts the keys, another moves the items.
/// Items have walk(begin, end, visit), which calls visit(k, key, item) for numbers k from `begin`
/// to `end`, in ascending order; it may leave out some. Deterministic, for any number of threads.
/// Holds counters, at most four for each item and key, until its destructor, which waits for
/// `exec`.
template <ExecutionSpace Exec, Offset Off>
class CountingSort {
  static_assert(backends::runs_on_host<Exec>, "a device with lanes has RadixSort");

 public:
  /// For numbers below `items`, and keys below `keys`.
  CountingSort(const Exec& exec, std::int64_t items, std::int64_t keys)
      : shares_{items, shares_with_keys(exec, items, keys)},
        keys_(keys),
        work_(exec, "heddle::sort::counters", arena_array(counters_, shares_.count * keys)) {}

  /// Writes the place of the first item of each key, and the number of items to starts[keys].
  template <class Items>
  void count(const Exec& exec, const Items& items, Off* starts) const {
    parallel_for(exec, "heddle::sort::count_keys", shares_.count,
                 CountKeys<Items, Off>{items, shares_, keys_, counters_});
    Kokkos::parallel_scan("heddle::sort::place_keys", scan_policy(exec, keys_ + 1),
                          PlaceKeys<Off>{counters_, starts, keys_, shares_.count});
  }
  /// put(place, item, k) for each item, once after count().
  template <class Items, class Put>
  void move(const Exec& exec, const Items& items, const Put& put) const {
    parallel_for(exec, "heddle::sort::move_by_key", shares_.count,
                 MoveByKey<Items, Put, Off>{items, shares_, keys_, counters_, put});
  }

 private:
  EqualShares shares_;
  std::int64_t keys_;
  Off* counters_ = nullptr;
  Arena<typename Exec::memory_space> work_;
};

/// Writes an item and its number.
template <Ordinal O, Offset Off>
struct PutItem {
  O* items;
  Off* source;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, O item, std::int64_t k) const {
    items[place] = item;
    source[place] = static_cast<Off>(k);
  }
};

}  // namespace heddle::detail
