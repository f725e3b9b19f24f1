// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/matrix.hpp"
#include "../../formats/inspect/transpose.hpp"
#include "stored_pattern.hpp"
#include "subdomains.hpp"

namespace heddle::detail::ilu {

/// How far the rows of a matrix are from what factors need.
struct RowOrder {
  std::int64_t falling = 0;   ///< entries whose column is below the one before
  std::int64_t repeated = 0;  ///< entries that repeat the column before
  std::int64_t dropped = 0;   ///< entries that factors are not made of

  KOKKOS_INLINE_FUNCTION RowOrder& operator+=(const RowOrder& other) {
    falling += other.falling;
    repeated += other.repeated;
    dropped += other.dropped;
    return *this;
  }
  bool strict() const { return falling + repeated + dropped == 0; }
};

template <Ordinal O, Offset Off>
struct LookAtOrder {
  using value_type = RowOrder;
  const Off* row_ptr;
  const O* col_idx;
  Parts parts;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = RowOrder(); }
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
  const Off* row_ptr_to;
  O* col_idx_to;

  KOKKOS_FUNCTION bool keeps(std::int64_t i, Off k) const {
    if (k > row_ptr[i] && col_idx[k] == col_idx[k - 1]) return false;
    return parts.keep(i, static_cast<std::int64_t>(col_idx[k]));
  }
};
template <Ordinal O, Offset Off>
struct CountKept : KeptColumns<O, Off> {
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    std::int64_t count = 0;
    for (Off k = this->row_ptr[i]; k < this->row_ptr[i + 1]; ++k) count += this->keeps(i, k);
    return count;
  }
};
template <Ordinal O, Offset Off>
struct CopyKept : KeptColumns<O, Off> {
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off to = this->row_ptr_to[i];
    for (Off k = this->row_ptr[i]; k < this->row_ptr[i + 1]; ++k) {
      if (this->keeps(i, k)) this->col_idx_to[to++] = this->col_idx[k];
    }
  }
};

/// The pattern of a matrix with ascending columns, each once, and of `parts` alone:
/// its own arrays where they are so already. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class AscendingPattern {
 public:
  using Space = typename Exec::memory_space;

  /// rows x rows; the arrays must outlive this.
  AscendingPattern(const Exec& exec, O rows, Off entries, const Off* row_ptr, const O* col_idx,
                   const Parts& parts)
      : view_{row_ptr, col_idx, nullptr, static_cast<std::int64_t>(rows),
              static_cast<std::int64_t>(entries)} {
    Kokkos::parallel_reduce("heddle::ilu::order", range_policy(exec, view_.rows),
                            LookAtOrder<O, Off>{row_ptr, col_idx, parts}, order_);
    if (order_.strict()) return;
    if (order_.falling > 0) sort(exec, rows, entries);
    compress(exec, parts);
  }

  const PatternView<O, Off>& view() const { return view_; }
  /// Whether these are the arrays that were given.
  bool borrowed() const { return order_.strict(); }

 private:
  using Matrix = CsrMatrix<float, O, Off, Space>;  // of no values, as it were: the smallest

  /// By two stable transpositions.
  void sort(const Exec& exec, O rows, Off entries) {
    const auto count = static_cast<std::size_t>(entries);
    Arena<Space> memory(exec, "heddle::ilu::no_values", arena_bytes<float>(count));
    float* const none = memory.template take<float>(count).data();
    fill(exec, "heddle::ilu::no_values", none, static_cast<std::int64_t>(entries), 0.0f);
    const Transposed<Exec, float, O, Off> once(
        exec, Matrix(rows, rows, entries, view_.row_ptr, view_.col_idx, none));
    sorted_.emplace(exec, once.matrix());
    const Matrix twice = sorted_->matrix();
    view_.row_ptr = twice.row_ptr().data();
    view_.col_idx = twice.col_idx().data();
  }
  void compress(const Exec& exec, const Parts& parts) {
    const KeptColumns<O, Off> kept{view_.row_ptr, view_.col_idx, parts, nullptr, nullptr};
    stored_ = StoredPattern<Exec, O, Off>(exec, view_.rows, false, CountKept<O, Off>{kept});
    const KeptColumns<O, Off> copied{view_.row_ptr, view_.col_idx, parts, stored_.row_ptr(),
                                     stored_.col_idx()};
    Kokkos::parallel_for("heddle::ilu::ascending", range_policy(exec, view_.rows),
                         CopyKept<O, Off>{copied});
    exec.fence("heddle::ilu::ascending");
    sorted_.reset();
    view_ = stored_.view();
  }

  PatternView<O, Off> view_;
  RowOrder order_;
  std::optional<Transposed<Exec, float, O, Off>> sorted_;
  StoredPattern<Exec, O, Off> stored_;
};

}  // namespace heddle::detail::ilu
