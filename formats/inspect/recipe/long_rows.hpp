// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"

namespace heddle::recipe {

/// Sorts the keys of each long row in place, on a GPU: a team a row, by a bitonic network.
template <Offset Off>
struct LongRows {
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
  /// comparator upwards, so that entries beyond the last can be thought infinite and left out.
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

}  // namespace heddle::recipe
