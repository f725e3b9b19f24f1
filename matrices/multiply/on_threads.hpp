// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <utility>

#include "../../backends/host/cpu_traits.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/partition.hpp"
#include "../column_bits.hpp"
#include "columns.hpp"
#include "symbolic.hpp"

/// Products on a CPU, each of whose threads computes a share of the rows. A thread has a bit for
/// every column, and in the numeric phase a sum for every column that a row may span: no table is
/// filled for a row, and no list sorted. Source of the sums: F. Gustavson, "Two fast algorithms for
/// sparse matrices", ACM Trans. Math. Softw. 4, 1978.
namespace heddle::detail::matrix_product {

template <ExecutionSpace Exec>
inline constexpr bool on_threads = backends::runs_on_host<Exec>;

/// The columns of each row, by shares of the rows. Counts them, and with `listed` appends them to
/// the list of the share; with `col_idx` only writes them to C.
template <Ordinal O, Offset OffA, Offset OffB, Offset OffC>
struct MarkColumns {
  Patterns<O, OffA, OffB> patterns;
  const std::int64_t* first_row;  ///< first row of each share
  std::uint64_t* bits;
  std::int64_t bits_of_share;
  std::int64_t* lengths;
  const std::int64_t* before;  ///< offset of each share's list, at its first row
  O* listed = nullptr;
  const OffC* row_ptr = nullptr;
  O* col_idx = nullptr;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    O* next = listed ? listed + before[first_row[share]] : nullptr;
    std::uint64_t* const own = bits + share * bits_of_share;
    ColumnBits columns{own, own + ceil_div(patterns.columns, 64)};
    for (std::int64_t row = first_row[share]; row < first_row[share + 1]; ++row) {
      std::int64_t found = 0;
      for (std::int64_t k = patterns.A.begin(row); k < patterns.A.end(row); ++k) {
        found += mark(columns, patterns.B, patterns.A.col_idx[k]);
      }
      if (patterns.D.row_ptr) found += mark(columns, patterns.D, row);
      if (col_idx) {
        O* to = col_idx + row_ptr[row];
        columns.take_all([&](std::int64_t column) { *to++ = static_cast<O>(column); });
        continue;
      }
      lengths[row] = found;
      if (listed) {
        columns.take_all([&](std::int64_t column) { *next++ = static_cast<O>(column); });
      } else {
        columns.take_all([](std::int64_t) {});
      }
    }
  }
  template <class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t mark(ColumnBits& columns, const Pattern& pattern,
                                                std::int64_t row) const {
    std::int64_t found = 0;
    for (std::int64_t l = pattern.begin(row); l < pattern.end(row); ++l) {
      found += columns.mark(pattern.col_idx[l]);
    }
    return found;
  }
};

/// Copies the lists of shares to C.
template <Ordinal O, Offset OffC>
struct CopyLists {
  const std::int64_t* first_row;
  const std::int64_t* before;
  const O* listed;
  const OffC* row_ptr;
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const O* const from = listed + before[first_row[share]];
    const std::int64_t begin = row_ptr[first_row[share]], end = row_ptr[first_row[share + 1]];
    for (std::int64_t p = begin; p < end; ++p) col_idx[p] = from[p - begin];
  }
};

/// The first row of each share of about equal work. `before`: prefix sum of WorkOfRow.
struct FirstRowOfShare {
  const std::int64_t* before;
  std::int64_t rows;
  std::int64_t shares;
  std::int64_t* first_row;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const std::int64_t work = EqualShares{before[rows], shares}.begin(share);
    first_row[share] = share == shares ? rows : first_not_below(before, rows, work);
  }
};

/// Work of a row: its products, and one for the row itself.
struct WorkOfRow {
  const std::int64_t* products;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t row) const { return products[row] + 1; }
};

/// Shares of the rows, at most one for each thread and row.
template <ExecutionSpace Exec>
class Shares {
 public:
  Shares() = default;
  /// Makes `count` shares, without a wait. Writes `before`, which has rows + 1 items.
  Shares(const Exec& exec, std::int64_t count, std::int64_t rows, const std::int64_t* products,
         std::int64_t* before)
      : count_(count),
        memory_(exec, "heddle::multiply::shares", bytes_for(count)),
        first_row_(
            memory_.template take<std::int64_t>(static_cast<std::size_t>(count_) + 1).data()) {
    running_sum(exec, "heddle::multiply::work_before", before, rows, WorkOfRow{products});
    parallel_for(exec, "heddle::multiply::share_rows", count_ + 1,
                 FirstRowOfShare{before, rows, count_, first_row_});
  }

  static std::size_t bytes_for(std::int64_t count) {
    return arena_bytes<std::int64_t>(static_cast<std::size_t>(count) + 1);
  }
  std::int64_t count() const { return count_; }
  const std::int64_t* first_row() const { return first_row_; }
  std::size_t bytes() const { return memory_.bytes(); }

 private:
  std::int64_t count_ = 0;
  Arena<typename Exec::memory_space> memory_;
  std::int64_t* first_row_ = nullptr;
};

/// The symbolic phase, as Symbolic, on CPU threads.
template <ExecutionSpace Exec, Ordinal O, Offset OffA, Offset OffB>
class SymbolicOnThreads {
 public:
  using Space = typename Exec::memory_space;

  /// Counts; waits for `exec`. `workspace_bytes` limits the number of threads by the memory of
  /// their bits; at least one runs. With `lists` the columns are listed too, if the rest has space
  /// for one for each product; only the memory of found columns is touched. `allow(bytes)` throws
  /// if the plan may not hold that many; it is called before they are allocated.
  template <class Allow>
  SymbolicOnThreads(const Exec& exec, const Patterns<O, OffA, OffB>& patterns,
                    std::size_t workspace_bytes, bool lists, const Allow& allow)
      : patterns_(patterns) {
    const auto rows = static_cast<std::size_t>(patterns.rows);
    const std::int64_t words = ColumnBits::words_for(patterns.columns);
    bits_of_share_ = words + ColumnBits::words_for(words) + 8;  // plus a cache line between shares
    const auto fitting =
        static_cast<std::int64_t>(workspace_bytes / sizeof(std::uint64_t)) / bits_of_share_;
    const std::int64_t shares = std::clamp<std::int64_t>(
        fitting, 1,
        std::max<std::int64_t>(
            1, std::min<std::int64_t>(patterns.rows, backends::threads_at_once(exec))));
    const auto all = static_cast<std::size_t>(shares * bits_of_share_);
    const std::size_t bits_bytes = arena_bytes<std::uint64_t>(all);
    const std::size_t bytes = arena_bytes<std::int64_t, std::int64_t>(rows, rows + 1);
    allow(bytes + Shares<Exec>::bytes_for(shares) + bits_bytes);
    memory_ = Arena<Space>(exec, "heddle::multiply::lengths", bytes);
    lengths_ = memory_.template take<std::int64_t>(rows).data();
    before_ = memory_.template take<std::int64_t>(rows + 1).data();
    parallel_for(exec, "heddle::multiply::products", patterns.rows,
                 CountProductsOfRow<O, OffA, OffB>{patterns, lengths_});
    shares_ = Shares<Exec>(exec, shares, patterns.rows, lengths_, before_);
    Kokkos::parallel_reduce("heddle::multiply::all_products", range_policy(exec, patterns.rows),
                            SumOf<Terms<std::int64_t>>{{lengths_}}, products_);
    bits_memory_ = Arena<Space>(exec, "heddle::multiply::bits", bits_bytes);
    bits_ = bits_memory_.template take<std::uint64_t>(all).data();
    fill(exec, "heddle::multiply::clear", bits_, static_cast<std::int64_t>(all), 0);
    const auto most = static_cast<std::size_t>(products_ + patterns.rows);
    const std::size_t left = workspace_bytes - std::min(workspace_bytes, bits_bytes);
    if (lists && !patterns.D.row_ptr && most <= left / sizeof(O)) {
      list_memory_ = Arena<Space>(exec, "heddle::multiply::columns", arena_array(listed_, most));
    }
    Mark<int> counts;
    counts.listed = listed_;
    mark(exec, "heddle::multiply::count_columns", counts);
    Kokkos::parallel_reduce("heddle::multiply::entries", range_policy(exec, patterns.rows),
                            SumOf<Terms<std::int64_t>>{{lengths_}}, entries_);
  }

  std::int64_t products() const { return products_; }
  std::int64_t entries() const { return entries_; }
  std::size_t bytes() const {
    return memory_.bytes() + shares_.bytes() + bits_memory_.bytes() + list_memory_.bytes();
  }
  /// Moves the shares to the numeric phase.
  Shares<Exec> take_shares() { return std::exchange(shares_, {}); }

  template <Offset OffC>
  void write(const Exec& exec, OffC* row_ptr, O* col_idx) {
    running_sum(exec, "heddle::multiply::row_ptr", row_ptr, patterns_.rows,
                Terms<std::int64_t>{lengths_});
    if (listed_) {
      parallel_for(exec, "heddle::multiply::write_columns", shares_.count(),
                   CopyLists<O, OffC>{shares_.first_row(), before_, listed_, row_ptr, col_idx});
      return;
    }
    Mark<OffC> writes;
    writes.row_ptr = row_ptr;
    writes.col_idx = col_idx;
    mark(exec, "heddle::multiply::write_columns", writes);
  }

 private:
  template <Offset OffC>
  using Mark = MarkColumns<O, OffA, OffB, OffC>;

  template <class Kernel>
  void mark(const Exec& exec, const char* label, Kernel kernel) {
    kernel.patterns = patterns_;
    kernel.first_row = shares_.first_row();
    kernel.bits = bits_;
    kernel.bits_of_share = bits_of_share_;
    kernel.lengths = lengths_;
    kernel.before = before_;
    parallel_for(exec, label, shares_.count(), kernel);
  }

  Patterns<O, OffA, OffB> patterns_;
  Arena<Space> memory_, bits_memory_, list_memory_;
  std::int64_t* lengths_ = nullptr;
  std::int64_t* before_ = nullptr;
  O* listed_ = nullptr;
  Shares<Exec> shares_;
  std::uint64_t* bits_ = nullptr;
  std::int64_t bits_of_share_ = 0;
  std::int64_t products_ = 0;
  std::int64_t entries_ = 0;
};

/// The sums of each row of C, by shares of the rows: a column's is at the place of its lowest bits.
/// The columns of a row lie within `mask` + 1, so they have different places.
template <class Work>
struct DenseSums {
  using Sum = typename Work::Sum;

  Work work;
  const std::int64_t* first_row;
  Sum* sums;
  std::int64_t sums_of_share;
  std::int64_t mask;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    Sum* const own = sums + share * sums_of_share;
    const std::int64_t bits = mask;
    const auto& A = work.A;
    const auto& B = work.B;
    const auto& C = work.C;
    for (std::int64_t row = first_row[share]; row < first_row[share + 1]; ++row) {
      const std::int64_t begin = C.begin(row), end = C.end(row);
      for (std::int64_t p = begin; p < end; ++p) own[C.col_idx[p] & bits] = work.start(p);
      for (std::int64_t k = A.begin(row); k < A.end(row); ++k) {
        const auto a = work.factor(k);
        const std::int64_t j = A.col_idx[k];
        const std::int64_t last = B.end(j);
        for (std::int64_t l = B.begin(j); l < last; ++l) work.add(own[B.col_idx[l] & bits], a, l);
      }
      for (std::int64_t p = begin; p < end; ++p) {
        work.sums[p] = work.finish(own[C.col_idx[p] & bits]);
      }
    }
  }
};

/// The number of columns from the first to the last of a row, which ascend.
template <Ordinal O, Offset Off>
struct SpanOfRow {
  PatternOperand<O, Off> C;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& widest) const {
    if (C.begin(row) == C.end(row)) return;
    const std::int64_t first = C.col_idx[C.begin(row)], last = C.col_idx[C.end(row) - 1];
    widest = last - first + 1 > widest ? last - first + 1 : widest;
  }
};

/// A share of the rows for each thread of a CPU that gets a row, with an array of sums for the
/// columns that any row spans: few in a band, all of them in rows of any columns. Empty on GPUs,
/// and if that array would neither stay in the cache of a core nor be smaller, for all threads,
/// than the product.
template <ExecutionSpace Exec, Scalar S>
class DenseRows {
 public:
  DenseRows() = default;
  /// Allocates the sums. Waits for the widest row.
  template <Ordinal O, Offset Off>
  DenseRows(const Exec& exec, Shares<Exec> shares, std::int64_t rows,
            const PatternOperand<O, Off>& C, std::int64_t entries)
      : shares_(std::move(shares)) {
    std::int64_t widest = 1;
    Kokkos::parallel_reduce("heddle::multiply::widest_row", range_policy(exec, rows),
                            SpanOfRow<O, Off>{C}, Kokkos::Max<std::int64_t>(widest));
    const auto sums = static_cast<std::int64_t>(
        std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(1, widest))));
    const std::int64_t own = sums + 64 / std::int64_t{sizeof(S)};  // a cache line between shares
    const std::int64_t all = shares_.count() * own;
    const bool cached = static_cast<std::size_t>(sums) <= backends::core_cache_bytes() / sizeof(S);
    if (!cached && all > entries) return;
    mask_ = sums - 1;
    sums_of_share_ = own;
    memory_ = Arena<typename Exec::memory_space>(exec, "heddle::multiply::dense_sums",
                                                 arena_array(sums_, all));
    fill(exec, "heddle::multiply::clear", sums_, all, S(0));
  }

  explicit operator bool() const { return sums_ != nullptr; }
  std::size_t bytes() const { return shares_.bytes() + memory_.bytes(); }

  template <class Work>
  void sum(const Exec& exec, const Work& work) const {
    parallel_for(exec, "heddle::multiply::dense_sums", shares_.count(),
                 DenseSums<Work>{work, shares_.first_row(), sums_, sums_of_share_, mask_});
  }

 private:
  Shares<Exec> shares_;
  std::int64_t sums_of_share_ = 0;
  std::int64_t mask_ = 0;
  Arena<typename Exec::memory_space> memory_;
  S* sums_ = nullptr;
};

}  // namespace heddle::detail::matrix_product
