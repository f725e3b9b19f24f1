// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../common/row_bits.hpp"

namespace heddle::detail::hyb::rest {

/// The long rows, of which entries(row) in the rest is not zero: their numbers and where each
/// begins in the rest, and for each word of bits how many there are before it. A scan over all
/// rows.
template <class Entries, Ordinal O, Offset Off>
struct LongRowsKernel {
  struct Counts {
    std::int64_t long_rows;
    std::int64_t rest;
  };
  using value_type = Counts;

  Entries entries;
  std::int64_t rows;
  O* row_number;
  Off* rest_ptr;
  O* before_word;

  KOKKOS_FUNCTION void init(Counts& counts) const { counts = {0, 0}; }
  KOKKOS_FUNCTION void join(Counts& counts, const Counts& other) const {
    counts.long_rows += other.long_rows;
    counts.rest += other.rest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, Counts& counts, bool last) const {
    const auto length = static_cast<std::int64_t>(entries(row));
    if (last && row % RowBits::per_word == 0) {
      before_word[row / RowBits::per_word] = static_cast<O>(counts.long_rows);
    }
    if (length > 0) {
      if (last) {
        row_number[counts.long_rows] = static_cast<O>(row);
        rest_ptr[counts.long_rows] = static_cast<Off>(counts.rest);
      }
      ++counts.long_rows;
      counts.rest += length;
    }
    if (last && row == rows - 1) rest_ptr[counts.long_rows] = static_cast<Off>(counts.rest);
  }
};

/// Empties the places of a mailbox.
template <class Mailbox>
struct ClearKernel {
  Mailbox mailbox;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { mailbox.clear(place); }
};

/// Copies the rest from CSR, a team a share: the values, and with Columns the columns too.
/// source(k, place) is where entry k of the rest comes from, which is one of the place-th long row.
template <class Matrix, class Table, class LocalRow, class Source, bool Columns>
struct FillKernel {
  using Scratch = backends::NoScratch;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Table table;
  const LocalRow* local_row;
  Source source;
  const O* from_columns;
  const S* from_values;
  O* col_idx;
  S* values;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto begin = table.edges[team.index()];
    const auto end = table.edges[team.index() + 1];
    for (Off k = begin.nonzero + static_cast<Off>(team.thread()); k < end.nonzero;
         k += static_cast<Off>(Team::threads)) {
      const Off from = source(k, begin.row + static_cast<O>(local_row[k]));
      if (Columns) col_idx[k] = from_columns[from];
      values[k] = from_values[from];
    }
  }
};

}  // namespace heddle::detail::hyb::rest
