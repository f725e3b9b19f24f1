// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/host/threads.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/search.hpp"
#include "options.hpp"
#include "pattern.hpp"

namespace heddle::detail::ilu {

/// The entries of a matrix that are kept in the factors, as kernels use it.
struct Parts {
  const int* of_row;  ///< subdomain of each row; null: ranges of equal length
  std::int64_t rows;
  std::int64_t runs;
  bool lower;  ///< keeps the lower triangle alone

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t of(std::int64_t row) const {
    return of_row ? of_row[row] : row * runs / rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool keep(std::int64_t i, std::int64_t j) const {
    if (lower && j > i) return false;
    return (!of_row && runs == 1) || of(i) == of(j);
  }
};

/// The subdomains of options, for rows or block rows.
template <ExecutionSpace Exec>
class Subdomains {
 public:
  Subdomains(const Exec& exec, std::int64_t rows, const IluOptions& options, bool lower)
      : parts_{nullptr, ceil_div(rows, std::int64_t{options.block_size}), options.subdomains,
               lower} {
    const auto& given = options.partition;
    if (given.empty()) return;
    std::vector<int> of_block;
    for (std::size_t row = 0; row < given.size();
         row += static_cast<std::size_t>(options.block_size)) {
      of_block.push_back(given[row]);
    }
    memory_ = Arena<Space>(exec, "heddle::ilu::partition", arena_bytes<int>(of_block.size()));
    const auto to = memory_.template take<int>(of_block.size());
    using Host = Kokkos::View<const int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(kokkos_space(exec), to, Host(of_block.data(), of_block.size()));
    exec.fence("heddle::ilu::partition");
    parts_.of_row = to.data();
  }

  const Parts& parts() const { return parts_; }

 private:
  using Space = typename Exec::memory_space;
  Parts parts_;
  Arena<Space> memory_;
};

/// The transpose of a square pattern. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
TransposedPattern<Exec, O, Off> transposed(const Exec& exec, const PatternView<O, Off>& of) {
  return {exec, {of.rows, of.rows, of.entries, of.row_ptr, of.col_idx}};
}

/// Counts of entries that violate the order that factors need.
struct OrderSums {
  std::int64_t falling = 0;   ///< entries with a lower column than the one before
  std::int64_t repeated = 0;  ///< entries that repeat the column before
  std::int64_t dropped = 0;   ///< entries that are not in the factors

  KOKKOS_INLINE_FUNCTION OrderSums& operator+=(const OrderSums& other) {
    falling += other.falling;
    repeated += other.repeated;
    dropped += other.dropped;
    return *this;
  }
  bool strict() const { return falling + repeated + dropped == 0; }
};

template <Ordinal O, Offset Off>
struct LookAtOrder {
  using value_type = OrderSums;
  const Off* row_ptr;
  const O* col_idx;
  Parts parts;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = OrderSums(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const { sums += other; }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    const Off begin = row_ptr[i], end = row_ptr[i + 1];
    for (Off k = begin; k < end; ++k) {
      if (k > begin && col_idx[k] < col_idx[k - 1]) ++sums.falling;
      if (k > begin && col_idx[k] == col_idx[k - 1]) ++sums.repeated;
      if (!parts.keep(i, static_cast<std::int64_t>(col_idx[k]))) ++sums.dropped;
    }
  }
};

/// The kept columns of rows whose columns do not descend, each once.
template <Ordinal O, Offset Off>
struct KeptColumns {
  const Off* row_ptr;
  const O* col_idx;
  Parts parts;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void columns(std::int64_t i, const Visit& visit) const {
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (k > row_ptr[i] && col_idx[k] == col_idx[k - 1]) continue;
      if (parts.keep(i, static_cast<std::int64_t>(col_idx[k]))) visit(col_idx[k]);
    }
  }
};

/// The pattern of `parts` of a matrix, with ascending, unique columns: the matrix's own arrays if
/// they have this form. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class AscendingPattern {
 public:
  /// A has rows x rows; its arrays must outlive this object.
  AscendingPattern(const Exec& exec, O rows, Off entries, const Off* row_ptr, const O* col_idx,
                   const Parts& parts)
      : view_{row_ptr, col_idx, nullptr, static_cast<std::int64_t>(rows),
              static_cast<std::int64_t>(entries)},
        whole_rows_(!parts.of_row && parts.runs == 1) {
    Kokkos::parallel_reduce("heddle::ilu::order", range_policy(exec, view_.rows),
                            LookAtOrder<O, Off>{row_ptr, col_idx, parts}, order_);
    if (order_.strict()) return;
    TransposedPattern<Exec, O, Off> sorted;
    if (order_.falling > 0) {  // sorted by two stable transpositions
      sorted = {exec, transposed(exec, view_).pattern()};
      view_.row_ptr = sorted.pattern().row_ptr().data();
      view_.col_idx = sorted.pattern().col_idx().data();
    }
    stored_ = ilu::stored<O, Off>(exec, "heddle::ilu::ascending", view_.rows,
                                  KeptColumns<O, Off>{view_.row_ptr, view_.col_idx, parts});
    view_ = stored_.view();
  }

  const PatternView<O, Off>& view() const { return view_; }
  /// The copy of the pattern; empty if view() is the matrix's own arrays.
  const StoredPattern<Exec, O, Off>& stored() const { return stored_; }
  /// Whether the entries of each row are the first ones of the matrix's row, in their order.
  bool leads() const {
    return order_.strict() || (order_.falling + order_.repeated == 0 && whole_rows_);
  }

 private:
  PatternView<O, Off> view_;
  bool whole_rows_;  ///< entries are dropped only above the diagonal
  OrderSums order_;
  StoredPattern<Exec, O, Off> stored_;
};

/// Visits the fill of level new_level that entry (i, t), t < i, makes: the columns j > t of row t
/// whose level and that of (i, t) add up to new_level - 1.
template <Ordinal O, Offset Off>
struct FillOfEntry {
  PatternView<O, Off> from;
  int new_level;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t k,
                                              const Visit& visit) const {
    const O t = from.col_idx[k];
    const int wanted = new_level - 1 - from.level_of(static_cast<Off>(k));
    if (static_cast<std::int64_t>(t) >= i || wanted < 0) return;
    for (Off q = from.row_ptr[t + 1]; q > from.row_ptr[t] && from.col_idx[q - 1] > t; --q) {
      if (from.level_of(q - 1) == wanted) visit(from.col_idx[q - 1]);
    }
  }
};

/// count[k]: entry k and its fill. WriteFill writes their columns, BeginOfRows the row pointer.
template <Ordinal O, Offset Off>
struct CountFill {
  FillOfEntry<O, Off> fill;
  std::int64_t* count;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    std::int64_t columns = 1;
    fill(i, k, [&](O) { ++columns; });
    count[k] = columns;
  }
};
template <Ordinal O, Offset Off>
struct WriteFill {
  FillOfEntry<O, Off> fill;
  const std::int64_t* begin;  ///< offset of each entry's columns
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    O* next = col_idx + begin[k];
    *next++ = fill.from.col_idx[k];
    fill(i, k, [&](O column) { *next++ = column; });
  }
};
template <Offset Off>
struct BeginOfRows {
  const Off* row_ptr;
  const std::int64_t* begin;
  Off* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to[i] = static_cast<Off>(begin[row_ptr[i]]);
  }
};

/// Levels of the new pattern: entries of the pattern before keep theirs.
template <Ordinal O, Offset Off>
struct LevelOfEntry {
  PatternView<O, Off> before;
  int new_level;
  const O* col_idx;
  int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t k) const {
    const Off end = before.row_ptr[i + 1];
    const Off at = find_column(before.col_idx, before.row_ptr[i], end, col_idx[k]);
    level[k] = at < end ? before.level_of(at) : new_level;
  }
};

/// The pattern with the fill of `new_level`, on a device of many lanes. Waits for `exec`.
///
/// All entries of lower levels are in the pattern, so fill of level l is an entry (i, j) for which
/// entries (i, t) and (t, j), t < i and t < j, have levels that add up to l - 1. A thread has an
/// entry (i, t) and writes all such columns; the columns of a row are then sorted, and each kept
/// once. So a row is read once for each entry that needs it, however long it is.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> add_fill_on_lanes(const Exec& exec, const PatternView<O, Off>& from,
                                              int new_level) {
  using Space = typename Exec::memory_space;
  const FillOfEntry<O, Off> fill{from, new_level};
  const auto entries = static_cast<std::size_t>(from.entries);
  StoredPattern<Exec, O, Off> repeated(exec, from.rows);
  {
    std::int64_t* begin = nullptr;
    const Arena<Space> work(exec, "heddle::ilu::fill_begin", arena_array(begin, entries + 1));
    each_entry(exec, "heddle::ilu::count_fill", from.row_ptr, from.rows, from.entries,
               CountFill<O, Off>{fill, begin});
    const std::int64_t columns = running_sum_and_total<std::int64_t>(
        exec, "heddle::ilu::fill_begin", begin, from.entries, Terms<std::int64_t>{begin});
    repeated.allocate(exec, false, columns);
    Kokkos::parallel_for("heddle::ilu::row_ptr", range_policy(exec, from.rows + 1),
                         BeginOfRows<Off>{from.row_ptr, begin, repeated.row_ptr()});
    each_entry(exec, "heddle::ilu::write_fill", from.row_ptr, from.rows, from.entries,
               WriteFill<O, Off>{fill, begin, repeated.col_idx()});
    exec.fence("heddle::ilu::fill_written");
  }
  const Parts all{nullptr, from.rows, 1, false};
  const AscendingPattern<Exec, O, Off> once(exec, static_cast<O>(from.rows),
                                            static_cast<Off>(repeated.entries()),
                                            repeated.row_ptr(), repeated.col_idx(), all);
  const auto view = once.view();
  StoredPattern<Exec, O, Off> to(exec, from.rows);
  to.allocate(exec, true, view.entries);
  copy(exec, "heddle::ilu::row_ptr", to.row_ptr(), from.rows + 1, view.row_ptr);
  copy(exec, "heddle::ilu::columns", to.col_idx(), view.entries, view.col_idx);
  each_entry(exec, "heddle::ilu::levels", to.row_ptr(), from.rows, view.entries,
             LevelOfEntry<O, Off>{from, new_level, to.col_idx(), to.level()});
  exec.fence("heddle::ilu::filled");
  return to;
}

/// Columns and levels that a thread finds for its rows.
template <Ordinal O>
struct FilledRows {
  std::vector<O> col_idx;
  std::vector<int> level;
};

/// Rows [first, stop) of the pattern with the fill of `new_level` (defined by FillOfEntry), and the
/// number of entries of each. `seen` has an entry for each column, none equal to one of these rows.
template <Ordinal O, Offset Off>
void fill_rows(const PatternView<O, Off>& from, int new_level, std::int64_t first,
               std::int64_t stop, std::vector<O>& seen, std::int64_t* count, FilledRows<O>& to) {
  std::vector<O> fill;
  for (std::int64_t i = first; i < stop; ++i) {
    const Off begin = from.row_ptr[i], end = from.row_ptr[i + 1];
    const O row = static_cast<O>(i);
    fill.clear();
    for (Off k = begin; k < end; ++k) seen[static_cast<std::size_t>(from.col_idx[k])] = row;
    for (Off k = begin; k < end && from.col_idx[k] < row; ++k) {
      const O t = from.col_idx[k];
      const int wanted = new_level - 1 - from.level_of(k);
      if (wanted < 0) continue;
      for (Off q = from.row_ptr[t + 1]; q > from.row_ptr[t] && from.col_idx[q - 1] > t; --q) {
        O& of_column = seen[static_cast<std::size_t>(from.col_idx[q - 1])];
        if (of_column == row || from.level_of(q - 1) != wanted) continue;
        of_column = row;
        fill.push_back(from.col_idx[q - 1]);
      }
    }
    std::sort(fill.begin(), fill.end());
    auto next = fill.begin();
    for (Off k = begin; k < end; ++k) {
      for (; next != fill.end() && *next < from.col_idx[k]; ++next) {
        to.col_idx.push_back(*next);
        to.level.push_back(new_level);
      }
      to.col_idx.push_back(from.col_idx[k]);
      to.level.push_back(from.level_of(k));
    }
    to.col_idx.insert(to.col_idx.end(), next, fill.end());
    to.level.resize(to.col_idx.size(), new_level);
    count[i] = static_cast<std::int64_t>(end - begin) + static_cast<std::int64_t>(fill.size());
  }
}

/// The pattern with the fill of `new_level`, on the threads of a CPU. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> add_fill_on_threads(const Exec& exec, const PatternView<O, Off>& from,
                                                int new_level) {
  const auto threads = static_cast<std::size_t>(std::max(1, exec.concurrency()));
  std::vector<std::int64_t> count(static_cast<std::size_t>(from.rows));
  std::vector<FilledRows<O>> found(threads);
  // Shares of about as many entries; if a thread was not granted, others take its share.
  std::vector<std::int64_t> begin(threads + 1, from.rows);
  for (std::size_t t = 0; t < threads; ++t) {
    const auto entry =
        from.entries * static_cast<std::int64_t>(t) / static_cast<std::int64_t>(threads);
    begin[t] = std::lower_bound(from.row_ptr, from.row_ptr + from.rows, static_cast<Off>(entry)) -
               from.row_ptr;
  }
  const auto share = [&](int me, int granted) {
    std::vector<O> seen(static_cast<std::size_t>(from.rows), O(-1));
    for (auto t = static_cast<std::size_t>(me); t < threads;
         t += static_cast<std::size_t>(granted)) {
      fill_rows(from, new_level, begin[t], begin[t + 1], seen, count.data(), found[t]);
    }
  };
  backends::run_on_threads(exec, "heddle::ilu::fill", exec.concurrency(), share);
  StoredPattern<Exec, O, Off> to(exec, from.rows, true, Terms<std::int64_t>{count.data()});
  const auto copy = [&](int me, int granted) {
    for (auto t = static_cast<std::size_t>(me); t < threads;
         t += static_cast<std::size_t>(granted)) {
      const auto place = static_cast<std::ptrdiff_t>(to.row_ptr()[begin[t]]);
      std::copy(found[t].col_idx.begin(), found[t].col_idx.end(), to.col_idx() + place);
      std::copy(found[t].level.begin(), found[t].level.end(), to.level() + place);
    }
  };
  backends::run_on_threads(exec, "heddle::ilu::write_fill", exec.concurrency(), copy);
  return to;
}

template <Offset Off>
struct BlockRowPtr {
  const Off* row_ptr;
  std::int64_t rows;
  int size;
  Off* to;
  KOKKOS_FUNCTION void operator()(std::int64_t block) const {
    const std::int64_t row = block * size;
    to[block] = row_ptr[row < rows ? row : rows];
  }
};
template <Ordinal O>
struct BlockColumns {
  const O* col_idx;
  int size;
  O* to;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = static_cast<O>(col_idx[k] / size);
  }
};

/// The blocks of a matrix by block rows, one for each entry: repeated, and in no order.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> blocks_of(const Exec& exec, std::int64_t rows, std::int64_t entries,
                                      const Off* row_ptr, const O* col_idx, int size) {
  StoredPattern<Exec, O, Off> blocks(exec, ceil_div(rows, std::int64_t{size}));
  blocks.allocate(exec, false, entries);
  Kokkos::parallel_for("heddle::ilu::block_row_ptr", range_policy(exec, blocks.rows() + 1),
                       BlockRowPtr<Off>{row_ptr, rows, size, blocks.row_ptr()});
  Kokkos::parallel_for("heddle::ilu::block_columns", range_policy(exec, entries),
                       BlockColumns<O>{col_idx, size, blocks.col_idx()});
  return blocks;
}

/// The columns of row i if all blocks are full, or those of its lower triangle.
template <Ordinal O, Offset Off>
struct FullBlocks {
  PatternView<O, Off> blocks;
  std::int64_t rows;
  int size;
  bool lower;

  /// visit(column) in ascending order.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void columns(std::int64_t i, const Visit& visit) const {
    const std::int64_t block = i / size, stop = lower ? i + 1 : rows;
    for (Off k = blocks.row_ptr[block]; k < blocks.row_ptr[block + 1]; ++k) {
      const std::int64_t first = static_cast<std::int64_t>(blocks.col_idx[k]) * size;
      const std::int64_t last = first + size < stop ? first + size : stop;
      for (std::int64_t j = first; j < last; ++j) visit(static_cast<O>(j));
    }
  }
};

/// Writes out the pattern of full blocks. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
StoredPattern<Exec, O, Off> expand(const Exec& exec, const FullBlocks<O, Off>& full) {
  return stored<O, Off>(exec, "heddle::ilu::columns", full.rows, full);
}

/// A lower triangle with ascending columns, followed by its transpose in each row.
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

/// The columns of factors, ascending in each row.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
struct FactorColumns {
  PatternView<O, Off> view;
  StoredPattern<Exec, O, Off> stored;  ///< empty if `view` is the matrix's own arrays
  bool leads;                          ///< whether a row's entries are the first of the matrix's
};

/// Finds the place of each entry of the matrix in its row of the factors.
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

/// Adds the fill of levels 1 to `fill_level` to `columns`. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void add_fill(const Exec& exec, int fill_level, FactorColumns<Exec, O, Off>& columns) {
  // Fill of level m comes from two entries whose levels add up to m - 1, so the last possible level
  // is 2 * highest + 1. A level without entries may be followed by one that has some.
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

/// The columns of the factors of the `parts` of a matrix. Waits for `exec`.
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

/// The pattern of the factors of a matrix, or of L if `lower`. The row pointer and the columns were
/// checked. Without `stay` the pattern may be the matrix's own arrays. Waits for `exec`. Throws
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
