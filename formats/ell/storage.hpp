// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../common/slots/fill_kernel.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::ell {

/// The arrays of an ELL matrix, both in one allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Rows keep the order of their entries. One allocation, one launch in the order of `exec`, no
  /// wait. `width` is the longest row of A.
  Storage(const Exec& exec, const Matrix& A, int width)
      : rows_(A.rows()), stride_(padded(A.rows())), width_(width) {
    const auto slots = static_cast<std::size_t>(stride_) * static_cast<std::size_t>(width);
    arena_ = Arena<Space>(exec, "heddle::spmv::ell", arena_bytes<O, S>(slots, slots));
    col_idx_ = arena_.template take<O>(slots);
    values_ = arena_.template take<S>(slots);
    fill<true>(exec, A);
  }

  /// New values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) { fill<false>(exec, A); }

  View<S, O> view() const { return {rows_, stride_, width_, col_idx_.data(), values_.data()}; }
  std::size_t bytes() const { return arena_.bytes(); }
  std::int64_t slots() const { return stride_ * width_; }
  double read_bytes() const { return static_cast<double>(slots()) * (sizeof(O) + sizeof(S)); }
  double carried_bytes() const { return 0; }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  template <bool Columns>
  void fill(const Exec& exec, const Matrix& A) const {
    Kokkos::parallel_for(Columns ? "heddle::spmv::ell_fill" : "heddle::spmv::ell_values",
                         range_policy(exec, slots()),
                         slots::FillKernel<Matrix, Columns>{A.row_ptr().data(), A.col_idx().data(),
                                                            A.values().data(), rows_, stride_,
                                                            col_idx_.data(), values_.data()});
  }

  O rows_;
  std::int64_t stride_;
  int width_;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<O> col_idx_;
  typename Arena<Space>::template Array<S> values_;
};

}  // namespace heddle::detail::ell
