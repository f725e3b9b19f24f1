// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "stored_pattern.hpp"
#include "subdomains.hpp"

namespace heddle::detail::ilu {

/// What row i reads: those of its lower part.
template <Ordinal O, Offset Off>
struct LowerReads {
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;
  std::int64_t entries;  ///< of the pattern

  KOKKOS_FORCEINLINE_FUNCTION Off begin(O i) const { return row_ptr[i]; }
  KOKKOS_FORCEINLINE_FUNCTION Off end(O i) const { return diagonal[i]; }
  KOKKOS_FORCEINLINE_FUNCTION O item(Off k) const { return col_idx[k]; }
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O i, const Visit& visit) const {
    for (Off k = row_ptr[i]; k < diagonal[i]; ++k) visit(col_idx[k]);
  }
};

/// What one look at the rows of factors says of them.
struct DiagonalSums {
  std::int64_t without = std::numeric_limits<std::int64_t>::max();  ///< the first row with none
  std::int64_t below = 0;                                           ///< entries before a diagonal
  std::int64_t longest = 0;                                         ///< entries of a row
};

/// Finds the diagonal of every row.
template <Ordinal O, Offset Off>
struct FindDiagonal {
  using value_type = DiagonalSums;
  PatternView<O, Off> pattern;
  Off* diagonal;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.without = Kokkos::min(sums.without, other.without);
    sums.below += other.below;
    sums.longest = Kokkos::max(sums.longest, other.longest);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    const Off begin = pattern.row_ptr[i], end = pattern.row_ptr[i + 1];
    const Off at = find_column(pattern.col_idx, begin, end, static_cast<O>(i));
    diagonal[i] = at;
    if (at == end) sums.without = Kokkos::min(sums.without, i);
    sums.below += static_cast<std::int64_t>(at - begin);
    sums.longest = Kokkos::max(sums.longest, static_cast<std::int64_t>(end - begin));
  }
};

/// Writes it. A readback, which waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
DiagonalSums find_diagonal(const Exec& exec, const PatternView<O, Off>& pattern, Off* diagonal) {
  DiagonalSums sums;
  Kokkos::parallel_reduce("heddle::ilu::diagonal", range_policy(exec, pattern.rows),
                          FindDiagonal<O, Off>{pattern, diagonal}, sums);
  return sums;
}

/// Which entry of its row of the factors each entry of the matrix is.
template <Ordinal O, Offset Off>
struct FindPlaces {
  const Off* row_ptr;
  const O* col_idx;
  PatternView<O, Off> pattern;
  Parts parts;
  int block_size;
  Off* place;

  static constexpr Off nowhere = static_cast<Off>(-1);

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off from = pattern.row_ptr[i];
    O last = O(-1);
    const Off end = pattern.row_ptr[i + 1];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      place[k] = nowhere;
      const bool in_triangle = !parts.lower || static_cast<std::int64_t>(j) <= i;
      if (!in_triangle || !parts.keep(i / block_size, static_cast<std::int64_t>(j) / block_size)) {
        continue;
      }
      if (j < last) from = pattern.row_ptr[i];
      last = j;
      from = find_column(pattern.col_idx, from, end, j);
      place[k] = from - pattern.row_ptr[i];
    }
  }
};

/// Columns of factors, ascending in each row.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
struct FactorColumns {
  PatternView<O, Off> view;
  StoredPattern<Exec, O, Off> stored;  ///< empty where the view is of arrays of the matrix
  bool leads;                          ///< whether a row's entries are the first of the matrix's
};

/// The pattern of incomplete factors, both in one as in a combined LU matrix, or that of L.
/// find_pattern makes it.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class FactorPattern {
 public:
  using Space = typename Exec::memory_space;

  FactorPattern() = default;

  /// Of a matrix of those parts. Waits for `exec`. Throws Error for a row without a diagonal.
  FactorPattern(const Exec& exec, Off entries, const Off* row_ptr, const O* col_idx,
                const Parts& parts, int block_size, FactorColumns<Exec, O, Off> columns)
      : view_(columns.view), stored_(std::move(columns.stored)) {
    const auto n = static_cast<std::size_t>(view_.rows);
    diagonal_memory_ = Arena<Space>(exec, "heddle::ilu::diagonal", arena_bytes<Off>(n));
    diagonal_ = diagonal_memory_.template take<Off>(n);
    sums_ = find_diagonal(exec, view_, diagonal_.data());
    if (sums_.without < view_.rows) {
      throw Error(
          "there is no diagonal entry", Where{.row = sums_.without},
          "store one in every row; where it is zero, let options.pivot_floor lift its pivot");
    }
    if (columns.leads) return;
    place_memory_ = Arena<Space>(exec, "heddle::ilu::places", arena_bytes<Off>(entries));
    place_ = place_memory_.template take<Off>(static_cast<std::size_t>(entries));
    Kokkos::parallel_for(
        "heddle::ilu::places", range_policy(exec, view_.rows),
        FindPlaces<O, Off>{row_ptr, col_idx, view_, parts, block_size, place_.data()});
  }

  PatternView<O, Off> view() const { return view_; }
  const Off* diagonal() const { return diagonal_.data(); }
  /// FindPlaces of each entry of A; null where a row's entries are the first of A's row.
  const Off* place() const { return place_.extent(0) > 0 ? place_.data() : nullptr; }
  std::size_t bytes() const {
    return stored_.bytes() + diagonal_memory_.bytes() + place_memory_.bytes();
  }
  /// Off the diagonal.
  std::int64_t entries_below() const { return sums_.below; }
  std::int64_t entries_above() const { return view_.entries - view_.rows - sums_.below; }
  std::int64_t longest_row() const { return sums_.longest; }
  /// Keeps numbers and place() alone, where the pattern stands elsewhere.
  void forget() {
    view_ = {nullptr, nullptr, nullptr, view_.rows, view_.entries};
    stored_ = {};
    diagonal_memory_ = {};
    diagonal_ = {};
  }

 private:
  PatternView<O, Off> view_{};
  StoredPattern<Exec, O, Off> stored_;
  DiagonalSums sums_;
  Arena<Space> diagonal_memory_, place_memory_;
  typename Arena<Space>::template Array<Off> diagonal_, place_;
};

}  // namespace heddle::detail::ilu
