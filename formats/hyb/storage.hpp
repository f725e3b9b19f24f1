// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/slots/fill_kernel.hpp"
#include "rest/storage.hpp"
#include "view.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// Where entry k of the rest, one of the place-th long row, lies in CSR: behind the entries that
/// have slots.
template <Ordinal O, Offset Off>
struct FromPlace {
  const Off* row_ptr;
  const O* row_number;
  const Off* rest_ptr;
  Off width;

  KOKKOS_FORCEINLINE_FUNCTION Off operator()(Off k, O place) const {
    return row_ptr[row_number[place]] + width + (k - rest_ptr[place]);
  }
};

/// The arrays of a HYB matrix: the slots, and the rest.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using Rest = rest::Storage<Exec, S, O, Off, Acc, tuning.vectors>;
  using View = hyb::View<S, O, Off, typename Rest::Row>;

  /// Entries keep their order. Three allocations, seven launches in the order of `exec`, no wait.
  Storage(const Exec& exec, const Matrix& A, const Widths& widths, const Device& device)
      : widths_(widths),
        rows_(A.rows()),
        stride_(padded(A.rows())),
        rest_(exec, A, {widths.long_rows, widths.rest},
              EntriesBeyond<Off>{A.row_ptr().data(), static_cast<Off>(widths.width)}, device) {
    const auto slots = static_cast<std::size_t>(this->slots());
    arena_ = Arena<Space>(exec, "heddle::spmv::hyb", arena_bytes<O, S>(slots, slots));
    columns_ = arena_.template take<O>(slots);
    values_ = arena_.template take<S>(slots);
    fill<true>(exec, A);
  }

  /// New values of the same pattern: two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const { fill<false>(exec, A); }

  View view() const {
    const ell::View<S, O> slots{rows_, stride_, widths_.width, columns_.data(), values_.data()};
    return {slots, rest_.view(), rest_.long_rows()};
  }
  const Rest& rest() const { return rest_; }

  const Widths& widths() const { return widths_; }
  std::int64_t slots() const { return stride_ * widths_.width; }
  std::size_t bytes() const { return arena_.bytes() + rest_.bytes(); }
  double read_bytes() const {
    return static_cast<double>(slots()) * (sizeof(S) + sizeof(O)) + rest_.moved_bytes();
  }
  double carried_bytes() const { return rest_.moved_bytes_per_vector(); }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  template <bool Columns>
  void fill(const Exec& exec, const Matrix& A) const {
    const FromPlace<O, Off> source{A.row_ptr().data(), rest_.row_number(), rest_.rest_ptr(),
                                   static_cast<Off>(widths_.width)};
    rest_.template fill<Columns>(exec, A, source);
    const slots::FillKernel<Matrix, Columns> slots{
        A.row_ptr().data(), A.col_idx().data(), A.values().data(), rows_, stride_,
        columns_.data(),    values_.data()};
    Kokkos::parallel_for(Columns ? "heddle::spmv::hyb_fill" : "heddle::spmv::hyb_values",
                         range_policy(exec, this->slots()), slots);
  }

  Widths widths_;
  O rows_;
  std::int64_t stride_;
  Arena<Space> arena_;
  Array<O> columns_;
  Array<S> values_;
  Rest rest_;
};

}  // namespace heddle::detail::hyb
