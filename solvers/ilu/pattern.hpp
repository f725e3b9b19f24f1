// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ascending.hpp"
#include "blocks.hpp"
#include "fill_on_lanes.hpp"
#include "fill_on_threads.hpp"

namespace heddle::detail::ilu {

/// A lower triangle with ascending columns, and its transpose behind it in each row.
template <Ordinal O, Offset Off>
struct BothTriangles {
  PatternView<O, Off> lower, upper;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void columns(std::int64_t i, const Visit& visit) const {
    const auto row = static_cast<O>(i);
    for (Off k = lower.row_ptr[i]; k < lower.row_ptr[i + 1]; ++k) visit(lower.col_idx[k]);
    for (Off k = upper.row_ptr[i]; k < upper.row_ptr[i + 1]; ++k) {
      if (upper.col_idx[k] > row) visit(upper.col_idx[k]);
    }
  }
};

/// The symmetric pattern whose lower triangle is given. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> with_transpose(const Exec& exec, const PatternView<O, Off>& lower) {
  const auto stored_upper = transposed(exec, lower);
  const auto upper = stored_upper.pattern();
  return stored<O, Off>(exec, "heddle::ilu::both_triangles", lower.rows,
                        BothTriangles<O, Off>{lower,
                                              {upper.row_ptr().data(), upper.col_idx().data(),
                                               nullptr, lower.rows, lower.entries}});
}

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

/// Finds the diagonal of every row; the first row without one, or the number of rows.
template <Ordinal O, Offset Off>
struct FindDiagonal {
  PatternView<O, Off> pattern;
  Off* diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first_without) const {
    const Off end = pattern.row_ptr[i + 1];
    diagonal[i] = find_column(pattern.col_idx, pattern.row_ptr[i], end, static_cast<O>(i));
    if (diagonal[i] == end && i < first_without) first_without = i;
  }
};

/// Writes it. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
std::int64_t find_diagonal(const Exec& exec, const PatternView<O, Off>& pattern, Off* diagonal) {
  std::int64_t without = pattern.rows;
  Kokkos::parallel_reduce("heddle::ilu::diagonal", range_policy(exec, pattern.rows),
                          FindDiagonal<O, Off>{pattern, diagonal},
                          Kokkos::Min<std::int64_t>(without));
  return without;
}

template <Offset Off>
struct EntriesBelow {
  const Off* row_ptr;
  const Off* diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& sum) const {
    sum += static_cast<std::int64_t>(diagonal[i] - row_ptr[i]);
  }
};

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

/// The pattern of incomplete factors, both in one as in a combined LU matrix, or that of L.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class FactorPattern {
 public:
  using Space = typename Exec::memory_space;

  FactorPattern() = default;

  /// Of a checked pattern of A, whose arrays it may be unless it is to `stay`. Waits for `exec`.
  /// Throws Error for a row without a diagonal.
  FactorPattern(const Exec& exec, O rows, Off entries, const Off* row_ptr, const O* col_idx,
                const IluOptions& options, bool lower, bool stay) {
    const Subdomains<Exec> subdomains(exec, static_cast<std::int64_t>(rows), options, lower);
    const int size = options.block_size;
    const Parts parts = subdomains.parts();
    const bool leads = find_columns(exec, rows, entries, row_ptr, col_idx, options, parts, stay);
    const auto n = static_cast<std::size_t>(rows);
    diagonal_memory_ = Arena<Space>(exec, "heddle::ilu::diagonal", arena_bytes<Off>(n));
    diagonal_ = diagonal_memory_.template take<Off>(n);
    const std::int64_t without = find_diagonal(exec, view_, diagonal_.data());
    if (without < view_.rows) {
      throw Error(
          "there is no diagonal entry", Where{.row = without},
          "store one in every row; where it is zero, let options.pivot_floor lift its pivot");
    }
    if (leads) return;
    place_memory_ = Arena<Space>(exec, "heddle::ilu::places", arena_bytes<Off>(entries));
    place_ = place_memory_.template take<Off>(static_cast<std::size_t>(entries));
    Kokkos::parallel_for("heddle::ilu::places", range_policy(exec, view_.rows),
                         FindPlaces<O, Off>{row_ptr, col_idx, view_, parts, size, place_.data()});
    exec.fence("heddle::ilu::places");
  }

  PatternView<O, Off> view() const { return view_; }
  const Off* diagonal() const { return diagonal_.data(); }
  /// FindPlaces of each entry of A; null where a row's entries are the first of A's row.
  const Off* place() const { return place_.extent(0) > 0 ? place_.data() : nullptr; }
  std::size_t bytes() const {
    return stored_.bytes() + diagonal_memory_.bytes() + place_memory_.bytes();
  }
  /// Off the diagonal. A readback, which waits for `exec`.
  std::int64_t entries_below(const Exec& exec) const {
    std::int64_t sum = 0;
    Kokkos::parallel_reduce("heddle::ilu::below", range_policy(exec, view_.rows),
                            EntriesBelow<Off>{view_.row_ptr, diagonal_.data()}, sum);
    return sum;
  }
  /// Keeps sizes and place() alone, where the pattern stands elsewhere.
  void forget() {
    view_ = {nullptr, nullptr, nullptr, view_.rows, view_.entries};
    stored_ = {};
    diagonal_memory_ = {};
    diagonal_ = {};
  }

 private:
  using Stored = StoredPattern<Exec, O, Off>;

  /// Whether the entries of a row are the first of A's row.
  bool find_columns(const Exec& exec, O rows, Off entries, const Off* row_ptr, const O* col_idx,
                    const IluOptions& options, const Parts& parts, bool stay) {
    const int size = options.block_size;
    Stored blocks;
    if (size > 1) {
      blocks = blocks_of(exec, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(entries),
                         row_ptr, col_idx, size);
      row_ptr = blocks.row_ptr();
      col_idx = blocks.col_idx();
    }
    const AscendingPattern<Exec, O, Off> first(
        exec, size > 1 ? static_cast<O>(blocks.rows()) : rows, entries, row_ptr, col_idx, parts);
    PatternView<O, Off> view = first.view();
    Stored filled = first.stored();
    if (parts.lower && options.fill_level > 0) {
      filled = with_transpose(exec, view);
      view = filled.view();
    }
    // Fill of level m is of two entries whose levels add up to m - 1: above twice the highest level
    // that has entries, and one, there is none. A level without any may be followed by one with.
    int highest = 0;
    for (int level = 1; level <= options.fill_level && level <= 2 * highest + 1; ++level) {
      if constexpr (backends::BackendIs<Exec, backends::Host>) {
        filled = add_fill_on_threads<Exec>(exec, view, level);
      } else {
        filled = add_fill_on_lanes<Exec>(exec, view, level);
      }
      if (filled.entries() > view.entries) highest = level;
      view = filled.view();
    }
    stored_ = filled;
    view_ = view;
    const bool both_triangles = parts.lower && options.fill_level > 0;
    if (size > 1 || stay || both_triangles) {  // without levels
      stored_ = expand(
          exec, FullBlocks<O, Off>{view, static_cast<std::int64_t>(rows), size, parts.lower});
      view_ = stored_.view();
    }
    return first.leads() && size == 1 && options.fill_level == 0;
  }

  PatternView<O, Off> view_{};
  Stored stored_;
  Arena<Space> diagonal_memory_, place_memory_;
  typename Arena<Space>::template Array<Off> diagonal_, place_;
};

}  // namespace heddle::detail::ilu
