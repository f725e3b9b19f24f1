// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../../backends/launch.hpp"
#include "entry_keys.hpp"

namespace heddle::recipe {

/// Sorts the keys of each long row in place, on a GPU: a team a row, by a bitonic network.
template <Offset Off>
struct SortLongRows {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<1, 128>;
  static constexpr std::int64_t short_row = 128;
  static constexpr std::int64_t teams = 1024;

  const Off* row_ptr;
  std::int64_t rows;
  Off* keys;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    for (std::int64_t row = team.index(); row < rows; row += teams) {
      const auto length = static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
      if (length > short_row) sort(team, keys + row_ptr[row], length);
    }
  }

  /// Source: K. Batcher, "Sorting networks and their applications", AFIPS 1968, with every
  /// comparator upwards, so that entries beyond the last count as infinite and are left out.
  template <class Team>
  KOKKOS_FUNCTION static void sort(const Team& team, Off* keys, std::int64_t length) {
    for (std::int64_t size = 2; size < 2 * length; size *= 2) {
      exchange(team, keys, length, size - 1);
      for (std::int64_t stride = size / 4; stride > 0; stride /= 2) {
        exchange(team, keys, length, stride);
      }
    }
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION static void exchange(const Team& team, Off* keys, std::int64_t length,
                                       std::int64_t bits) {
    for (std::int64_t i = team.thread(); i < length; i += Team::threads) {
      const std::int64_t partner = i ^ bits;
      if (partner <= i || partner >= length || keys[i] <= keys[partner]) continue;
      const Off larger = keys[i];
      keys[i] = keys[partner];
      keys[partner] = larger;
    }
    team.barrier();
  }
};

/// Most rows of a panel whose rows are merged; keys of taller panels are marked in a table.
inline constexpr int most_merged_rows = 64;

/// Keys of entries less `first_key`: from the matrix, and (StoredKeys) from sort_row_keys.
template <class AnyEntries>
struct MappedKeys {
  AnyEntries entries;
  std::int64_t first_key;

  /// The key of entry k, or -1 if it is not taken.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t row, std::int64_t k) const {
    const Point point = entries.point(row, k);
    return point.taken ? point.column - first_key : -1;
  }
};
template <class Off>
struct StoredKeys {
  const Off* keys;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t operator()(std::int64_t, std::int64_t k) const {
    return static_cast<std::int64_t>(keys[k]) - 1;
  }
};

/// The different keys of each panel, ascending: a subwarp a panel merges its rows, a lane a row (or
/// Cursors rows). Panel p's keys go to the places of its entries; counts[p] is their number, or ~
/// that if the keys of a row do not ascend, and the result means nothing.
template <class AnyEntries, class KeyOf, int Cursors>
struct MergeKernel {
  using Scratch = backends::NoScratch;
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  KeyOf key_of;
  int panel_rows;
  std::int64_t panels;
  Off* keys;
  std::int64_t* counts;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int width = Team::subwarp_width;
    constexpr int most = width == 1 ? most_merged_rows : Cursors;
    const auto subwarp = team.subwarp();
    const std::int64_t panel = team.index() * Team::subwarps + team.subwarp_index();
    if (panel >= panels) return;
    const int used = width == 1 ? panel_rows : Cursors;
    const std::int64_t first_row = panel * panel_rows;
    std::int64_t at[most], end[most], key[most];
    for (int c = 0; c < used; ++c) {
      const int in_panel = c * width + subwarp.lane();
      const std::int64_t row = in_panel < panel_rows ? first_row + in_panel : entries.rows;
      at[c] = entries.begin(row);
      end[c] = entries.end(row);
      key[c] = next(row, at[c], end[c]);
    }
    const std::int64_t to = entries.begin(first_row);
    std::int64_t count = 0;
    bool descends = false;
    while (true) {
      std::int64_t lowest = no_key;
      for (int c = 0; c < used; ++c) lowest = key[c] < lowest ? key[c] : lowest;
      lowest = -subwarp.max(-lowest);
      if (lowest == no_key) break;
      if (subwarp.lane() == 0) keys[to + count] = static_cast<Off>(lowest);
      ++count;
      for (int c = 0; c < used; ++c) {
        const std::int64_t row = first_row + c * width + subwarp.lane();
        while (key[c] == lowest) {
          ++at[c];
          key[c] = next(row, at[c], end[c]);
        }
        descends = descends || key[c] < lowest;
      }
    }
    descends = subwarp.any(descends);
    if (subwarp.lane() == 0) counts[panel] = descends ? ~count : count;
  }

 private:
  /// The key of the first taken entry from `at` on; moves `at` there.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t next(std::int64_t row, std::int64_t& at,
                                                std::int64_t end) const {
    for (; at < end; ++at) {
      const std::int64_t key = key_of(row, at);
      if (key >= 0) return key;
    }
    return no_key;
  }
};

template <ExecutionSpace Exec, class AnyEntries, class KeyOf, class Off>
void merge_rows(const Exec& exec, const AnyEntries& entries, const KeyOf& key_of, int panel_rows,
                std::int64_t panels, Off* keys, std::int64_t* counts) {
  const auto run = [&]<int Width, int Cursors>(std::integral_constant<int, Width>,
                                               std::integral_constant<int, Cursors>) {
    constexpr int threads = 128;
    const int subwarps = backends::has_lanes<Exec> ? threads / Width : 1;
    backends::launch<backends::Shape<Width, threads>>(
        exec, "heddle::recipe::merge", ceil_div<std::int64_t>(panels, subwarps),
        MergeKernel<AnyEntries, KeyOf, Cursors>{entries, key_of, panel_rows, panels, keys, counts});
  };
  using One = std::integral_constant<int, 1>;
  if constexpr (backends::has_lanes<Exec>) {
    if (panel_rows > 8 && panel_rows <= 32) return run(std::integral_constant<int, 32>(), One());
    if (panel_rows > 32) {
      return run(std::integral_constant<int, 32>(), std::integral_constant<int, 2>());
    }
  }
  run(std::integral_constant<int, backends::has_lanes<Exec> ? 8 : 1>(), One());
}

/// Writes the keys of a row, ascending, each plus one: zero if an entry is not taken. Long rows are
/// left unsorted.
template <class AnyEntries, class KeyOf>
struct RowKeysKernel {
  using Off = typename AnyEntries::Off;

  AnyEntries entries;
  KeyOf key_of;
  std::int64_t long_row;
  Off* keys;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t begin = entries.begin(row), end = entries.end(row);
    for (std::int64_t k = begin; k < end; ++k) {
      const Off key = static_cast<Off>(key_of(row, k) + 1);
      std::int64_t to = k;
      if (end - begin <= long_row) {
        for (; to > begin && keys[to - 1] > key; --to) keys[to] = keys[to - 1];
      }
      keys[to] = key;
    }
  }
};

template <ExecutionSpace Exec, class AnyEntries, class KeyOf, class Off>
void sort_row_keys(const Exec& exec, const AnyEntries& entries, const KeyOf& key_of, Off* keys) {
  using Long = SortLongRows<Off>;
  const auto policy = range_policy(exec, entries.rows);
  if constexpr (backends::runs_on_host<Exec>) {
    const RowKeysKernel<AnyEntries, KeyOf> keys_of_row{entries, key_of, 0, keys};
    Kokkos::parallel_for("heddle::recipe::sort_rows", policy, [=](std::int64_t row) {
      keys_of_row(row);
      std::sort(keys + entries.begin(row), keys + entries.end(row));
    });
  } else {
    Kokkos::parallel_for("heddle::recipe::sort_rows", policy,
                         RowKeysKernel<AnyEntries, KeyOf>{entries, key_of, Long::short_row, keys});
    backends::launch<typename Long::Shape>(exec, "heddle::recipe::sort_long_rows",
                                           std::min<std::int64_t>(entries.rows, Long::teams),
                                           Long{entries.row_ptr, entries.rows, keys});
  }
}

}  // namespace heddle::recipe
