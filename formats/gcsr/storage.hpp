// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/matrix.hpp"
#include "../common/arrays.hpp"
#include "view.hpp"

namespace heddle::detail::gcsr {

/// The rows that have entries and where each begins, found by a scan over all rows.
template <Ordinal O, Offset Off>
struct CompactRowsKernel {
  const Off* from;
  std::int64_t rows;
  O* row_number;
  Off* row_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t row, O& place, bool last) const {
    const bool has_entries = from[row] < from[row + 1];
    if (last && has_entries) {
      row_number[place] = static_cast<O>(row);
      row_ptr[place] = from[row];
    }
    if (has_entries) ++place;
    if (last && row == rows - 1) row_ptr[place] = from[rows];
  }
};

/// The arrays of a GCSR matrix beside the columns and values that it borrows, in one allocation.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;

  /// One allocation, two launches in the order of `exec`, no wait. `empty_rows` are those of A.
  template <Scalar S>
  Storage(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, std::int64_t empty_rows)
      : all_rows_(A.rows()), rows_(static_cast<O>(A.rows() - empty_rows)) {
    const std::int64_t words = RowBits::words_for(all_rows_);
    std::tie(row_number_, row_ptr_, bits_) = arrays<O, Off, std::uint32_t>(
        arena_, exec, "heddle::spmv::gcsr", rows_, std::int64_t{rows_} + 1, words);
    const Off* const row_ptr = A.row_ptr().data();
    Kokkos::parallel_scan("heddle::spmv::gcsr_rows", range_policy(exec, all_rows_),
                          CompactRowsKernel<O, Off>{row_ptr, all_rows_, row_number_, row_ptr_});
    Kokkos::parallel_for("heddle::spmv::gcsr_bits", range_policy(exec, words),
                         MarkRows<EntriesBeyond<Off>>{{row_ptr, Off(0)}, all_rows_, bits_});
  }

  template <Scalar S>
  View<S, O, Off> view(const CsrMatrix<S, O, Off, Space>& A) const {
    return {all_rows_,         rows_,  row_number_, row_ptr_, A.col_idx().data(),
            A.values().data(), {bits_}};
  }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  O all_rows_;
  O rows_;
  Arena<Space> arena_;
  O* row_number_ = nullptr;
  Off* row_ptr_ = nullptr;
  std::uint32_t* bits_ = nullptr;
};

}  // namespace heddle::detail::gcsr
