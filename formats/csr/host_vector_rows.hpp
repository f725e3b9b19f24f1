// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/host/vector.hpp>
#include <heddle/formats/csr/operands.hpp>
#include <heddle/formats/csr/row_runs.hpp>
#include <type_traits>

namespace heddle::csr {

/// Whether a product could run on vectors: real numbers of one type, 32-bit columns.
template <class Operands>
inline constexpr bool suits_host_vectors =
#ifdef HEDDLE_HOST_VECTORS
    (std::is_same_v<typename Operands::scalar_type, double> ||
     std::is_same_v<typename Operands::scalar_type, float>) &&
    std::is_same_v<typename Operands::scalar_type, typename Operands::accumulator_type> &&
    std::is_same_v<typename Operands::scalar_type, typename Operands::vector_type> &&
    sizeof(typename Operands::ordinal_type) == 4;
#else
    false;
#endif

/// Whether this product, on this processor, does.
template <class Operands>
bool takes_host_vectors(const Operands& operands) {
  return suits_host_vectors<Operands> && backends::prefers_host_vectors() &&
         operands.x.count == 1 && operands.x.row_stride == 1 && operands.y.row_stride == 1;
}

template <class Operands>
struct HostVectorRows;

#ifdef HEDDLE_HOST_VECTORS

/// Rows of A times one contiguous vector, on the vector registers of a CPU: the nonzeros of a row
/// lie side by side in a register, the last few under a mask; the sums of eight rows are formed and
/// stored together. A row of any length up to a register's is one step without a branch, so rows of
/// different length do not cost mispredicted branches, which is most of the time of a plain loop.
template <class Operands>
struct HostVectorRows {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Entries = backends::HostVector<S, 64 / sizeof(S)>;  // nonzeros of one row
  using EightRows = backends::HostVector<S, 8>;
  static constexpr int width = 64 / sizeof(S);
  static constexpr int columns = 1;

  /// From RowRuns, or null.
  const std::uint8_t* runs = nullptr;

  HEDDLE_VECTOR_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end, S* sum) const {
    *sum = Entries::sum(products(A, begin, end));
  }

  /// y of rows [first, stop).
  HEDDLE_VECTOR_FUNCTION void store_rows(const Operands& A, std::int64_t first,
                                         std::int64_t stop) const {
    if (!runs) return store_any_rows(A, first, stop);
    while (first < stop) {
      const std::uint8_t run = runs[first];
      const std::int64_t run_end = first + RowRunCode::rows(run);
      const std::int64_t end = run_end < stop ? run_end : stop;
      if (RowRunCode::kind(run) == RowRun::any) {
        store_any_rows(A, first, end);
      } else if (RowRunCode::kind(run) == RowRun::same) {
        store_rows_of_same_columns(A, first, end);
      } else {
        store_shifted_rows(A, first, end);
      }
      first = end;
    }
  }

 private:
  /// Sums of nonzeros [begin, end), spread over a register.
  HEDDLE_VECTOR_WORD Entries products(const Operands& A, Off begin, Off end) {
    const auto full = Entries::first(width);
    Entries even = Entries::all(0), odd = even;
    Off k = begin;
    for (; end - k > 2 * width; k += 2 * width) {
      even = add_products(A, full, k, even);
      odd = add_products(A, full, k + width, odd);
    }
    if (end - k > width) {
      even = add_products(A, full, k, even);
      k += width;
    }
    return Entries::add(even, add_products(A, Entries::first(end - k), k, odd));
  }

  HEDDLE_VECTOR_WORD Entries add_products(const Operands& A, typename Entries::Mask mask, Off k,
                                          Entries sum) {
    return Entries::multiply_add(Entries::load(mask, A.values + k), gather_x(A, mask, k), sum);
  }

  /// What nonzeros k, k + 1, ... multiply.
  HEDDLE_VECTOR_WORD Entries gather_x(const Operands& A, typename Entries::Mask mask, Off k) {
    return Entries::gather(mask, Entries::load_indices(mask, A.col_idx + k), A.x.data);
  }

  HEDDLE_VECTOR_WORD void store_eight(const Operands& A, std::int64_t row,
                                      typename EightRows::Mask mask, EightRows sums) {
    const EightRows old =
        A.beta == S(0) ? EightRows::all(0) : EightRows::load(mask, A.y.data + row);
    const EightRows kept = EightRows::multiply(EightRows::all(A.beta), old);
    EightRows::store(mask, A.y.data + row,
                     EightRows::multiply_add(EightRows::all(A.alpha), sums, kept));
  }

  HEDDLE_VECTOR_FUNCTION static void store_any_rows(const Operands& A, std::int64_t first,
                                                    std::int64_t stop) {
    std::int64_t row = first;
    for (; stop - row >= 8; row += 8) {
      if (A.row_ptr[row + 8] - A.row_ptr[row] < 8) {
        store_few_nonzeros(A, row);
        continue;
      }
      Entries sums[8];
      for (int i = 0; i < 8; ++i) sums[i] = products(A, A.row_ptr[row + i], A.row_ptr[row + i + 1]);
      store_eight(A, row, EightRows::first(8), Entries::sums(sums));
    }
    for (; row < stop; ++row) {
      const S sum = Entries::sum(products(A, A.row_ptr[row], A.row_ptr[row + 1]));
      A.store(static_cast<O>(row), 0, sum);
    }
  }

  /// Eight rows that are empty, but for a few nonzeros at most.
  HEDDLE_VECTOR_WORD void store_few_nonzeros(const Operands& A, std::int64_t row) {
    S sums[8] = {};
    Off k = A.row_ptr[row];
    const Off end = A.row_ptr[row + 8];
    for (int i = 0; k < end; ++i) {
      for (const Off row_end = A.row_ptr[row + i + 1]; k < row_end; ++k) {
        sums[i] += A.values[k] * A.x.data[A.col_idx[k]];
      }
    }
    store_eight(A, row, EightRows::first(8), EightRows::load(EightRows::first(8), sums));
  }

  /// x is gathered once for several rows.
  HEDDLE_VECTOR_FUNCTION static void store_rows_of_same_columns(const Operands& A,
                                                                std::int64_t first,
                                                                std::int64_t stop) {
    for (std::int64_t row = first; row < stop;) {
      const std::int64_t left = stop - row;
      if (left >= 4) {
        row += store_rows_together<4>(A, row);
      } else if (left == 3) {
        row += store_rows_together<3>(A, row);
      } else if (left == 2) {
        row += store_rows_together<2>(A, row);
      } else {
        row += store_rows_together<1>(A, row);
      }
    }
  }

  template <int Rows>
  HEDDLE_VECTOR_WORD int store_rows_together(const Operands& A, std::int64_t row) {
    const Off begin = A.row_ptr[row];
    const Off length = A.row_ptr[row + 1] - begin;
    Entries sums[Rows];
    for (int i = 0; i < Rows; ++i) sums[i] = Entries::all(0);
    for (Off j = 0; j < length; j += width) {  // rows of runs are short: j cannot overflow
      const Off left = length - j;
      const auto mask = Entries::first(left < width ? left : width);
      const auto x = gather_x(A, mask, begin + j);
      for (int i = 0; i < Rows; ++i) {
        const auto values = Entries::load(mask, A.values + begin + j + i * length);
        sums[i] = Entries::multiply_add(values, x, sums[i]);
      }
    }
    for (int i = 0; i < Rows; ++i) {
      A.store(static_cast<O>(row + i), 0, Entries::sum(sums[i]));
    }
    return Rows;
  }

  /// Eight rows side by side: nonzero j of the eight multiplies eight neighbouring entries of x,
  /// and only the columns of the first row are read.
  HEDDLE_VECTOR_FUNCTION static void store_shifted_rows(const Operands& A, std::int64_t first,
                                                        std::int64_t stop) {
    const Off begin = A.row_ptr[first];
    const Off length = A.row_ptr[first + 1] - begin;
    const auto rows_apart = EightRows::multiples(static_cast<std::int32_t>(length));
    for (std::int64_t row = first; row < stop; row += 8) {
      const auto mask = EightRows::first(stop - row < 8 ? stop - row : 8);
      const std::int64_t down = row - first;
      const S* values = A.values + begin + down * length;
      const S* x = A.x.data + down;
      EightRows sums = EightRows::all(0);
      for (Off j = 0; j < length; ++j) {
        sums = EightRows::multiply_add(EightRows::gather(mask, rows_apart, values + j),
                                       EightRows::load(mask, x + A.col_idx[begin + j]), sums);
      }
      store_eight(A, row, mask, sums);
    }
  }
};

#endif

}  // namespace heddle::csr
