// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <type_traits>

#include "../../core/arena.hpp"
#include "../../core/search.hpp"
#include "../launch.hpp"
#include "../loops.hpp"
#include "../radix_sort.hpp"
#include "../subwarp.hpp"
#include "../threads_at_once.hpp"

namespace heddle::detail {

/// Position of a lane among the lanes of its subwarp that have the same key.
struct SameLanes {
  int below;  ///< number of such lanes below this one
  bool last;  ///< whether no such lane is above
};

/// Compares the lowest `bits` bits of the keys of lanes with `taken`, by one ballot a bit. All
/// lanes call it, with the same `bits`.
template <class Subwarp, class Key>
KOKKOS_FORCEINLINE_FUNCTION SameLanes same_lanes(const Subwarp& subwarp, Key key, int bits,
                                                 bool taken) {
  if constexpr (Subwarp::width == 1) {
    return {0, true};
  } else {
    std::uint64_t same = subwarp.ballot(taken);
    for (int bit = 0; bit < bits; ++bit) {
      const bool one = ((key >> bit) & 1) != 0;
      const std::uint64_t ones = subwarp.ballot(one);
      same &= one ? ones : ~ones;
    }
    const std::uint64_t self = std::uint64_t{1} << subwarp.lane();
    return {popcount(same & (self - 1)), same >> subwarp.lane() == 1};
  }
}

/// One digit of the keys, of up to MostBits bits. A subwarp takes a segment of consecutive entries,
/// in order and with coalesced loads, and counts each digit in its own counters. A team takes
/// consecutive segments: a chunk.
template <class Key, Offset Off, int MostBits, int Subwarps>
struct Digit {
  using KeyType = Key;
  using OffsetType = Off;
  static constexpr int most_bits = MostBits;
  static constexpr int most_values = 1 << most_bits;
  static constexpr int width = 32, threads = width * Subwarps;
  using Shape = backends::Shape<width, threads>;
  struct Counters {
    Off of[Subwarps][most_values];
  };

  const Key* keys;
  std::int64_t entries;
  std::int64_t segment;
  int shift;
  int bits;

  KOKKOS_FORCEINLINE_FUNCTION int values() const { return 1 << bits; }

  /// Calls visit(k, key, counter of its digit) for each entry, and then increments the counter.
  template <class Team, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void walk(const Team& team, Counters& counters,
                                        const Visit& visit) const {
    const auto subwarp = team.subwarp();
    Off* const mine = counters.of[team.subwarp_index()];
    const std::int64_t begin = (team.index() * Team::subwarps + team.subwarp_index()) * segment;
    const std::int64_t end = begin + segment < entries ? begin + segment : entries;
    std::int64_t k = begin + subwarp.lane();
    Key key = k < end ? keys[k] : Key(0);
    for (std::int64_t batch = begin; batch < end; batch += Team::subwarp_width) {
      const std::int64_t ahead = k + Team::subwarp_width;
      const Key key_ahead = ahead < end ? keys[ahead] : Key(0);
      const int digit = static_cast<int>((static_cast<std::make_unsigned_t<Key>>(key) >> shift) &
                                         (most_values - 1) & static_cast<unsigned>(values() - 1));
      const SameLanes same = same_lanes(subwarp, digit, bits, k < end);
      const Off to = mine[digit] + static_cast<Off>(same.below);
      subwarp.sync();
      if (k < end) {
        visit(k, key, to);
        if (same.last) mine[digit] = to + 1;
      }
      subwarp.sync();
      k = ahead;
      key = key_ahead;
    }
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void count(const Team& team, Counters& counters) const {
    for (int i = team.thread(); i < Team::subwarps * values(); i += Team::threads) {
      counters.of[i >> bits][i & (values() - 1)] = Off(0);
    }
    team.barrier();
    walk(team, counters, [](std::int64_t, Key, Off) {});
    team.barrier();
  }
};

/// Number of entries of each digit in each chunk: first[digit * chunks + chunk].
template <class Pass>
struct CountDigits {
  using Scratch = typename Pass::Counters;
  using Off = typename Pass::OffsetType;

  Pass digit;
  std::int64_t chunks;
  Off* first;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& counters) const {
    digit.count(team, counters);
    for (int value = team.thread(); value < digit.values(); value += Team::threads) {
      Off sum = 0;
      for (int s = 0; s < Team::subwarps; ++s) sum += counters.of[s][value];
      first[value * chunks + team.index()] = sum;
    }
  }
};

/// Stable scatter by digit. first[digit * chunks + chunk] is the place of a chunk's first entry of
/// a digit. The values moved with the keys are from[k], or k if `from` is null; none are moved if
/// `to` is null.
template <class Pass>
struct MoveByDigit {
  using Scratch = typename Pass::Counters;
  using Key = typename Pass::KeyType;
  using Off = typename Pass::OffsetType;

  Pass digit;
  std::int64_t chunks;
  const Off* first;
  const Off* from;
  Key* to_keys;
  Off* to;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& counters) const {
    if constexpr (Team::subwarps > 1) digit.count(team, counters);
    for (int value = team.thread(); value < digit.values(); value += Team::threads) {
      Off next = first[value * chunks + team.index()];
      for (int s = 0; s < Team::subwarps; ++s) {
        const Off count = Team::subwarps > 1 ? counters.of[s][value] : Off(0);
        counters.of[s][value] = next;
        next += count;
      }
    }
    team.barrier();
    digit.walk(team, counters, [&](std::int64_t k, Key key, Off place) {
      to_keys[place] = key;
      if (to) to[place] = from ? from[k] : static_cast<Off>(k);
    });
  }
};

/// Stable radix sort of keys that are not negative, with the permutation if wanted. It sorts by
/// eight bits at a time (eleven on a CPU), lowest first. The time depends only on the number of
/// keys and the largest one. Deterministic: no atomic operations.
///
/// Holds one workspace until its destructor, which waits for `exec`: two keys an entry, with
/// `order` also an offset an entry, and counters of 1/16 to 1/8 of an offset an entry. Source: M.
/// Zagha and G. Blelloch, "Radix sort for vector multiprocessors", SC 1991.
template <ExecutionSpace Exec, std::integral Key, Offset Off,
          bool ByDevice = backends::DeviceRadixSort<Exec>::exists>
class RadixSort {
 public:
  using Space = typename Exec::memory_space;

  /// A subwarp takes `segment` consecutive entries; 0: the best number for `exec`.
  RadixSort(const Exec& exec, std::int64_t entries, bool order = true, std::int64_t segment = 0)
      : entries_(entries), segment_(segment > 0 ? segment : best_segment(exec, entries)) {
    const int subwarps = Pass::threads / Pass::width;
    chunks_ = ceil_div(entries, segment_ * subwarps);
    const auto count = static_cast<std::size_t>(entries), moved = order ? count : 0;
    const auto counters = static_cast<std::size_t>(Pass::most_values * chunks_);
    work_ = Arena<Space>(exec, "heddle::sort::work",
                         arena_bytes<Key, Key, Off, Off>(count, count, moved, counters));
    for (Key*& keys : keys_) keys = work_.template take<Key>(count).data();
    other_order_ = work_.template take<Off>(moved).data();
    first_ = work_.template take<Off>(counters).data();
  }

  /// Buffer of one key an entry: for keys to be sorted, and after sort() for the caller's use.
  Key* room() const { return keys_[1 - result_]; }
  /// Keys that were sorted last.
  const Key* sorted() const { return keys_[result_]; }

  /// Writes the keys to sorted() in ascending order, and to order[i] the old place of the i-th.
  /// `keys` may be room(); otherwise it is not changed. No key may exceed `largest`. `order` may be
  /// null, and must be if the constructor's `order` was false. Three launches for each digit of
  /// `largest`, in the order of `exec`; no wait.
  void sort(const Exec& exec, const Key* keys, Key largest, Off* order) {
    const int bits = std::max(
        1, static_cast<int>(std::bit_width(static_cast<std::make_unsigned_t<Key>>(largest))));
    const int passes = ceil_div(bits, Pass::most_bits), digit_bits = ceil_div(bits, passes);
    const Off* from = nullptr;
    for (int pass = 0; pass < passes; ++pass) {
      Off* const to = !order || (passes - pass) % 2 == 1 ? order : other_order_;
      result_ = pass % 2;
      const int low = pass * digit_bits;
      const Pass digit{keys, entries_, segment_, low, std::min(digit_bits, bits - low)};
      backends::launch<typename Pass::Shape>(exec, "heddle::sort::count", chunks_,
                                             CountDigits<Pass>{digit, chunks_, first_});
      scan(exec, digit.values() * chunks_);
      backends::launch<typename Pass::Shape>(
          exec, "heddle::sort::move", chunks_,
          MoveByDigit<Pass>{digit, chunks_, first_, from, keys_[result_], to});
      keys = keys_[result_];
      from = to;
    }
  }

  void scan(const Exec& exec, std::int64_t count) const {
    running_sum<Off>(exec, "heddle::sort::scan", first_, count - 1, Terms<Off>{first_});
  }

 private:
  /// The counters fit into the scratch of a GPU, and into the first-level cache of a CPU.
  static constexpr bool lanes = backends::has_lanes<Exec>;
  using Pass = Digit<Key, Off, lanes ? 8 : 11, lanes ? 8 : 1>;

  /// A thread of a CPU takes its share as one segment.
  static std::int64_t best_segment(const Exec& exec, std::int64_t entries) {
    if constexpr (backends::has_lanes<Exec>) {
      return 512;
    } else {
      return std::max<std::int64_t>(
          16384, ceil_div<std::int64_t>(entries, backends::threads_at_once(exec)));
    }
  }

  std::int64_t entries_;
  std::int64_t segment_;
  std::int64_t chunks_;
  int result_ = 0;
  Arena<Space> work_;
  Key* keys_[2];
  Off* other_order_;
  Off* first_;
};

template <class Off>
struct PutPlace {
  Off* place;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t k) const {
    place[k] = static_cast<Off>(k);
  }
};

/// Radix sort by the library of the device. Its workspace has one key and three offsets an entry
/// more.
template <ExecutionSpace Exec, std::integral Key, Offset Off>
class RadixSort<Exec, Key, Off, true> {
 public:
  using Space = typename Exec::memory_space;

  RadixSort(const Exec& exec, std::int64_t entries, bool order = true, std::int64_t /*segment*/ = 0)
      : entries_(entries) {
    if (entries == 0) return;
    const auto count = static_cast<std::size_t>(entries), moved = order ? count : 0;
    sort_bytes_ = DeviceSort::template bytes<Key>(exec, static_cast<Off>(entries));
    work_ = Arena<Space>(exec, "heddle::sort::work",
                         arena_bytes<Key, Key, Off, std::byte>(count, count, moved, sort_bytes_));
    for (Key*& keys : keys_) keys = work_.template take<Key>(count).data();
    places_ = work_.template take<Off>(moved).data();
    sort_work_ = work_.template take<std::byte>(sort_bytes_).data();
  }

  Key* room() const { return keys_[1]; }
  const Key* sorted() const { return keys_[0]; }

  void sort(const Exec& exec, const Key* keys, Key largest, Off* order) {
    if (entries_ == 0) return;
    if (order) {
      Kokkos::parallel_for("heddle::sort::places", range_policy(exec, entries_),
                           PutPlace<Off>{places_});
    }
    const int bits = std::max(
        1, static_cast<int>(std::bit_width(static_cast<std::make_unsigned_t<Key>>(largest))));
    DeviceSort::sort(exec, "heddle::sort::by_device", sort_work_, sort_bytes_, keys, keys_[0],
                     order ? places_ : nullptr, order, static_cast<Off>(entries_), bits);
  }

 private:
  using DeviceSort = backends::DeviceRadixSort<Exec>;

  std::int64_t entries_;
  std::size_t sort_bytes_ = 0;
  Arena<Space> work_;
  Key* keys_[2] = {};
  Off* places_ = nullptr;
  std::byte* sort_work_ = nullptr;
};

template <class To, class Key>
struct WriteStarts {
  To* to;
  const Key* sorted;
  std::int64_t count;
  std::int64_t range;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = static_cast<To>(first_not_below(sorted, count, i * range));
  }
};

/// to[i], for each i <= n, is the place of the first of `count` sorted keys that is >= i * range.
template <ExecutionSpace Exec, class To, class Key>
void write_starts(const Exec& exec, const char* label, To* to, std::int64_t n, const Key* sorted,
                  std::int64_t count, std::int64_t range = 1) {
  Kokkos::parallel_for(label, range_policy(exec, n + 1),
                       WriteStarts<To, Key>{to, sorted, count, range});
}

}  // namespace heddle::detail
