// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../backends/atomics.hpp"
#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "../../../core/search.hpp"
#include "operands.hpp"

/// The columns of rows that are too long for scratch: a bit a column in memory, which all threads
/// mark together, whatever rows of A and B are long. Bits are in order, so nothing is sorted.
namespace heddle::detail::matrix_product {

struct MarkedRows {
  std::uint64_t* bits;
  std::int64_t words;  ///< of a row

  KOKKOS_FORCEINLINE_FUNCTION void mark(std::int64_t slot, std::int64_t column) const {
    const std::uint64_t bit = std::uint64_t{1} << (column % 64);
    std::uint64_t* const word = bits + slot * words + column / 64;
    if ((backends::atomic_load(word) & bit) == 0) backends::atomic_or(word, bit);
  }
};

/// A subwarp an entry of A in one of the rows, and in a second launch a row of D.
template <Ordinal O, Offset OffA, Offset OffB>
struct MarkKernel {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;

  Patterns<O, OffA, OffB> patterns;
  MarkedRows marked;
  const O* rows;
  const std::int64_t* first_entry;  ///< of each of the rows, counted through them
  std::int64_t begin, end;          ///< the rows of this batch
  bool of_D;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    if (of_D) {
      if (begin + item < end) mark(subwarp, patterns.D, rows[begin + item], item);
      return;
    }
    const std::int64_t entry = first_entry[begin] + item;
    if (entry >= first_entry[end]) return;
    const std::int64_t slot = last_not_above(first_entry, begin, end, entry);
    const std::int64_t k = patterns.A.begin(rows[slot]) + entry - first_entry[slot];
    mark(subwarp, patterns.B, patterns.A.col_idx[k], slot - begin);
  }

  template <class Subwarp, class Pattern>
  KOKKOS_FORCEINLINE_FUNCTION void mark(const Subwarp& subwarp, const Pattern& pattern,
                                        std::int64_t row, std::int64_t slot) const {
    for (std::int64_t l = pattern.begin(row) + subwarp.lane(); l < pattern.end(row);
         l += Subwarp::width) {
      marked.mark(slot, pattern.col_idx[l]);
    }
  }
};

template <Ordinal O, Offset Off>
struct LengthsOfRows {
  const O* rows;
  PatternOperand<O, Off> A;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return A.length(rows[i]); }
};

struct BitsOfWord {
  const std::uint64_t* bits;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t word) const {
    return Kokkos::popcount(bits[word]);
  }
};

template <Ordinal O>
struct PutLengths {
  const O* rows;
  const std::int64_t* before;
  std::int64_t words;
  std::int64_t* lengths;
  KOKKOS_FUNCTION void operator()(std::int64_t slot) const {
    lengths[rows[slot]] = before[(slot + 1) * words] - before[slot * words];
  }
};

template <Ordinal O, Offset OffC>
struct WriteBits {
  const O* rows;
  const std::uint64_t* bits;
  const std::int64_t* before;
  std::int64_t words;
  const OffC* row_ptr;
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t word) const {
    const std::int64_t slot = word / words;
    std::int64_t to =
        static_cast<std::int64_t>(row_ptr[rows[slot]]) + before[word] - before[slot * words];
    const std::int64_t column = (word - slot * words) * 64;
    for (std::uint64_t left = bits[word]; left != 0; left &= left - 1) {
      col_idx[to++] = static_cast<O>(column + Kokkos::countr_zero(left));
    }
  }
};

/// Takes as many rows at a time as `workspace_bytes` hold, at least one: two bits a column for
/// each. `allow` throws where so many bytes may not be held.
template <ExecutionSpace Exec, Ordinal O, Offset OffA, Offset OffB>
class LongRows {
 public:
  template <class Allow>
  LongRows(const Exec& exec, const Patterns<O, OffA, OffB>& patterns, const O* rows,
           std::int64_t count, std::size_t workspace_bytes, const Allow& allow)
      : patterns_(patterns), rows_(rows), count_(count) {
    if (count == 0) return;
    words_ = ceil_div(patterns.columns, 64);
    const auto row_bytes = static_cast<std::size_t>(words_) * 2 * sizeof(std::uint64_t);
    const auto fitting = static_cast<std::int64_t>(workspace_bytes / row_bytes);
    batch_ = std::min(count, std::max<std::int64_t>(1, fitting));
    const auto words = static_cast<std::size_t>(batch_ * words_);
    const auto starts = static_cast<std::size_t>(count) + 1;
    const std::size_t bytes =
        arena_bytes<std::uint64_t, std::int64_t, std::int64_t>(words, words + 1, starts);
    allow(bytes);
    memory_ = Arena<typename Exec::memory_space>(exec, "heddle::multiply::bits", bytes);
    bits_ = memory_.template take<std::uint64_t>(words).data();
    before_ = memory_.template take<std::int64_t>(words + 1).data();
    const auto first_entry = memory_.template take<std::int64_t>(starts);
    first_entry_ = first_entry.data();
    running_sum(exec, "heddle::multiply::entries", first_entry_, count,
                LengthsOfRows<O, OffA>{rows, patterns.A});
    exec.fence("heddle::multiply::entries");
    const auto here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), first_entry);
    first_entry_here_.assign(here.data(), here.data() + starts);
  }

  std::size_t bytes() const { return memory_.bytes(); }

  /// lengths[row] of each.
  void count(const Exec& exec, std::int64_t* lengths) {
    for (std::int64_t begin = 0; begin < count_; begin += batch_) {
      const std::int64_t rows = mark(exec, begin);
      parallel_for(exec, "heddle::multiply::lengths", rows,
                   PutLengths<O>{rows_ + begin, before_, words_, lengths});
    }
  }
  /// Their columns, in ascending order, where row_ptr says.
  template <Offset OffC>
  void write(const Exec& exec, const OffC* row_ptr, O* col_idx) {
    for (std::int64_t begin = 0; begin < count_; begin += batch_) {
      const std::int64_t rows = batch_ < count_ ? mark(exec, begin) : count_;
      parallel_for(exec, "heddle::multiply::bits", rows * words_,
                   WriteBits<O, OffC>{rows_ + begin, bits_, before_, words_, row_ptr, col_idx});
    }
  }

 private:
  /// Marks the rows of the batch from `begin` on, and counts.
  std::int64_t mark(const Exec& exec, std::int64_t begin) {
    using Kernel = MarkKernel<O, OffA, OffB>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    const std::int64_t end = std::min(count_, begin + batch_);
    const std::int64_t rows = end - begin;
    fill(exec, "heddle::multiply::clear", bits_, rows * words_, 0);
    Kernel kernel{patterns_, {bits_, words_}, rows_, first_entry_, begin, end, false};
    const std::int64_t entries = first_entry_here_[static_cast<std::size_t>(end)] -
                                 first_entry_here_[static_cast<std::size_t>(begin)];
    backends::launch<typename Kernel::Shape>(exec, "heddle::multiply::mark",
                                             ceil_div(entries, Team::subwarps), kernel);
    if (patterns_.D.row_ptr) {
      kernel.of_D = true;
      backends::launch<typename Kernel::Shape>(exec, "heddle::multiply::mark",
                                               ceil_div(rows, Team::subwarps), kernel);
    }
    running_sum(exec, "heddle::multiply::bits_before", before_, rows * words_, BitsOfWord{bits_});
    return rows;
  }

  Patterns<O, OffA, OffB> patterns_;
  const O* rows_;
  std::int64_t count_;
  std::int64_t words_ = 0;
  std::int64_t batch_ = 1;
  Arena<typename Exec::memory_space> memory_;
  std::uint64_t* bits_ = nullptr;
  std::int64_t* before_ = nullptr;
  std::int64_t* first_entry_ = nullptr;
  std::vector<std::int64_t> first_entry_here_;
};

}  // namespace heddle::detail::matrix_product
