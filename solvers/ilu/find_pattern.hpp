// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ascending.hpp"
#include "blocks.hpp"
#include "fill_on_lanes.hpp"
#include "fill_on_threads.hpp"
#include "pattern.hpp"

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

/// Columns of factors, ascending in each row.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
struct FactorColumns {
  PatternView<O, Off> view;
  StoredPattern<Exec, O, Off> stored;  ///< empty where the view is of arrays of the matrix
  bool leads;                          ///< whether a row's entries are the first of the matrix's
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

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off from = pattern.row_ptr[i];
    O last = O(-1);
    const Off end = pattern.row_ptr[i + 1];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      place[k] = nowhere_in_row<Off>;
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

/// `columns` with the fill of options.fill_level. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void add_fill(const Exec& exec, int fill_level, FactorColumns<Exec, O, Off>& columns) {
  // Fill of level m is of two entries whose levels add up to m - 1: above twice the highest level
  // that has entries, and one, there is none. A level without any may be followed by one with.
  int highest = 0;
  for (int level = 1; level <= fill_level && level <= 2 * highest + 1; ++level) {
    const std::int64_t before = columns.view.entries;
    if constexpr (backends::BackendIs<Exec, backends::Host>) {
      columns.stored = add_fill_on_threads<Exec>(exec, columns.view, level);
    } else {
      columns.stored = add_fill_on_lanes<Exec>(exec, columns.view, level);
    }
    columns.view = columns.stored.view();
    if (columns.view.entries > before) highest = level;
  }
}

/// The columns that a matrix of those parts has factors in. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
FactorColumns<Exec, O, Off> find_columns(const Exec& exec, O rows, Off entries, const Off* row_ptr,
                                         const O* col_idx, const IluOptions& options,
                                         const Parts& parts, bool stay) {
  const int size = options.block_size;
  StoredPattern<Exec, O, Off> blocks;
  if (size > 1) {
    blocks = blocks_of(exec, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(entries),
                       row_ptr, col_idx, size);
    row_ptr = blocks.row_ptr();
    col_idx = blocks.col_idx();
  }
  const AscendingPattern<Exec, O, Off> first(exec, size > 1 ? static_cast<O>(blocks.rows()) : rows,
                                             entries, row_ptr, col_idx, parts);
  FactorColumns<Exec, O, Off> columns{first.view(), first.stored(),
                                      first.leads() && size == 1 && options.fill_level == 0};
  const bool both_triangles = parts.lower && options.fill_level > 0;
  if (both_triangles) {
    columns.stored = with_transpose(exec, columns.view);
    columns.view = columns.stored.view();
  }
  add_fill(exec, options.fill_level, columns);
  if (size > 1 || both_triangles) {
    columns.stored = expand(
        exec, FullBlocks<O, Off>{columns.view, static_cast<std::int64_t>(rows), size, parts.lower});
  } else if (stay && (columns.stored.rows() == 0 || columns.view.level)) {
    columns.stored = without_levels(exec, columns.view);
  } else {
    return columns;
  }
  columns.view = columns.stored.view();
  return columns;
}

/// The pattern of factors of a matrix whose row pointer and columns are checked, and whose arrays
/// it may be unless it is to `stay`; or that of their lower triangle. Waits for `exec`. Throws
/// Error for a row without a diagonal.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
FactorPattern<Exec, O, Off> find_pattern(const Exec& exec, O rows, Off entries, const Off* row_ptr,
                                         const O* col_idx, const IluOptions& options, bool lower,
                                         bool stay) {
  const Subdomains<Exec> subdomains(exec, static_cast<std::int64_t>(rows), options, lower);
  const Parts parts = subdomains.parts();
  const auto columns = find_columns(exec, rows, entries, row_ptr, col_idx, options, parts, stay);
  const auto& stored = columns.stored;
  FactorPattern<Exec, O, Off> pattern(exec, columns.view, stored.row_ptr_memory(), stored.memory());
  if (columns.leads) return pattern;
  Off* const place = pattern.add_places(exec, entries);
  Kokkos::parallel_for(
      "heddle::ilu::places", range_policy(exec, columns.view.rows),
      FindPlaces<O, Off>{row_ptr, col_idx, columns.view, parts, options.block_size, place});
  return pattern;
}

}  // namespace heddle::detail::ilu
