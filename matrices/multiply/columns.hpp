// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/scratch.hpp"
#include "../../backends/subwarp.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail::matrix_product {

/// A matrix as the kernels of a product read it: plain pointers. A pattern has no values; without a
/// row pointer there is no matrix.
template <Ordinal O, Offset Off>
struct PatternOperand {
  const Off* row_ptr = nullptr;
  const O* col_idx = nullptr;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t row) const {
    return static_cast<std::int64_t>(row_ptr[row]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t end(std::int64_t row) const {
    return static_cast<std::int64_t>(row_ptr[row + 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t length(std::int64_t row) const {
    return row_ptr ? end(row) - begin(row) : 0;
  }
};

template <Scalar S, Ordinal O, Offset Off>
struct Operand : PatternOperand<O, Off> {
  const S* values = nullptr;
};

template <Ordinal O, Offset Off, MemorySpace Space>
PatternOperand<O, Off> pattern_operand(const CsrPattern<O, Off, Space>& A) {
  return {A.row_ptr().data(), A.col_idx().data()};
}
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
Operand<S, O, Off> operand(const CsrMatrix<S, O, Off, Space>& A) {
  return {{A.row_ptr().data(), A.col_idx().data()}, A.values().data()};
}

/// Calls use(factor(k), first, last) for each entry k of the row of A, in their order, by all lanes
/// together: [first, last) is its row of B. In a long row each lane loads an entry of its own,
/// since a load is a chain of three; in a short row shuffling the results costs more than that.
template <class Subwarp, Ordinal O, Offset OffA, Offset OffB, class FactorOf, class Use>
KOKKOS_FORCEINLINE_FUNCTION void each_row_of_B(const Subwarp& subwarp,
                                               const PatternOperand<O, OffA>& A,
                                               const PatternOperand<O, OffB>& B, std::int64_t row,
                                               const FactorOf& factor, const Use& use) {
  const std::int64_t end = A.end(row);
  if constexpr (Subwarp::width > 1) {
    using Factor = std::remove_cvref_t<decltype(factor(std::int64_t{}))>;
    constexpr std::int64_t few = 8;
    if (end - A.begin(row) > few) {
      for (std::int64_t begin = A.begin(row); begin < end; begin += Subwarp::width) {
        const std::int64_t k = begin + subwarp.lane();
        std::int64_t first = 0, last = 0;
        Factor a(0);
        if (k < end) {
          const std::int64_t j = A.col_idx[k];
          first = B.begin(j);
          last = B.end(j);
          a = factor(k);
        }
        const int count =
            end - begin < Subwarp::width ? static_cast<int>(end - begin) : Subwarp::width;
        for (int lane = 0; lane < count; ++lane) {
          use(subwarp.shuffle(a, lane), subwarp.shuffle(first, lane), subwarp.shuffle(last, lane));
        }
      }
      return;
    }
  }
  for (std::int64_t k = A.begin(row); k < end; ++k) {
    const std::int64_t j = A.col_idx[k];
    use(factor(k), B.begin(j), B.end(j));
  }
}

/// C = A B on a pattern that contains that of D, which may be absent.
template <Ordinal O, Offset OffA, Offset OffB>
struct Patterns {
  PatternOperand<O, OffA> A;
  PatternOperand<O, OffB> B;
  PatternOperand<O, OffA> D;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t entries_of_A = 0;
};

/// log2 of the slots of a table of `keys` columns, of which at most half are used.
KOKKOS_FORCEINLINE_FUNCTION int table_bits(std::int64_t keys) {
  int bits = 1;
  while ((std::int64_t{1} << bits) < 2 * keys) ++bits;
  return bits;
}

/// A hash table of the columns of one row, with open addressing, in scratch. Lanes insert at the
/// same time. The slot of a column depends on their order, but no result depends on slots.
template <class Subwarp, Ordinal O>
struct ColumnTable {
  static constexpr O none = -1;

  O* keys;
  int bits;

  KOKKOS_FORCEINLINE_FUNCTION int slots() const { return 1 << bits; }
  KOKKOS_FORCEINLINE_FUNCTION int first_slot(O column) const {
    const std::uint64_t hash = static_cast<std::uint64_t>(column) * 0x9e3779b97f4a7c15u;
    return static_cast<int>(hash >> (64 - bits));
  }
  KOKKOS_FORCEINLINE_FUNCTION int next(int slot) const { return (slot + 1) & (slots() - 1); }

  /// Clears the table, by all lanes; they must sync before an insertion.
  KOKKOS_FORCEINLINE_FUNCTION void clear(const Subwarp& subwarp) const {
    for (int slot = subwarp.lane(); slot < slots(); slot += Subwarp::width) keys[slot] = none;
  }

  /// Inserts a column and sets its `slot`. Returns whether the column is new.
  KOKKOS_FORCEINLINE_FUNCTION bool insert(O column, int& slot) const {
    slot = first_slot(column);
    while (true) {
      O there;
      if constexpr (Subwarp::width == 1) {
        there = keys[slot];
        if (there == none) keys[slot] = column;
      } else {
        there = backends::atomic_compare_exchange(&keys[slot], none, column);
      }
      if (there == none) return true;
      if (there == column) return false;
      slot = next(slot);
    }
  }

  /// The slot of a column, or -1 if it is not in the table. No lane may insert at the same time.
  KOKKOS_FORCEINLINE_FUNCTION int find(O column) const {
    int slot = first_slot(column);
    while (keys[slot] != column) {
      if (keys[slot] == none) return -1;
      slot = next(slot);
    }
    return slot;
  }
};

// The columns of a product's rows that fit into scratch: counted, then written in ascending order.

/// Sorts a list in scratch by all lanes of a subwarp; it has space for the next power of two.
/// Bitonic sort, source: K. Batcher, "Sorting networks and their applications", AFIPS 1968.
template <class Subwarp, Ordinal O>
KOKKOS_FUNCTION void sort_by_lanes(const Subwarp& subwarp, O* list, int count) {
  int padded = 1;
  while (padded < count) padded *= 2;
  for (int i = count + subwarp.lane(); i < padded; i += Subwarp::width) {
    list[i] = Kokkos::Experimental::finite_max_v<O>;
  }
  for (int run = 2; run <= padded; run *= 2) {
    for (int distance = run / 2; distance > 0; distance /= 2) {
      subwarp.sync();
      for (int pair = subwarp.lane(); pair < padded / 2; pair += Subwarp::width) {
        const int low = 2 * pair - (pair & (distance - 1)), high = low + distance;
        const O a = list[low], b = list[high];
        const bool ascends = (low & run) == 0;
        if ((a > b) == ascends) {
          list[low] = b;
          list[high] = a;
        }
      }
    }
  }
  subwarp.sync();
}

template <class Subwarp, Ordinal O>
KOKKOS_FORCEINLINE_FUNCTION void sort_columns(const Subwarp& subwarp, O* list, int count) {
  [[maybe_unused]] bool sorted = false;
  if constexpr (Subwarp::width == 1) {
    KOKKOS_IF_ON_HOST((std::sort(list, list + count); sorted = true;))
  }
  if (!sorted) sort_by_lanes(subwarp, list, count);
}

/// The length of a row that has more columns than its table takes.
inline constexpr std::int64_t overflowed = -1;

/// A subwarp finds the columns of a row, with a table for capacity[row] of them. It writes the
/// row's length if there are `lengths`, or `overflowed`, and the columns if there is a `col_idx`.
/// capacity[row] is at least the width of a subwarp, or no less than the row's products.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct ColumnsKernel {
  using Scratch = backends::DynamicScratch;

  Patterns<O, OffA, OffB> patterns;
  const std::int64_t* capacity;
  std::int64_t* lengths;
  const OffC* row_ptr = nullptr;
  O* col_idx = nullptr;
  const O* rows = nullptr;
  std::int64_t count = 0;
  int most = 0;

  static constexpr std::size_t bytes_per_column = 3 * sizeof(O);
  static std::size_t scratch_bytes(int subwarps, int most) {
    const auto columns = static_cast<std::size_t>(subwarps) * static_cast<std::size_t>(most);
    return backends::scratch_bytes<O, O, int>(2 * columns, columns, subwarps);
  }

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    const auto subwarp = team.subwarp();
    const int me = team.subwarp_index();
    O* const keys = scratch.template take<O>(2 * Team::subwarps * most) + 2 * me * most;
    O* const list = scratch.template take<O>(Team::subwarps * most) + me * most;
    int* const found = scratch.template take<int>(Team::subwarps) + me;
    const std::int64_t place = team.index() * Team::subwarps + me;
    if (place >= count) return;
    const std::int64_t row = rows[place];
    const auto room = static_cast<int>(capacity[row]);
    bool full = false;
    const ColumnTable<typename Team::subwarp_type, O> table{keys, table_bits(room)};
    table.clear(subwarp);
    if (subwarp.lane() == 0) *found = 0;
    subwarp.sync();
    each_row_of_B(
        subwarp, patterns.A, patterns.B, row, [](std::int64_t) { return 0; },
        [&](int, std::int64_t first, std::int64_t last) {
          insert(subwarp, patterns.B.col_idx, first, last, table, list, found, room, full);
        });
    if (patterns.D.row_ptr) {
      insert(subwarp, patterns.D.col_idx, patterns.D.begin(row), patterns.D.end(row), table, list,
             found, room, full);
    }
    subwarp.sync();
    const int length = *found;
    if (lengths && subwarp.lane() == 0) lengths[row] = length <= room ? length : overflowed;
    if (!col_idx || length > room) return;
    sort_columns(subwarp, list, length);
    const auto first = static_cast<std::int64_t>(row_ptr[row]);
    for (int i = subwarp.lane(); i < length; i += Team::subwarp_width) col_idx[first + i] = list[i];
  }

  /// A lane that inserts one column too many inserts no more: half of the table has room for one of
  /// each lane.
  template <class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION void insert(const Subwarp& subwarp, const O* col_idx,
                                          std::int64_t first, std::int64_t last,
                                          const ColumnTable<Subwarp, O>& table, O* list, int* found,
                                          int room, bool& full) const {
    for (std::int64_t l = first + subwarp.lane(); l < last && !full; l += Subwarp::width) {
      int slot;
      const O column = col_idx[l];
      if (!table.insert(column, slot)) continue;
      int at;
      if constexpr (Subwarp::width == 1) {
        at = (*found)++;
      } else {
        at = backends::atomic_fetch_add(found, 1);
      }
      full = at >= room;
      if (!full) list[at] = column;
    }
  }
};

/// The length reserved for a row in the list of columns: 0 if it is too long for scratch.
struct RoomOfRow {
  const std::int64_t* capacity;
  std::int64_t most;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const {
    return capacity[row] <= most ? capacity[row] : 0;
  }
};

/// A subwarp copies the columns of a row from such a list to C, if the list had room for them.
template <Ordinal O, Offset OffC>
struct CopyListedColumns {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  const std::int32_t* before;  ///< exclusive sum of the rows' room
  const O* listed;
  const OffC* row_ptr;
  O* col_idx;
  std::int64_t rows;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= rows) return;
    const O* const from = listed + before[row];
    const auto first = static_cast<std::int64_t>(row_ptr[row]);
    const std::int64_t count = static_cast<std::int64_t>(row_ptr[row + 1]) - first;
    if (count > before[row + 1] - before[row]) return;
    for (std::int64_t i = subwarp.lane(); i < count; i += Team::subwarp_width) {
      col_idx[first + i] = from[i];
    }
  }
};

/// Counts the products of each row, by entries of A. CountProductsOfRow counts them by rows.
template <Ordinal O, Offset OffA, Offset OffB>
struct AddLengthOfB {
  PatternOperand<O, OffA> A;
  PatternOperand<O, OffB> B;
  std::int64_t* products;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    backends::atomic_add(&products[row], B.length(A.col_idx[k]));
  }
};
template <Ordinal O, Offset OffA, Offset OffB>
struct CountProductsOfRow {
  Patterns<O, OffA, OffB> patterns;
  std::int64_t* products;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    std::int64_t sum = 0;
    for (std::int64_t k = patterns.A.begin(row); k < patterns.A.end(row); ++k) {
      sum += patterns.B.length(patterns.A.col_idx[k]);
    }
    products[row] = sum;
  }
};

/// Bounds the length of a row: by its products and entries of D, and by the number of columns.
template <Ordinal O, Offset OffA, Offset OffB>
struct BoundRow {
  Patterns<O, OffA, OffB> patterns;
  std::int64_t* products;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& all) const {
    all += products[row];
    const std::int64_t sum = products[row] + patterns.D.length(row);
    products[row] = sum < patterns.columns ? sum : patterns.columns;
  }
};

}  // namespace heddle::detail::matrix_product
