// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/segments/share_rows.hpp"
#include "../common/slots/fill_kernel.hpp"
#include "inspect_kernels.hpp"
#include "view.hpp"
#include "width.hpp"

namespace heddle::detail::hyb {

/// The arrays of a HYB matrix: those of both parts in one allocation, the shares of the rest and
/// the row of each of its entries in another.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using Rest = segments::ShareRows<Exec, O, Off, Acc>;
  using RestSums = backends::Mailbox<Acc, tuning.vectors>;
  using View = hyb::View<S, O, Off, typename Rest::Row>;

  /// Entries keep their order. Two allocations, seven launches in the order of `exec`, no wait.
  Storage(const Exec& exec, const Matrix& A, const Widths& widths, const Device& device)
      : widths_(widths), rows_(A.rows()), stride_(padded(A.rows())) {
    allocate(exec);
    const std::int64_t words = RowBits::words_for(rows_);
    const Off* const row_ptr = A.row_ptr().data();
    const auto width = static_cast<Off>(widths.width);
    Kokkos::parallel_scan("heddle::spmv::hyb_long_rows", policy(exec, rows_),
                          LongRowsKernel<O, Off>{row_ptr, rows_, width, row_number_.data(),
                                                 rest_ptr_.data(), before_word_.data()});
    Kokkos::parallel_for("heddle::spmv::hyb_bits", policy(exec, words),
                         MarkLongerRows<Off>{row_ptr, rows_, width, bits_.data()});
    Kokkos::parallel_for("heddle::spmv::hyb_clear", policy(exec, widths.long_rows),
                         ClearKernel<RestSums>{rest_sums()});
    const Matrix rest(static_cast<O>(widths.long_rows), A.columns(), static_cast<Off>(widths.rest),
                      rest_ptr_.data(), rest_columns_.data(), rest_values_.data());
    rest_ = Rest(exec, rest, device);
    fill<true>(exec, A);
  }

  /// New values of the same pattern: two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) const { fill<false>(exec, A); }

  View view() const {
    const ell::View<S, O> slots{rows_, stride_, widths_.width, columns_.data(), values_.data()};
    return {slots,
            {rest_.local_row(), rest_columns_.data(), rest_values_.data()},
            {{bits_.data()}, before_word_.data()}};
  }
  /// Where the sum of what a long row has beyond its slots is handed over, by its place.
  RestSums rest_sums() const { return {words_.data()}; }
  const typename Rest::Table& rest_table() const { return rest_.table(); }

  const Widths& widths() const { return widths_; }
  std::int64_t slots() const { return stride_ * widths_.width; }
  std::size_t bytes() const { return arena_.bytes() + rest_.bytes(); }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  static auto policy(const Exec& exec, std::int64_t n) {
    return Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>(
        kokkos_space(exec), 0, n);
  }

  /// In the order in which an apply reads them; the inspector's own come last.
  void allocate(const Exec& exec) {
    const auto rest = static_cast<std::size_t>(widths_.rest);
    const auto long_rows = static_cast<std::size_t>(widths_.long_rows);
    const auto slots = static_cast<std::size_t>(this->slots());
    const auto words = static_cast<std::size_t>(RowBits::words_for(rows_));
    using Word = typename RestSums::Word;
    arena_ = Arena<Space>(exec, "heddle::spmv::hyb",
                          arena_bytes<O, S, O, S, Word, std::uint32_t, O, O, Off>(
                              rest, rest, slots, slots, long_rows * RestSums::words_per_place,
                              words, words, long_rows, long_rows + 1));
    rest_columns_ = arena_.template take<O>(rest);
    rest_values_ = arena_.template take<S>(rest);
    columns_ = arena_.template take<O>(slots);
    values_ = arena_.template take<S>(slots);
    words_ = arena_.template take<Word>(long_rows * RestSums::words_per_place);
    bits_ = arena_.template take<std::uint32_t>(words);
    before_word_ = arena_.template take<O>(words);
    row_number_ = arena_.template take<O>(long_rows);
    rest_ptr_ = arena_.template take<Off>(long_rows + 1);
  }

  template <bool Columns>
  void fill(const Exec& exec, const Matrix& A) const {
    using RestKernel = FillRestKernel<Matrix, typename Rest::Table, typename Rest::Row, Columns>;
    const RestKernel rest{rest_.table(),
                          rest_.local_row(),
                          row_number_.data(),
                          rest_ptr_.data(),
                          static_cast<Off>(widths_.width),
                          A.row_ptr().data(),
                          A.col_idx().data(),
                          A.values().data(),
                          rest_columns_.data(),
                          rest_values_.data()};
    backends::launch<backends::Shape<1, 128>>(
        exec, Columns ? "heddle::spmv::hyb_fill_rest" : "heddle::spmv::hyb_rest_values",
        rest_.table().shares, rest);
    const slots::FillKernel<Matrix, Columns> slots{
        A.row_ptr().data(), A.col_idx().data(), A.values().data(), rows_, stride_,
        columns_.data(),    values_.data()};
    Kokkos::parallel_for(Columns ? "heddle::spmv::hyb_fill" : "heddle::spmv::hyb_values",
                         policy(exec, this->slots()), slots);
  }

  Widths widths_;
  O rows_;
  std::int64_t stride_;
  Arena<Space> arena_;
  Array<O> rest_columns_;
  Array<S> rest_values_;
  Array<O> columns_;
  Array<S> values_;
  Array<typename RestSums::Word> words_;
  Array<std::uint32_t> bits_;
  Array<O> before_word_;
  Array<O> row_number_;
  Array<Off> rest_ptr_;
  Rest rest_;
};

}  // namespace heddle::detail::hyb
