// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/mailbox.hpp"
#include "../../common/arrays.hpp"
#include "../../common/segments/share_rows.hpp"
#include "../../coo/view.hpp"
#include "inspect_kernels.hpp"
#include "kernel.hpp"

namespace heddle::detail::hyb::rest {

/// How much of a matrix its main part leaves.
struct Size {
  std::int64_t long_rows = 0;  ///< rows that have entries in the rest
  std::int64_t entries = 0;
};

/// The arrays of the rest, in one allocation, and the shares of it in another; Vectors is what one
/// launch takes. Made by default it holds nothing, and cannot be launched.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc, int Vectors>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using Shares = segments::ShareRows<Exec, O, Off, Acc>;
  using Table = typename Shares::Table;
  using Row = typename Shares::Row;
  using Mailbox = backends::Mailbox<Acc, Vectors>;
  using View = coo::View<S, O, Off, Row>;

  Storage() = default;

  /// entries(row) is how many entries of A's row lie in the rest. Five launches in the order of
  /// `exec`, no wait; columns and values come by fill().
  template <class Entries>
  Storage(const Exec& exec, const Matrix& A, const Size& size, const Entries& entries,
          const Device& device)
      : size_(size), rows_(A.rows()) {
    const std::int64_t words = RowBits::words_for(rows_);
    // In the order in which an apply reads them; the inspector's own come last.
    std::tie(columns_, values_, words_, bits_, before_word_, row_number_, rest_ptr_) =
        arrays<O, S, Word, std::uint32_t, O, O, Off>(
            arena_, exec, "heddle::spmv::rest", size.entries, size.entries,
            size.long_rows * static_cast<std::int64_t>(Mailbox::words_per_place), words, words,
            size.long_rows, size.long_rows + 1);
    Kokkos::parallel_scan(
        "heddle::spmv::rest_rows", range_policy(exec, rows_),
        LongRowsKernel<Entries, O, Off>{entries, rows_, row_number_, rest_ptr_, before_word_});
    Kokkos::parallel_for("heddle::spmv::rest_bits", range_policy(exec, words),
                         MarkRows<Entries>{entries, rows_, bits_});
    Kokkos::parallel_for("heddle::spmv::rest_clear", range_policy(exec, size.long_rows),
                         ClearKernel<Mailbox>{mailbox()});
    const Matrix rest(static_cast<O>(size.long_rows), A.columns(), static_cast<Off>(size.entries),
                      rest_ptr_, columns_, values_);
    shares_ = Shares(exec, rest, device);
  }

  /// Values, and with Columns columns too, from source(k, place): see FillKernel. One launch, no
  /// wait.
  template <bool Columns, class Source>
  void fill(const Exec& exec, const Matrix& A, const Source& source) const {
    using Fill = FillKernel<Matrix, Table, Row, Source, Columns>;
    const Fill fill{
        table(), shares_.local_row(), source, A.col_idx().data(), A.values().data(), columns_,
        values_};
    backends::launch<backends::Shape<1, 128>>(
        exec, Columns ? "heddle::spmv::rest_fill" : "heddle::spmv::rest_values", table().shares,
        fill);
  }

  View view() const { return {shares_.local_row(), columns_, values_}; }
  const Table& table() const { return shares_.table(); }
  LongRows<O> long_rows() const { return {{bits_}, before_word_}; }
  Mailbox mailbox() const { return {words_}; }
  CollectedSums<O, Mailbox> collected() const { return {long_rows(), mailbox(), rows_}; }

  /// Of each long row its number, and where it begins in the rest.
  const O* row_number() const { return row_number_; }
  const Off* rest_ptr() const { return rest_ptr_; }

  const Size& size() const { return size_; }
  std::size_t bytes() const { return arena_.bytes() + shares_.bytes(); }

  /// Bytes that an apply moves for it, without x and y, whatever the vectors, and for each of them.
  double moved_bytes() const {
    return static_cast<double>(size_.entries) * (sizeof(S) + sizeof(O) + sizeof(Row)) +
           static_cast<double>(RowBits::words_for(rows_)) * (sizeof(std::uint32_t) + sizeof(O));
  }
  double moved_bytes_per_vector() const {
    return static_cast<double>(size_.long_rows) * 2 * sizeof(Acc);
  }

 private:
  using Word = typename Mailbox::Word;

  Size size_;
  std::int64_t rows_ = 0;
  Arena<Space> arena_;
  O* columns_ = nullptr;
  S* values_ = nullptr;
  Word* words_ = nullptr;
  std::uint32_t* bits_ = nullptr;
  O* before_word_ = nullptr;
  O* row_number_ = nullptr;
  Off* rest_ptr_ = nullptr;
  Shares shares_;
};

}  // namespace heddle::detail::hyb::rest
