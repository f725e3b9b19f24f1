// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <bit>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../matrix.hpp"
#include "numbers.hpp"
#include "options.hpp"
#include "text.hpp"
#include "threads.hpp"

namespace heddle::files {

/// Entries of one piece of a file, parsed by one thread, in the order of the file.
template <Scalar S, Ordinal O>
struct Entries {
  Buffer<O> rows = {};
  Buffer<O> columns = {};
  Buffer<S> values = {};  // empty for a pattern: all are 1
  std::size_t count = 0;
  std::size_t off_diagonal = 0;

  S value(std::size_t i) const { return values ? values[i] : S(1); }

  void allocate(std::size_t capacity, bool with_values) {
    rows = make_buffer<O>(capacity);
    columns = make_buffer<O>(capacity);
    if (with_values) values = make_buffer<S>(capacity);
  }
};

/// The first repeated entry, by row and column.
struct Duplicate {
  std::int64_t row;
  std::int64_t column;
};

/// The value of the mirror image of an entry.
template <Scalar S>
S mirrored(MatrixMarketSymmetry symmetry, const S& value) {
  if (symmetry == MatrixMarketSymmetry::skew_symmetric) return -value;
  return symmetry == MatrixMarketSymmetry::hermitian ? conjugate(value) : value;
}

/// Throws Error for a size that is too large, before anything of that size is allocated.
template <Scalar S, Ordinal O, Offset Off>
void check_sizes(std::int64_t rows, std::int64_t columns, std::int64_t nonzeros,
                 const ReadOptions& options, const Where& where) {
  const std::int64_t largest = std::numeric_limits<O>::max();
  if (rows > largest || columns > largest) {
    throw Error("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                    " does not fit into ordinals of " + std::to_string(sizeof(O) * 8) + " bits",
                where, "read it with a wider ordinal type");
  }
  if (std::cmp_greater(nonzeros, std::numeric_limits<Off>::max())) {
    throw Error(std::to_string(nonzeros) + " nonzeros do not fit into offsets of " +
                    std::to_string(sizeof(Off) * 8) + " bits",
                where, "read the matrix with a wider offset type");
  }
  const double needed = static_cast<double>(rows) * sizeof(Off) +
                        static_cast<double>(nonzeros) * (sizeof(O) + sizeof(S));
  if (needed > static_cast<double>(byte_limit(options))) {
    throw error_beyond_limit("a matrix of " + std::to_string(rows) + " rows and " +
                                 std::to_string(nonzeros) + " nonzeros",
                             options, where);
  }
}

template <Scalar S, Ordinal O, Offset Off>
using HostStorage = CsrStorage<S, O, Off, Kokkos::HostSpace>;

/// Throws bad_alloc if an allocation fails; the type that Kokkos throws depends on its version.
template <Scalar S, Ordinal O, Offset Off>
HostStorage<S, O, Off> allocate_csr(std::int64_t rows, std::int64_t columns,
                                    std::int64_t nonzeros) {
  try {
    return HostStorage<S, O, Off>(Kokkos::DefaultHostExecutionSpace(), static_cast<O>(rows),
                                  static_cast<O>(columns), static_cast<Off>(nonzeros));
  } catch (const std::exception&) {
    throw std::bad_alloc();
  }
}

/// Exclusive prefix sum: replaces each count by the sum of those before it.
template <Offset Off>
void exclusive_scan(int threads, Off* counts, std::size_t length) {
  constexpr std::size_t block = std::size_t{1} << 16;
  const std::size_t blocks = ceil_div(length, block);
  std::vector<Off> starts(blocks, 0);
  auto for_each_block = [&](auto&& body) {
    for_each_index(threads, blocks,
                   [&](std::size_t b) { body(b, b * block, std::min(length, (b + 1) * block)); });
  };
  for_each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) starts[b] += counts[i];
  });
  Off sum = 0;
  for (Off& start : starts) sum += std::exchange(start, sum);
  for_each_block([&](std::size_t b, std::size_t begin, std::size_t end) {
    Off before = starts[b];
    for (std::size_t i = begin; i < end; ++i) before += std::exchange(counts[i], before);
  });
}

/// counter++, atomic unless one thread counts `alone`.
template <Offset Off>
Off count_up(Off& counter, bool alone) {
  if (alone) return counter++;
  return std::atomic_ref<Off>(counter).fetch_add(1, std::memory_order_relaxed);
}

/// Sorts the columns of every row. Equal columns are ordered by the bits of their values, so that
/// the result does not depend on the order before. Above the diagonal the bits of the mirrored
/// values decide, so that repeated entries add up in one order on both sides.
template <Scalar S, Ordinal O>
class RowSorter {
 public:
  explicit RowSorter(MatrixMarketSymmetry symmetry) : symmetry_(symmetry) {}

  /// Sorts `count` entries of a row; returns the first repeated column, or -1.
  O sort(std::int64_t row, O* columns, S* values, std::size_t count) {
    bool ascending = true, strictly = true;
    for (std::size_t i = 1; i < count; ++i) {
      ascending = ascending && columns[i - 1] <= columns[i];
      strictly = strictly && columns[i - 1] < columns[i];
    }
    if (strictly) return -1;
    constexpr std::size_t short_row = 24;
    if (count <= short_row) {
      sort_short(row, columns, values, count);
    } else if (!ascending) {
      sort_long(columns, values, count);
    }
    const O* const twice = std::adjacent_find(columns, columns + count);
    if (twice == columns + count) return -1;
    if (count > short_row) sort_equal_columns(row, columns, values, count);
    return *twice;
  }

 private:
  bool less(bool above, const S& a, const S& b) const {
    return above ? bits_less(mirrored(symmetry_, a), mirrored(symmetry_, b)) : bits_less(a, b);
  }
  static bool bits_less(const S& a, const S& b) {
    if constexpr (is_complex<S>) {
      const auto a_real = bits(a.real()), b_real = bits(b.real());
      return a_real != b_real ? a_real < b_real : bits(a.imag()) < bits(b.imag());
    } else {
      return bits(a) < bits(b);
    }
  }
  static auto bits(float value) { return std::bit_cast<std::uint32_t>(value); }
  static auto bits(double value) { return std::bit_cast<std::uint64_t>(value); }

  void sort_short(std::int64_t row, O* columns, S* values, std::size_t count) const {
    for (std::size_t i = 1; i < count; ++i) {
      const O column = columns[i];
      const S value = values[i];
      std::size_t j = i;
      for (; j > 0 && (columns[j - 1] > column ||
                       (columns[j - 1] == column && less(column > row, value, values[j - 1])));
           --j) {
        columns[j] = columns[j - 1];
        values[j] = values[j - 1];
      }
      columns[j] = column;
      values[j] = value;
    }
  }

  void sort_long(O* columns, S* values, std::size_t count) {
    row_.resize(count);
    for (std::size_t i = 0; i < count; ++i) row_[i] = {columns[i], values[i]};
    std::sort(row_.begin(), row_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < count; ++i) {
      columns[i] = row_[i].first;
      values[i] = row_[i].second;
    }
  }

  void sort_equal_columns(std::int64_t row, const O* columns, S* values, std::size_t count) const {
    for (std::size_t begin = 0; begin < count;) {
      std::size_t end = begin + 1;
      while (end < count && columns[end] == columns[begin]) ++end;
      const bool above = columns[begin] > row;
      std::sort(values + begin, values + end,
                [&](const S& a, const S& b) { return less(above, a, b); });
      begin = end;
    }
  }

  MatrixMarketSymmetry symmetry_;
  std::vector<std::pair<O, S>> row_;
};

template <Scalar S, Ordinal O, Offset Off>
std::optional<Duplicate> sort_rows(int threads, const HostStorage<S, O, Off>& matrix,
                                   MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general) {
  std::optional<Duplicate> first;
  std::mutex first_mutex;
  const auto row_ptr = matrix.row_ptr();
  constexpr std::size_t grain = 4096;
  for_each_range(
      threads, static_cast<std::size_t>(matrix.rows()), grain, [&](auto begin, auto end) {
        RowSorter<S, O> sorter(symmetry);
        std::optional<Duplicate> mine;
        for (std::size_t row = begin; row < end; ++row) {
          const auto start = static_cast<std::size_t>(row_ptr(row));
          const auto count = static_cast<std::size_t>(row_ptr(row + 1)) - start;
          const O twice =
              sorter.sort(static_cast<std::int64_t>(row), matrix.col_idx().data() + start,
                          matrix.values().data() + start, count);
          if (twice >= 0 && !mine) mine = Duplicate{static_cast<std::int64_t>(row), twice};
        }
        std::lock_guard lock(first_mutex);
        if (mine && (!first || mine->row < first->row)) first = mine;
      });
  return first;
}

/// A copy of the matrix in which repeated entries, which must be neighbours, are added up.
template <Scalar S, Ordinal O, Offset Off>
HostStorage<S, O, Off> add_duplicates(const HostStorage<S, O, Off>& matrix) {
  const auto row_ptr = matrix.row_ptr();
  const auto col_idx = matrix.col_idx();
  const auto values = matrix.values();
  auto distinct = static_cast<std::int64_t>(matrix.nonzeros());
  for (O row = 0; row < matrix.rows(); ++row) {
    for (Off k = row_ptr(row) + 1; k < row_ptr(row + 1); ++k) {
      distinct -= col_idx(k) == col_idx(k - 1);
    }
  }
  auto result = allocate_csr<S, O, Off>(matrix.rows(), matrix.columns(), distinct);
  Off to = 0;
  result.row_ptr()(0) = 0;
  for (O row = 0; row < matrix.rows(); ++row) {
    for (Off k = row_ptr(row); k < row_ptr(row + 1); ++k) {
      if (k > row_ptr(row) && col_idx(k) == col_idx(k - 1)) {
        result.values()(to - 1) += values(k);
      } else {
        result.col_idx()(to) = col_idx(k);
        result.values()(to++) = values(k);
      }
    }
    result.row_ptr()(row + 1) = to;
  }
  return result;
}

/// CSR from entries in any order, with ascending columns in each row; off-diagonal entries of a
/// matrix with symmetry are mirrored. Sizes must have been checked. `duplicate` is the first
/// repeated entry, if there is one.
template <Scalar S, Ordinal O, Offset Off>
HostStorage<S, O, Off> build_csr(std::int64_t rows, std::int64_t columns,
                                 MatrixMarketSymmetry symmetry,
                                 const std::vector<Entries<S, O>>& pieces, int threads,
                                 std::optional<Duplicate>& duplicate) {
  const bool mirror = symmetry != MatrixMarketSymmetry::general;
  std::size_t nonzeros = 0;
  for (const auto& piece : pieces) nonzeros += piece.count + (mirror ? piece.off_diagonal : 0);
  auto matrix = allocate_csr<S, O, Off>(rows, columns, static_cast<std::int64_t>(nonzeros));

  // starts[r] is in turn the length of row r, its first entry, the place of its next entry, and the
  // first entry of row r + 1: row_ptr is never copied.
  Off* const starts = matrix.row_ptr().data() + 1;
  const auto length = static_cast<std::size_t>(rows);
  matrix.row_ptr()(0) = 0;
  for_each_range(threads, length, std::size_t{1} << 16,
                 [&](auto begin, auto end) { std::fill(starts + begin, starts + end, Off(0)); });
  const bool alone = threads == 1 || pieces.size() == 1;
  for_each_index(threads, pieces.size(), [&](std::size_t p) {
    const auto& piece = pieces[p];
    for (std::size_t i = 0; i < piece.count; ++i) {
      const O row = piece.rows[i], column = piece.columns[i];
      count_up(starts[row], alone);
      if (mirror && row != column) count_up(starts[column], alone);
    }
  });
  exclusive_scan(threads, starts, length);
  O* const col_idx = matrix.col_idx().data();
  S* const values = matrix.values().data();
  for_each_index(threads, pieces.size(), [&](std::size_t p) {
    const auto& piece = pieces[p];
    auto put = [&](O row, O column, const S& value) {
      const auto at = static_cast<std::size_t>(count_up(starts[row], alone));
      col_idx[at] = column;
      values[at] = value;
    };
    for (std::size_t i = 0; i < piece.count; ++i) {
      const O row = piece.rows[i], column = piece.columns[i];
      const S value = piece.value(i);
      put(row, column, value);
      if (mirror && row != column) put(column, row, mirrored(symmetry, value));
    }
  });
  duplicate = sort_rows<S, O, Off>(threads, matrix, symmetry);
  return matrix;
}

template <class Space>
concept HostReadable =
    MemorySpace<Space> &&
    static_cast<bool>(Kokkos::SpaceAccessibility<Kokkos::HostSpace, Space>::accessible);

/// Throws Error, naming the row, unless row_ptr rises from 0 to the number of entries and every
/// column is in range. `name` is the file that is to be written.
template <Scalar S, Ordinal O, Offset Off, HostReadable Space>
void check_csr(const CsrMatrix<S, O, Off, Space>& matrix, const std::string& name, int threads) {
  if (matrix.row_ptr().extent(0) == 0) {
    if (matrix.nonzeros() == 0) return;
    throw Error("row_ptr is empty and there are " + std::to_string(matrix.nonzeros()) + " entries",
                Where{.file = name}, "give row_ptr of rows + 1 entries");
  }
  constexpr std::size_t grain = std::size_t{1} << 16;
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const Off* const row_ptr = matrix.row_ptr().data();
  const O* const col_idx = matrix.col_idx().data();
  auto fail = [&](std::size_t at, std::size_t row, const std::string& why) {
    throw Error("row_ptr(" + std::to_string(at) + ") is " + std::to_string(row_ptr[at]) + why,
                Where{.file = name, .row = static_cast<std::int64_t>(row)},
                "let row_ptr rise from 0 to the number of entries");
  };
  if (row_ptr[0] != 0) fail(0, 0, ", not 0");
  for_each_range(threads, rows, grain, [&](auto begin, auto end) {
    for (std::size_t row = begin; row < end; ++row) {
      if (row_ptr[row + 1] < row_ptr[row]) {
        fail(row + 1, row, ", less than " + std::to_string(row_ptr[row]) + " before it");
      }
    }
  });
  if (row_ptr[rows] != matrix.nonzeros()) {
    fail(rows, rows > 0 ? rows - 1 : 0,
         ", and there are " + std::to_string(matrix.nonzeros()) + " entries");
  }
  if (matrix.nonzeros() == 0) return;
  for_each_range(threads, rows, grain, [&](auto begin, auto end) {
    for (std::size_t row = begin; row < end; ++row) {
      for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
        if (col_idx[k] >= 0 && col_idx[k] < matrix.columns()) continue;
        throw Error("column " + std::to_string(col_idx[k]) + " is outside the " +
                        std::to_string(matrix.columns()) + " columns",
                    Where{.file = name,
                          .row = static_cast<std::int64_t>(row),
                          .entry = static_cast<std::int64_t>(k)},
                    "count columns from 0");
      }
    }
  });
}

}  // namespace heddle::files
