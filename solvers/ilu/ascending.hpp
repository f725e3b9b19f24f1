// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/transpose.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "options.hpp"
#include "pattern.hpp"

namespace heddle::detail::ilu {

/// Which entries of a matrix factors are made of, as kernels see it.
struct Parts {
  const int* of_row;  ///< the subdomain of each row; null: runs of rows
  std::int64_t rows;
  std::int64_t runs;
  bool lower;  ///< of the lower triangle alone

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t of(std::int64_t row) const {
    return of_row ? of_row[row] : row * runs / rows;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool keep(std::int64_t i, std::int64_t j) const {
    if (lower && j > i) return false;
    return (!of_row && runs == 1) || of(i) == of(j);
  }
};

/// The subdomains that options name, of rows or of block rows.
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

/// How far the rows of a matrix are from what factors need.
struct OrderSums {
  std::int64_t falling = 0;   ///< entries whose column is below the one before
  std::int64_t repeated = 0;  ///< entries that repeat the column before
  std::int64_t dropped = 0;   ///< entries that factors are not made of

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

/// Of rows whose columns do not fall: those that are kept, each once.
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

/// The pattern of a matrix with ascending columns, each once, and of `parts` alone:
/// its own arrays where they are so already. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class AscendingPattern {
 public:
  /// rows x rows; the arrays must outlive this.
  AscendingPattern(const Exec& exec, O rows, Off entries, const Off* row_ptr, const O* col_idx,
                   const Parts& parts)
      : view_{row_ptr, col_idx, nullptr, static_cast<std::int64_t>(rows),
              static_cast<std::int64_t>(entries)},
        whole_rows_(!parts.of_row && parts.runs == 1) {
    Kokkos::parallel_reduce("heddle::ilu::order", range_policy(exec, view_.rows),
                            LookAtOrder<O, Off>{row_ptr, col_idx, parts}, order_);
    if (order_.strict()) return;
    TransposedPattern<Exec, O, Off> sorted;
    if (order_.falling > 0) {  // by two stable transpositions
      sorted = {exec, transposed(exec, view_).pattern()};
      view_.row_ptr = sorted.pattern().row_ptr().data();
      view_.col_idx = sorted.pattern().col_idx().data();
    }
    stored_ = ilu::stored<O, Off>(exec, "heddle::ilu::ascending", view_.rows,
                                  KeptColumns<O, Off>{view_.row_ptr, view_.col_idx, parts});
    view_ = stored_.view();
  }

  const PatternView<O, Off>& view() const { return view_; }
  /// Empty where these are the arrays that were given.
  const StoredPattern<Exec, O, Off>& stored() const { return stored_; }
  /// Whether every row keeps its first entries in their order.
  bool leads() const {
    return order_.strict() || (order_.falling + order_.repeated == 0 && whole_rows_);
  }

 private:
  PatternView<O, Off> view_;
  bool whole_rows_;  ///< what is dropped lies above the diagonal
  OrderSums order_;
  StoredPattern<Exec, O, Off> stored_;
};

}  // namespace heddle::detail::ilu
