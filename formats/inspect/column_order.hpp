// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/launch.hpp"

namespace heddle::detail {

/// Sorts the slots of the long columns in place, on a GPU: a team a column, by a bitonic network.
template <Offset Off>
struct LongColumns {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<1, 128>;
  static constexpr std::int64_t short_column = 128;
  static constexpr std::int64_t teams = 1024;

  const Off* column_ptr;
  std::int64_t columns;
  Off* slots;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    for (std::int64_t j = team.index(); j < columns; j += teams) {
      const auto length = static_cast<std::int64_t>(column_ptr[j + 1] - column_ptr[j]);
      if (length > short_column) sort(team, slots + column_ptr[j], length);
    }
  }

  /// Sorts one list, a team together. `Off` is any integer of 4 or 8 bytes.
  /// Source: K. Batcher, "Sorting networks and their applications", AFIPS 1968, with every
  /// comparator upwards, so that entries beyond the last can be thought infinite and left out.
  template <class Team>
  KOKKOS_FUNCTION static void sort(const Team& team, Off* slots, std::int64_t length) {
    for (std::int64_t size = 2; size < 2 * length; size *= 2) {
      exchange(team, slots, length, size - 1);
      for (std::int64_t stride = size / 4; stride > 0; stride /= 2) {
        exchange(team, slots, length, stride);
      }
    }
  }

 private:
  template <class Team>
  KOKKOS_FUNCTION static void exchange(const Team& team, Off* slots, std::int64_t length,
                                       std::int64_t bits) {
    for (std::int64_t i = team.thread(); i < length; i += Team::threads) {
      const std::int64_t partner = i ^ bits;
      if (partner <= i || partner >= length || slots[i] <= slots[partner]) continue;
      const Off larger = slots[i];
      slots[i] = slots[partner];
      slots[partner] = larger;
    }
    team.barrier();
  }
};

/// Orders the slots of every column of a transpose that is being built, where atomic additions have
/// put them in any order, so that it comes out the same every time. On a GPU a thread a slot counts
/// the smaller ones of its column, but for long columns, whose squared length that would cost:
/// LongColumns.
///
/// slots[column_ptr[j]] to slots[column_ptr[j + 1]] come out ascending,
/// written to `ordered`; `slots` is left in any order. A slot holds the number of a nonzero, which
/// lies in column col_idx[slot]. Two launches on a GPU, one on a CPU; no allocation, no wait.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void order_columns(const Exec& exec, const O* col_idx, const Off* column_ptr, std::int64_t columns,
                   std::int64_t entries, Off* slots, Off* ordered) {
  using Policy = Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>;
  if constexpr (!backends::runs_on_host<Exec>) {
    using Long = LongColumns<Off>;
    backends::launch<typename Long::Shape>(exec, "heddle::transpose::order_long",
                                           columns < Long::teams ? columns : Long::teams,
                                           Long{column_ptr, columns, slots});
    Kokkos::parallel_for(
        "heddle::transpose::order", Policy(exec, 0, entries), KOKKOS_LAMBDA(std::int64_t place) {
          const Off k = slots[place];
          const O column = col_idx[k];
          const Off begin = column_ptr[column], end = column_ptr[column + 1];
          if (static_cast<std::int64_t>(end - begin) > Long::short_column) {
            ordered[place] = k;
            return;
          }
          Off rank = begin;
          for (Off other = begin; other < end; ++other) rank += slots[other] < k ? 1 : 0;
          ordered[rank] = k;
        });
  } else {
    Kokkos::parallel_for("heddle::transpose::order", Policy(exec, 0, columns), [=](std::int64_t j) {
      Off* begin = slots + column_ptr[j];
      Off* end = slots + column_ptr[j + 1];
      std::sort(begin, end);
      std::copy(begin, end, ordered + column_ptr[j]);
    });
  }
}

}  // namespace heddle::detail
