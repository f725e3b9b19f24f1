// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/search.hpp"

namespace heddle::detail::ilu {

/// A pattern with ascending, unique columns in each row, and the level of every entry; borrowed.
template <Ordinal O, Offset Off>
struct PatternView {
  const Off* row_ptr;
  const O* col_idx;
  const int* level;  ///< null: all are 0
  std::int64_t rows;
  std::int64_t entries;

  KOKKOS_FORCEINLINE_FUNCTION int level_of(Off k) const { return level ? level[k] : 0; }
};

/// The place of a column among ascending ones, from `first` on; `stop` if it is not there.
template <class Column, class Off>
KOKKOS_FORCEINLINE_FUNCTION Off find_column(const Column* col_idx, Off first, Off stop,
                                            const Column& column) {
  const Off at =
      first + first_not_below(col_idx + first, stop - first, static_cast<std::int64_t>(column));
  return at < stop && col_idx[at] == column ? at : stop;
}

/// The rows that row i reads: those of its lower part.
template <Ordinal O, Offset Off>
struct LowerReads {
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;
  std::int64_t entries;  ///< entries of the whole pattern

  KOKKOS_FORCEINLINE_FUNCTION Off begin(O i) const { return row_ptr[i]; }
  KOKKOS_FORCEINLINE_FUNCTION Off end(O i) const { return diagonal[i]; }
  KOKKOS_FORCEINLINE_FUNCTION O item(Off k) const { return col_idx[k]; }
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O i, const Visit& visit) const {
    for (Off k = row_ptr[i]; k < diagonal[i]; ++k) visit(col_idx[k]);
  }
};

/// Results of find_diagonal.
struct DiagonalSums {
  std::int64_t without = std::numeric_limits<std::int64_t>::max();  ///< row without a diagonal
  std::int64_t below = 0;                                           ///< entries left of diagonals
  std::int64_t longest = 0;                                         ///< entries of the longest row
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

/// Writes the index of each row's diagonal entry. A readback, which waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
DiagonalSums find_diagonal(const Exec& exec, const PatternView<O, Off>& pattern, Off* diagonal) {
  DiagonalSums sums;
  Kokkos::parallel_reduce("heddle::ilu::diagonal", range_policy(exec, pattern.rows),
                          FindDiagonal<O, Off>{pattern, diagonal}, sums);
  return sums;
}

/// The pattern of incomplete factors: L and U combined, or L alone. find_pattern makes it.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class FactorPattern {
 public:
  using Space = typename Exec::memory_space;

  FactorPattern() = default;

  /// A pattern whose columns are stored in these arenas, or in the matrix. Waits for `exec`. Throws
  /// Error for a row without a diagonal.
  FactorPattern(const Exec& exec, const PatternView<O, Off>& columns, Arena<Space> row_ptr_memory,
                Arena<Space> memory)
      : view_(columns), row_ptr_memory_(std::move(row_ptr_memory)), memory_(std::move(memory)) {
    diagonal_memory_ =
        Arena<Space>(exec, "heddle::ilu::diagonal", arena_array(diagonal_, view_.rows));
    sums_ = find_diagonal(exec, view_, diagonal_.data());
    if (sums_.without < view_.rows) {
      throw Error("there is no diagonal entry", Where{.row = sums_.without},
                  "store one in every row; if it is zero, let options.pivot_floor lift its pivot");
    }
  }
  /// Allocates place(), for the caller to write.
  Off* add_places(const Exec& exec, Off entries) {
    place_memory_ = Arena<Space>(exec, "heddle::ilu::places", arena_array(place_, entries));
    return place_.data();
  }

  PatternView<O, Off> view() const { return view_; }
  const Off* diagonal() const { return diagonal_.data(); }
  /// The place of each entry of A in its pattern row; null if that is the start of A's row.
  const Off* place() const { return place_.extent(0) > 0 ? place_.data() : nullptr; }
  std::size_t bytes() const {
    return row_ptr_memory_.bytes() + memory_.bytes() + diagonal_memory_.bytes() +
           place_memory_.bytes();
  }
  /// Entries left of the diagonals; entries_above(): right of them.
  std::int64_t entries_below() const { return sums_.below; }
  std::int64_t entries_above() const { return view_.entries - view_.rows - sums_.below; }
  std::int64_t longest_row() const { return sums_.longest; }
  /// Frees the pattern, which is stored elsewhere too. Keeps the numbers of entries and place().
  void forget() {
    view_ = {nullptr, nullptr, nullptr, view_.rows, view_.entries};
    row_ptr_memory_ = {};
    memory_ = {};
    diagonal_memory_ = {};
    diagonal_ = {};
  }

 private:
  PatternView<O, Off> view_{};
  DiagonalSums sums_;
  Arena<Space> row_ptr_memory_, memory_, diagonal_memory_, place_memory_;
  typename Arena<Space>::template Array<Off> diagonal_, place_;
};

/// The place of an entry that is not in the factors.
template <Offset Off>
inline constexpr Off nowhere_in_row = static_cast<Off>(-1);

/// Loads the values of a row of A into the pattern: entries with equal columns add up in the order
/// of the row, fill is zero. If A has another pattern the values are wrong, but no access is
/// outside A's row or the `size` entries of `to`.
template <Scalar S, Ordinal O, Offset Off>
struct LoadRow {
  const Off* row_ptr;
  const S* from;
  const Off* place;  ///< place of each entry of A in its row of the pattern, or nowhere_in_row

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, O size, S* to) const {
    const Off begin = row_ptr[i], end = row_ptr[i + 1];
    if (!place) {
      const auto stored = static_cast<std::int64_t>(end) - static_cast<std::int64_t>(begin);
      for (O k = 0; k < size; ++k) {
        to[k] = static_cast<std::int64_t>(k) < stored ? from[begin + static_cast<Off>(k)] : S(0);
      }
      return;
    }
    for (O k = 0; k < size; ++k) to[k] = S(0);
    for (Off k = begin; k < end; ++k) {  // nowhere_in_row exceeds any size
      if (static_cast<std::uint64_t>(place[k]) < static_cast<std::uint64_t>(size)) {
        to[place[k]] += from[k];
      }
    }
  }
};
template <Scalar S, Ordinal O, Offset Off>
struct LoadRows {
  LoadRow<S, O, Off> load;
  const Off* row_ptr;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    load(i, static_cast<O>(row_ptr[i + 1] - row_ptr[i]), to + row_ptr[i]);
  }
};

template <class Matrix, class Pattern>
auto load_row(const Matrix& A, const Pattern& pattern) {
  return LoadRow<typename Matrix::scalar_type, typename Matrix::ordinal_type,
                 typename Matrix::offset_type>{A.row_ptr().data(), A.values().data(),
                                               pattern.place()};
}

/// use(n, loop): loop(i) for each i < n writes the values of A into `to`, in the order of the
/// pattern. `view` is that pattern, also after pattern.forget().
template <class Matrix, class Exec, class O, class Off, class Use>
void with_values(const Matrix& A, const FactorPattern<Exec, O, Off>& pattern,
                 const PatternView<O, Off>& view, typename Matrix::scalar_type* to,
                 const Use& use) {
  using S = typename Matrix::scalar_type;
  if (!pattern.place() && view.entries == static_cast<std::int64_t>(A.nonzeros())) {
    use(view.entries, Copy<S>{to, A.values().data()});
  } else {
    use(view.rows, LoadRows<S, O, Off>{load_row(A, pattern), view.row_ptr, to});
  }
}

/// A PatternView that owns its arrays.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class StoredPattern {
 public:
  using Space = typename Exec::memory_space;
  using View = PatternView<O, Off>;
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  StoredPattern() = default;

  /// Row i has entries_of(i) entries. The caller writes columns, and levels if `with_levels`. Waits
  /// for `exec`.
  template <class EntriesOf>
  StoredPattern(const Exec& exec, std::int64_t rows, bool with_levels, const EntriesOf& entries_of)
      : StoredPattern(exec, rows) {
    entries_ = running_sum_and_total<std::int64_t>(exec, "heddle::ilu::row_ptr", row_ptr_.data(),
                                                   rows, entries_of);
    allocate(exec, with_levels);
  }

  /// Rows whose row_ptr() the caller fills, before allocate() with the number of entries.
  StoredPattern(const Exec& exec, std::int64_t rows)
      : rows_(rows),
        row_ptr_memory_(exec, "heddle::ilu::row_ptr",
                        arena_bytes<Off>(static_cast<std::size_t>(rows) + 1)),
        row_ptr_(row_ptr_memory_.template take<Off>(static_cast<std::size_t>(rows) + 1)) {}
  void allocate(const Exec& exec, bool with_levels, std::int64_t entries) {
    entries_ = entries;
    allocate(exec, with_levels);
  }

  Off* row_ptr() const { return row_ptr_.data(); }
  O* col_idx() const { return col_idx_.data(); }
  int* level() const { return level_.data(); }
  std::int64_t rows() const { return rows_; }
  std::int64_t entries() const { return entries_; }
  View view() const {
    return {row_ptr_.data(), col_idx_.data(), level_.extent(0) > 0 ? level_.data() : nullptr, rows_,
            entries_};
  }
  /// The arenas of the row pointer, and of columns and levels.
  const Arena<Space>& row_ptr_memory() const { return row_ptr_memory_; }
  const Arena<Space>& memory() const { return memory_; }

 private:
  void allocate(const Exec& exec, bool with_levels) {
    if (static_cast<std::uint64_t>(entries_) >
        static_cast<std::uint64_t>(std::numeric_limits<Off>::max())) {
      throw Error("the factors have " + std::to_string(entries_) +
                      " entries, more than offsets of " + std::to_string(8 * sizeof(Off)) +
                      " bits count",
                  "use a lower fill level, or a wider offset type");
    }
    const auto entries = static_cast<std::size_t>(entries_);
    const std::size_t levels = with_levels ? entries : 0;
    memory_ = Arena<Space>(exec, "heddle::ilu::pattern", arena_array(col_idx_, entries),
                           arena_array(level_, levels));
  }

  std::int64_t rows_ = 0;
  std::int64_t entries_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<int> level_;
};

/// Counts the columns of row i that source.columns(i, visit) visits in ascending order.
/// WriteColumns writes them.
template <class Source>
struct CountColumns {
  Source source;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    source.columns(i, [&](auto) { ++count; });
    return count;
  }
};
template <Ordinal O, Offset Off, class Source>
struct WriteColumns {
  Source source;
  const Off* row_ptr;
  O* col_idx;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off to = row_ptr[i];
    source.columns(i, [&](O column) { col_idx[to++] = column; });
  }
};

/// The pattern of `source`; `label` names its launch. A readback, which waits for `exec`.
template <Ordinal O, Offset Off, ExecutionSpace Exec, class Source>
StoredPattern<Exec, O, Off> stored(const Exec& exec, const char* label, std::int64_t rows,
                                   const Source& source) {
  StoredPattern<Exec, O, Off> to(exec, rows, false, CountColumns<Source>{source});
  Kokkos::parallel_for(label, range_policy(exec, rows),
                       WriteColumns<O, Off, Source>{source, to.row_ptr(), to.col_idx()});
  return to;
}

/// A copy of the pattern without levels: they are all 0. No wait.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> without_levels(const Exec& exec, const PatternView<O, Off>& from) {
  StoredPattern<Exec, O, Off> to(exec, from.rows);
  to.allocate(exec, false, from.entries);
  if (from.rows == 0) {  // the row pointer may be null
    fill(exec, "heddle::ilu::row_ptr", to.row_ptr(), 1, Off(0));
    return to;
  }
  copy(exec, "heddle::ilu::row_ptr", to.row_ptr(), from.rows + 1, from.row_ptr);
  copy(exec, "heddle::ilu::columns", to.col_idx(), from.entries, from.col_idx);
  return to;
}

}  // namespace heddle::detail::ilu
