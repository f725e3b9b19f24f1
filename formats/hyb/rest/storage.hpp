// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/mailbox.hpp"
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
    allocate(exec);
    const std::int64_t words = RowBits::words_for(rows_);
    Kokkos::parallel_scan("heddle::spmv::rest_rows", range_policy(exec, rows_),
                          LongRowsKernel<Entries, O, Off>{entries, rows_, row_number_.data(),
                                                          rest_ptr_.data(), before_word_.data()});
    Kokkos::parallel_for("heddle::spmv::rest_bits", range_policy(exec, words),
                         MarkRows<Entries>{entries, rows_, bits_.data()});
    Kokkos::parallel_for("heddle::spmv::rest_clear", range_policy(exec, size.long_rows),
                         ClearKernel<Mailbox>{mailbox()});
    const Matrix rest(static_cast<O>(size.long_rows), A.columns(), static_cast<Off>(size.entries),
                      rest_ptr_.data(), columns_.data(), values_.data());
    shares_ = Shares(exec, rest, device);
  }

  /// Values, and with Columns columns too, from source(k, place): see FillKernel. One launch, no
  /// wait.
  template <bool Columns, class Source>
  void fill(const Exec& exec, const Matrix& A, const Source& source) const {
    using Fill = FillKernel<Matrix, Table, Row, Source, Columns>;
    const Fill fill{table(),           shares_.local_row(), source,        A.col_idx().data(),
                    A.values().data(), columns_.data(),     values_.data()};
    backends::launch<backends::Shape<1, 128>>(
        exec, Columns ? "heddle::spmv::rest_fill" : "heddle::spmv::rest_values", table().shares,
        fill);
  }

  View view() const { return {shares_.local_row(), columns_.data(), values_.data()}; }
  const Table& table() const { return shares_.table(); }
  LongRows<O> long_rows() const { return {{bits_.data()}, before_word_.data()}; }
  Mailbox mailbox() const { return {words_.data()}; }
  CollectedSums<O, Mailbox> collected() const { return {long_rows(), mailbox(), rows_}; }

  /// Of each long row its number, and where it begins in the rest.
  const O* row_number() const { return row_number_.data(); }
  const Off* rest_ptr() const { return rest_ptr_.data(); }

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
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  /// In the order in which an apply reads them; the inspector's own come last.
  void allocate(const Exec& exec) {
    const auto entries = static_cast<std::size_t>(size_.entries);
    const auto long_rows = static_cast<std::size_t>(size_.long_rows);
    const auto words = static_cast<std::size_t>(RowBits::words_for(rows_));
    using Word = typename Mailbox::Word;
    arena_ = Arena<Space>(exec, "heddle::spmv::rest",
                          arena_bytes<O, S, Word, std::uint32_t, O, O, Off>(
                              entries, entries, long_rows * Mailbox::words_per_place, words, words,
                              long_rows, long_rows + 1));
    columns_ = arena_.template take<O>(entries);
    values_ = arena_.template take<S>(entries);
    words_ = arena_.template take<Word>(long_rows * Mailbox::words_per_place);
    bits_ = arena_.template take<std::uint32_t>(words);
    before_word_ = arena_.template take<O>(words);
    row_number_ = arena_.template take<O>(long_rows);
    rest_ptr_ = arena_.template take<Off>(long_rows + 1);
  }

  Size size_;
  std::int64_t rows_ = 0;
  Arena<Space> arena_;
  Array<O> columns_;
  Array<S> values_;
  Array<typename Mailbox::Word> words_;
  Array<std::uint32_t> bits_;
  Array<O> before_word_;
  Array<O> row_number_;
  Array<Off> rest_ptr_;
  Shares shares_;
};

}  // namespace heddle::detail::hyb::rest
