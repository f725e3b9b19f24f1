// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_BitManipulation.hpp>

#include "../../backends/launch.hpp"
#include "../../backends/launch_simd.hpp"
#include "../../backends/mailbox.hpp"
#include "../../backends/memory.hpp"
#include "../common/arrays.hpp"
#include "../common/product.hpp"
#include "../common/row_bits.hpp"
#include "../common/segments/kernel.hpp"
#include "../common/segments/share_rows.hpp"
#include "../coo/view.hpp"

/// The rest: entries that are not in the main part of a format (slots, diagonals). They are stored
/// in coordinates, and the sum of a row's entries is posted to the thread that adds up the row in
/// the main part, so that y is written once.
namespace heddle::detail::hyb::rest {

/// The rows that have entries in the rest, and the index of each among them, as kernels see it: a
/// bit for each row, and for each word of bits the number of bits set in the words before it.
template <Ordinal O>
struct RowsOfRest {
  RowBits bits;
  const O* before_word;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t row) const { return bits(row); }
  KOKKOS_FORCEINLINE_FUNCTION O place(std::int64_t row) const {
    const std::uint32_t below = (std::uint32_t{1} << (row % RowBits::per_word)) - 1;
    return before_word[row / RowBits::per_word] +
           static_cast<O>(popcount(bits.words[row / RowBits::per_word] & below));
  }
};

/// Replaces x and y in the segmented sums of the rest: the sum of a long row is stored at its place
/// in the mailbox.
template <Scalar V, Scalar Acc, class Mailbox>
struct PostedSums {
  using vector_type = V;
  using accumulator_type = Acc;

  bool conjugate;
  Multivector<const V> x;
  Mailbox sums;

  template <Scalar S>
  KOKKOS_FORCEINLINE_FUNCTION S entry(const S& stored) const {
    return multiplied(stored, conjugate);
  }
  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector) const {
    return Acc(value) * Acc(x(column, vector));
  }
  template <Scalar S, Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector, bool wanted) const {
    return Acc(value) * Acc(backends::load(&x(column, vector), wanted));
  }
  template <Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION void store(O place, int vector, Acc sum) const {
    sums.post(place, vector, sum);
  }
};

/// Adds the rest to sums of the main part: for a long row the posted sum, for which it waits if
/// needed.
template <Ordinal O, class Mailbox>
struct CollectedSums {
  RowsOfRest<O> long_rows;
  Mailbox sums;
  std::int64_t rows;

  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION Pack add_to(const Pack& sum, std::int64_t row, int vector) const {
    using Acc = decltype(sums.collect(0, 0));
    Acc of[Pack::width];
    bool any = false;
    for (int i = 0; i < Pack::width; ++i) {
      of[i] = Acc(0);
      if (row + i < rows && long_rows(row + i)) {
        of[i] = sums.collect(long_rows.place(row + i), vector);
        any = true;
      }
    }
    return any ? Pack::add(sum, Pack::load(of)) : sum;
  }
};

/// Both parts in one launch, if teams may wait for lower ones: the first teams compute the rest,
/// and post its sums; the others compute the main part, and collect them. So y is written once.
///
/// MainKernel has run(team, index, scratch), with indices from zero, and is deterministic; so is
/// this kernel, since shares fix the order in which the rest is added up. Source of the split: N.
/// Bell and M. Garland, "Implementing sparse matrix-vector multiplication on throughput-oriented
/// processors", SC 2009, where the rest is added in a second launch.
template <class RestKernel, class MainKernel>
struct Kernel {
  union Scratch {
    typename RestKernel::Scratch rest;
    typename MainKernel::Scratch main;
  };

  RestKernel rest;
  MainKernel main;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.index() < rest.table.shares) return rest(team, scratch.rest);
    main.run(team, team.index() - rest.table.shares, scratch.main);
  }
};

/// Finds the long rows, for which entries(row) in the rest is not zero: their numbers, the first
/// entry of each in the rest, and for each word of bits the number of long rows before it. A scan
/// over all rows.
template <class Entries, Ordinal O, Offset Off>
struct LongRowsKernel {
  struct Counts {
    std::int64_t long_rows;
    std::int64_t rest;
  };
  using value_type = Counts;

  Entries entries;
  std::int64_t rows;
  O* row_number;
  Off* rest_ptr;
  O* before_word;

  KOKKOS_FUNCTION void init(Counts& counts) const { counts = {0, 0}; }
  KOKKOS_FUNCTION void join(Counts& counts, const Counts& other) const {
    counts.long_rows += other.long_rows;
    counts.rest += other.rest;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t row, Counts& counts, bool last) const {
    const auto length = static_cast<std::int64_t>(entries(row));
    if (last && row % RowBits::per_word == 0) {
      before_word[row / RowBits::per_word] = static_cast<O>(counts.long_rows);
    }
    if (length > 0) {
      if (last) {
        row_number[counts.long_rows] = static_cast<O>(row);
        rest_ptr[counts.long_rows] = static_cast<Off>(counts.rest);
      }
      ++counts.long_rows;
      counts.rest += length;
    }
    if (last && row == rows - 1) rest_ptr[counts.long_rows] = static_cast<Off>(counts.rest);
  }
};

/// Empties the places of a mailbox.
template <class Mailbox>
struct ClearKernel {
  Mailbox mailbox;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { mailbox.clear(place); }
};

/// Gathers values of the rest, and with Columns also columns, from CSR: a team for each share.
/// source(k, place) is the position in CSR of entry k of the rest, in the place-th long row.
template <class Matrix, class Table, class LocalRow, class Source, bool Columns>
struct FillKernel {
  using Scratch = backends::NoScratch;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Table table;
  const LocalRow* local_row;
  Source source;
  const O* from_columns;
  const S* from_values;
  O* col_idx;
  S* values;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto begin = table.edges[team.index()];
    const auto end = table.edges[team.index() + 1];
    for (Off k = begin.nonzero + static_cast<Off>(team.thread()); k < end.nonzero;
         k += static_cast<Off>(Team::threads)) {
      const Off from = source(k, begin.row + static_cast<O>(local_row[k]));
      if (Columns) col_idx[k] = from_columns[from];
      values[k] = from_values[from];
    }
  }
};

/// Number of rows and entries outside the main part of a matrix.
struct Size {
  std::int64_t long_rows = 0;  ///< rows with entries in the rest
  std::int64_t entries = 0;
};

/// The arrays of the rest, in one allocation, and its shares in another, for launches of up to
/// Vectors vectors. A default-constructed one is empty, and cannot be launched.
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

  /// entries(row) is the number of entries of A's row in the rest. Five launches in the order of
  /// `exec`, no wait; fill() then sets columns and values.
  template <class Entries>
  Storage(const Exec& exec, const Matrix& A, const Size& size, const Entries& entries,
          const Device& device)
      : size_(size), rows_(A.rows()) {
    const std::int64_t words = RowBits::words_for(rows_);
    // Arrays are in the order in which an apply reads them; those of the inspector are last.
    std::tie(columns_, values_, words_, bits_, before_word_, row_number_, rest_ptr_) =
        arrays<O, S, Word, std::uint32_t, O, O, Off>(
            arena_, exec, "heddle::spmv::rest", size.entries, size.entries,
            size.long_rows * static_cast<std::int64_t>(Mailbox::words_per_place), words, words,
            size.long_rows, size.long_rows + 1);
    Kokkos::parallel_scan(
        "heddle::spmv::rest_rows", scan_policy(exec, rows_),
        LongRowsKernel<Entries, O, Off>{entries, rows_, row_number_, rest_ptr_, before_word_});
    Kokkos::parallel_for("heddle::spmv::rest_bits", range_policy(exec, words),
                         MarkRows<Entries>{entries, rows_, bits_});
    Kokkos::parallel_for("heddle::spmv::rest_clear", range_policy(exec, size.long_rows),
                         ClearKernel<Mailbox>{mailbox()});
    const Matrix rest(static_cast<O>(size.long_rows), A.columns(), static_cast<Off>(size.entries),
                      rest_ptr_, columns_, values_);
    shares_ = Shares(exec, rest, device);
  }

  /// Sets values, and with Columns also columns, from source(k, place): see FillKernel. One launch,
  /// no wait.
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
  RowsOfRest<O> long_rows() const { return {{bits_}, before_word_}; }
  Mailbox mailbox() const { return {words_}; }
  CollectedSums<O, Mailbox> collected() const { return {long_rows(), mailbox(), rows_}; }

  /// For each long row its number, and its first entry in the rest.
  const O* row_number() const { return row_number_; }
  const Off* rest_ptr() const { return rest_ptr_; }

  const Size& size() const { return size_; }
  std::size_t bytes() const { return arena_.bytes() + shares_.bytes(); }

  /// Bytes that an apply moves for the rest, without x and y, and those that each vector adds.
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

/// The rest and the main part of y: in one launch if teams may wait for lower ones, else in two,
/// the rest first. Up to VectorLanes * VectorsPerLane vectors: VectorLanes neighbouring lanes share
/// them in the rest; a lane of the main part has all vectors, and `rows_per_lane` rows.
template <int VectorLanes, int VectorsPerLane, ExecutionSpace Exec, class Storage, Scalar V,
          Scalar Acc, class MainKernel>
void launch(const Exec& exec, const Storage& rest, const Product<V, Acc>& product,
            const MainKernel& main, int rows_per_lane, backends::Simd simd) {
  const char* const label = "heddle::spmv::hyb";
  constexpr bool lanes = backends::has_lanes<Exec>;
  using View = typename Storage::View;
  using Table = typename Storage::Table;
  using Posted = PostedSums<V, Acc, typename Storage::Mailbox>;
  const Posted posted{product.conjugate, product.x, rest.mailbox()};
  const Table& table = rest.table();
  const auto rows = static_cast<std::int64_t>(product.y.rows);
  if constexpr (lanes && Table::waits) {
    using Sums = segments::GpuSums<Exec, View, Posted, Table, VectorLanes, VectorsPerLane>;
    using Shape = typename Sums::Shape;
    const typename Sums::Kernel sums{rest.view(), posted, table};
    backends::launch_in_order<Shape>(
        exec, label,
        table.shares + ceil_div<std::int64_t>(rows, rows_per_lane * Shape::team_threads),
        Kernel<typename Sums::Kernel, MainKernel>{sums, main}, table.tickets);
  } else {
    constexpr int threads = lanes ? 256 : 1;
    segments::add_up_shares(exec, "heddle::spmv::hyb_rest", rest.view(), posted, table);
    backends::launch_simd<backends::Shape<1, threads>>(
        exec, label, ceil_div<std::int64_t>(rows, rows_per_lane * threads), main, simd);
  }
}

}  // namespace heddle::detail::hyb::rest
