// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../backends/cache_line.hpp"
#include "../../backends/prefetch.hpp"
#include "../../backends/simd_register.hpp"
#include "../common/compressed_rows/host_plain_rows.hpp"
#include "operands.hpp"
#include "row_hints.hpp"
#include "row_runs.hpp"

namespace heddle::detail::csr {

/// Whether a product could run on vectors: real numbers of one type, or a matrix of float and
/// vectors of double.
template <class Operands>
inline constexpr bool suits_simd =
    backends::has_simd_registers<typename Operands::scalar_type> &&
    std::is_same_v<typename Operands::vector_type, typename Operands::accumulator_type> &&
    (std::is_same_v<typename Operands::scalar_type, typename Operands::vector_type> ||
     (std::is_same_v<typename Operands::scalar_type, float> &&
      std::is_same_v<typename Operands::vector_type, double>));

/// How this product can use them: along a contiguous vector, or along a row of several vectors.
template <class Operands>
backends::Simd simd_for(const Operands& operands, backends::Simd simd) {
  const bool contiguous = operands.x.row_stride == 1 && operands.y.row_stride == 1;
  return suits_simd<Operands> && (contiguous || operands.x.count > 1) ? simd : backends::Simd::none;
}

/// Rows of A times one contiguous vector, on the vector registers of a CPU: four nonzeros of a row
/// lie side by side in a register, the last few under a mask; the sums of four rows are formed and
/// stored together. Rows of up to four nonzeros are one step without a branch, so rows of different
/// length cost few mispredicted branches, which are most of the time of a plain loop.
///
/// What a mask leaves out is read all the same: it belongs to the rows below. The last few nonzeros
/// of the matrix, which have too few below, are left to plain loops.
///
/// Loops take the operands as a copy, which no store to y can change: so they stay in registers.
template <class Operands, backends::Simd How>
struct HostSimdRows {
  using S = typename Operands::scalar_type;
  using V = typename Operands::vector_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Vector = backends::SimdRegister<V>;
  static constexpr int width = Vector::width;
  static constexpr int vectors = 1;

  /// The processor sees by itself where longer rows lead.
  static constexpr std::int64_t longest_prefetched = 48;

  RowHints hints;

  HEDDLE_SIMD_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end, V* sum) const {
    if (reads_beyond(A, end)) return compressed_rows::sum_nonzeros<1>(A, begin, end, sum);
    *sum = Vector::sum(products<1>(A, begin, end));
  }

  /// y of rows [first, stop).
  HEDDLE_SIMD_FUNCTION void store_rows(const Operands& A, std::int64_t first,
                                       std::int64_t stop) const {
    std::int64_t last = stop;
    while (last > first && reads_beyond(A, A.row_ptr[last])) --last;
    if (hints.runs) {
      store_runs(A, first, last);
    } else {
      store_any_rows(A, first, last);
    }
    if (last < stop) compressed_rows::HostPlainRows<Operands, 1>().store_rows(A, last, stop);
  }

 private:
  /// Whether two registers of nonzeros that begin at `end`, or before, would not end in the matrix.
  HEDDLE_SIMD_WORD bool reads_beyond(const Operands& A, Off end) {
    return A.row_ptr[A.rows] - end < 2 * width;
  }

  HEDDLE_SIMD_FUNCTION void store_runs(const Operands& A, std::int64_t first,
                                       std::int64_t stop) const {
    while (first < stop) {
      const std::uint8_t run = hints.runs[first];
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

  /// Sums of nonzeros [begin, end), spread over a register; the last Steps fours are taken at once,
  /// without asking how many there are.
  template <int Steps>
  HEDDLE_SIMD_WORD Vector products(const Operands& A, std::int64_t begin, std::int64_t end) {
    Vector even = Vector::all(0), odd = even;
    std::int64_t k = begin;
    for (; end - k > 2 * width; k += 2 * width) {
      even = Vector::multiply_add(Vector::load(A.values + k), gather_x(A, k), even);
      odd = Vector::multiply_add(Vector::load(A.values + k + width), gather_x(A, k + width), odd);
    }
    if (Steps == 2) {
      even = add_first(A, end - k, k, even);
      odd = add_first(A, end - k - width, k + width, odd);
      return Vector::add(even, odd);
    }
    if (end - k > width) {
      even = Vector::multiply_add(Vector::load(A.values + k), gather_x(A, k), even);
      k += width;
    }
    return Vector::add(even, add_first(A, end - k, k, odd));
  }

  /// Adds the products of the first n of the four nonzeros from k on.
  HEDDLE_SIMD_WORD Vector add_first(const Operands& A, std::int64_t n, std::int64_t k, Vector sum) {
    // x beyond the row may be infinite, so that a zero for the value alone would not do.
    const auto mask = Vector::first(n);
    const Vector values = Vector::keep(mask, Vector::load(A.values + k));
    return Vector::multiply_add(values, Vector::keep(mask, gather_x(A, k)), sum);
  }

  /// Asks for the nonzeros that lie a fixed distance beyond [begin, end); perhaps beyond the
  /// matrix, where asking does no harm. All columns, since with gaps the processor fetches less by
  /// itself.
  HEDDLE_SIMD_WORD void prefetch(const Operands& A, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t ahead = 1024, line = backends::entries_per_line<S>;
    for (std::int64_t k = begin + ahead; k < end + ahead; k += line) {
      backends::prefetch(A.values + k);
      backends::prefetch(A.col_idx + k);
    }
  }

  /// Asks for what nonzeros k and k + 1 multiply. Where few rows have any, branches are guessed
  /// wrong so often that loads of x would begin only when they are due.
  HEDDLE_SIMD_WORD void prefetch_x(const Operands& A, std::int64_t k) {
    backends::prefetch(A.x.data + A.col_idx[k]);
    backends::prefetch(A.x.data + A.col_idx[k + 1]);
  }

  /// What nonzeros k, k + 1, ... multiply.
  HEDDLE_SIMD_WORD Vector gather_x(const Operands& A, std::int64_t k) {
    return gather(A.col_idx + k, A.x.data);
  }
  HEDDLE_SIMD_WORD Vector gather(const O* columns, const V* x) {
    if constexpr (How == backends::Simd::gathers && sizeof(O) == 4) {
      return Vector::gather(columns, x);
    } else {
      return Vector::load_each(columns, x);
    }
  }

  HEDDLE_SIMD_WORD void store_four(const Operands& A, std::int64_t row, Vector sums) {
    const Vector old = A.beta == V(0) ? Vector::all(0) : Vector::load(A.y.data + row);
    const Vector kept = Vector::multiply(Vector::all(A.beta), old);
    Vector::store(A.y.data + row, Vector::multiply_add(Vector::all(A.alpha), sums, kept));
  }

  HEDDLE_SIMD_WORD void store_one(const Operands& A, std::int64_t row, V sum) {
    V& y = A.y.data[row];
    y = A.beta == V(0) ? A.alpha * sum : A.alpha * sum + A.beta * y;
  }

  HEDDLE_SIMD_FUNCTION void store_any_rows(const Operands& A, std::int64_t first,
                                           std::int64_t stop) const {
    switch (hints.loop) {
      case RowLoop::row:
        if (hints.prefetch) return store_rows_one_by_one<true>(A, first, stop);
        return store_rows_one_by_one<false>(A, first, stop);
      case RowLoop::four: return store_rows_by_four<1, false>(A, first, stop);
      case RowLoop::branchless: return store_rows_by_four<2, false>(A, first, stop);
      case RowLoop::sparse: return store_rows_by_four<1, true>(A, first, stop);
    }
  }

  /// Row by row, the last nonzeros one by one: nothing is done in vain.
  template <bool Prefetch>
  HEDDLE_SIMD_FUNCTION static void store_rows_one_by_one(Operands A, std::int64_t first,
                                                         std::int64_t stop) {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      if (Prefetch && end - k <= longest_prefetched) prefetch(A, k, end);
      Vector sums = Vector::all(0);
      for (; end - k >= width; k += width) {
        sums = Vector::multiply_add(Vector::load(A.values + k), gather_x(A, k), sums);
      }
      V sum = Vector::sum(sums);
      for (; k < end; ++k) sum += A.values[k] * A.x.data[A.col_idx[k]];
      store_one(A, row, sum);
    }
  }

  template <int Steps, bool Sparse>
  HEDDLE_SIMD_FUNCTION static void store_rows_by_four(Operands A, std::int64_t first,
                                                      std::int64_t stop) {
    [[maybe_unused]] const std::int64_t last = A.row_ptr[A.rows] - 2;
    std::int64_t row = first;
    for (; stop - row >= 4; row += 4) {
      const std::int64_t begin = A.row_ptr[row];
      std::int64_t ends[4];
      for (int i = 0; i < 4; ++i) ends[i] = A.row_ptr[row + 1 + i];
      Vector sums[4] = {Vector::all(0), Vector::all(0), Vector::all(0), Vector::all(0)};
      if (ends[3] > begin) {
        if constexpr (Sparse) prefetch_x(A, begin + 64 < last ? begin + 64 : last);
        sums[0] = products<Steps>(A, begin, ends[0]);
        sums[1] = products<Steps>(A, ends[0], ends[1]);
        sums[2] = products<Steps>(A, ends[1], ends[2]);
        sums[3] = products<Steps>(A, ends[2], ends[3]);
      }
      store_four(A, row, Vector::sums(sums));
    }
    for (; row < stop; ++row) {
      const V sum = Vector::sum(products<Steps>(A, A.row_ptr[row], A.row_ptr[row + 1]));
      store_one(A, row, sum);
    }
  }

  /// x is gathered once for several rows.
  HEDDLE_SIMD_FUNCTION void store_rows_of_same_columns(Operands A, std::int64_t first,
                                                       std::int64_t stop) const {
    const bool asks = hints.prefetch;
    for (std::int64_t row = first; row < stop;) {
      const std::int64_t left = stop - row;
      if (asks) prefetch(A, A.row_ptr[row], A.row_ptr[left < 4 ? stop : row + 4]);
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
  HEDDLE_SIMD_WORD int store_rows_together(const Operands& A, std::int64_t row) {
    const std::int64_t length = A.row_ptr[row + 1] - A.row_ptr[row];
    const S* values = A.values + A.row_ptr[row];
    const O* col_idx = A.col_idx + A.row_ptr[row];
    Vector sums[Rows];
    for (int i = 0; i < Rows; ++i) sums[i] = Vector::all(0);
    std::int64_t j = 0;
    for (; length - j > width; j += width) {
      const Vector x = gather(col_idx + j, A.x.data);
      for (int i = 0; i < Rows; ++i) {
        sums[i] = Vector::multiply_add(Vector::load(values + i * length + j), x, sums[i]);
      }
    }
    const auto mask = Vector::first(length - j);
    const Vector x = Vector::keep(mask, gather(col_idx + j, A.x.data));
    for (int i = 0; i < Rows; ++i) {
      const Vector last = Vector::keep(mask, Vector::load(values + i * length + j));
      sums[i] = Vector::multiply_add(last, x, sums[i]);
    }
    if constexpr (Rows == 4) {
      store_four(A, row, Vector::sums(sums));
    } else {
      for (int i = 0; i < Rows; ++i) store_one(A, row + i, Vector::sum(sums[i]));
    }
    return Rows;
  }

  /// Four rows side by side: nonzero j of the four multiplies four neighbouring entries of x, and
  /// only the columns of the first row are read.
  HEDDLE_SIMD_FUNCTION void store_shifted_rows(Operands A, std::int64_t first,
                                               std::int64_t stop) const {
    const std::int64_t length = A.row_ptr[first + 1] - A.row_ptr[first];
    const O* col_idx = A.col_idx + A.row_ptr[first];
    const bool asks = hints.prefetch;
    std::int64_t row = first;
    for (; stop - row >= 4; row += 4) {
      const S* values = A.values + A.row_ptr[row];
      const V* x = A.x.data + (row - first);
      if (asks) prefetch(A, A.row_ptr[row], A.row_ptr[row + 4]);
      Vector sums = Vector::all(0);
      std::int64_t j = 0;
      for (; length - j >= width; j += width) {
        Vector v[4];
        for (int i = 0; i < 4; ++i) v[i] = Vector::load(values + i * length + j);
        Vector::transpose(v);
        for (int i = 0; i < 4; ++i) {
          sums = Vector::multiply_add(v[i], Vector::load(x + col_idx[j + i]), sums);
        }
      }
      for (; j < length; ++j) {
        const Vector v = Vector::strided(values + j, length);
        sums = Vector::multiply_add(v, Vector::load(x + col_idx[j]), sums);
      }
      store_four(A, row, sums);
    }
    store_any_rows(A, row, stop);
  }
};

}  // namespace heddle::detail::csr
