// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "../../backends/launch.hpp"
#include "../../backends/prefetch.hpp"
#include "../../backends/simd_register.hpp"
#include "../common/compressed_rows/host_plain_rows.hpp"
#include "../common/dot.hpp"
#include "../common/equal_work.hpp"
#include "operands.hpp"
#include "parameters.hpp"
#include "row_runs.hpp"
#include "share_search.hpp"

namespace heddle::detail::csr {

/// Whether a product can use SIMD registers: real numbers of one type, or a float matrix and double
/// vectors.
template <class Operands>
inline constexpr bool suits_simd =
    backends::has_simd_registers<typename Operands::scalar_type> &&
    std::is_same_v<typename Operands::vector_type, typename Operands::accumulator_type> &&
    (std::is_same_v<typename Operands::scalar_type, typename Operands::vector_type> ||
     (std::is_same_v<typename Operands::scalar_type, float> &&
      std::is_same_v<typename Operands::vector_type, double>));

/// How a product can use SIMD registers: along a contiguous vector, or a row of several vectors.
template <class Operands>
backends::Simd simd_for(const Operands& operands, backends::Simd simd) {
  const bool contiguous = operands.x.row_stride == 1 && operands.y.row_stride == 1;
  return suits_simd<Operands> && (contiguous || operands.x.count > 1) ? simd : backends::Simd::none;
}

/// Rows of A times one contiguous vector, in the SIMD registers of a CPU. A register holds four
/// nonzeros of a row, the last few under a mask; the sums of four rows are formed and stored
/// together. Rows of up to four nonzeros are one step without a branch, so rows of different length
/// cause few mispredicted branches, which are most of the time of a plain loop.
///
/// Nonzeros that a mask leaves out are read too: they belong to the rows after. The last few
/// nonzeros of the matrix, which have too few after them, are left to plain loops.
///
/// Loops have the operands as a copy, which no store to y can change, so they stay in registers.
template <class Operands, backends::Simd How>
struct HostSimdRows {
  using S = typename Operands::scalar_type;
  using V = typename Operands::vector_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Vector = backends::SimdRegister<V>;
  static constexpr int width = Vector::width;
  static constexpr int vectors = 1;

  RowHints hints;

  HEDDLE_SIMD_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end, V* sum) const {
    if (reads_beyond(A, end)) return compressed_rows::sum_nonzeros<1>(A, begin, end, sum);
    *sum = Vector::sum(products<1>(A, begin, end));
  }

  /// Stores y of rows [first, stop).
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
  /// Whether two registers of nonzeros that begin at `end` would reach beyond the matrix.
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

  /// Sums of nonzeros [begin, end), spread over a register; the last Steps registers of nonzeros
  /// are added under masks, without a branch on their number.
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

  /// Adds the products of the four nonzeros from k on.
  template <bool Contiguous>
  HEDDLE_SIMD_WORD Vector add_whole(const Operands& A, std::int64_t k, Vector sum) {
    return Vector::multiply_add(Vector::load(A.values + k), gather_x<Contiguous>(A, k), sum);
  }

  /// Adds the products of the first n of the four nonzeros from k on.
  HEDDLE_SIMD_WORD Vector add_first(const Operands& A, std::int64_t n, std::int64_t k, Vector sum) {
    // x beyond the row may be infinite, so both factors are set to zero.
    const auto mask = Vector::first(n);
    const Vector values = Vector::keep(mask, Vector::load(A.values + k));
    return Vector::multiply_add(values, Vector::keep(mask, gather_x(A, k)), sum);
  }

  /// Prefetches the nonzeros at a fixed distance beyond [begin, end), perhaps beyond the matrix,
  /// where a prefetch does no harm. Columns are prefetched without gaps, since with gaps the
  /// hardware prefetches less.
  HEDDLE_SIMD_WORD void prefetch(const Operands& A, std::int64_t begin, std::int64_t end) {
    constexpr std::int64_t ahead = 1024, line = backends::entries_per_line<S>;
    for (std::int64_t k = begin + ahead; k < end + ahead; k += line) {
      backends::prefetch(A.values + k);
      backends::prefetch(A.col_idx + k);
    }
  }

  /// Prefetches x for nonzeros k and k + 1. If few rows have any nonzeros, branches are
  /// mispredicted so often that loads of x would begin only when they are due.
  HEDDLE_SIMD_WORD void prefetch_x(const Operands& A, std::int64_t k) {
    backends::prefetch(A.x.data + A.col_idx[k]);
    backends::prefetch(A.x.data + A.col_idx[k + 1]);
  }

  /// Loads x for nonzeros k, k + 1, ...; with Contiguous at once if their columns are consecutive.
  template <bool Contiguous = false>
  HEDDLE_SIMD_WORD Vector gather_x(const Operands& A, std::int64_t k) {
    const O* const columns = A.col_idx + k;
    if (Contiguous && Vector::consecutive(columns)) return Vector::load(A.x.data + columns[0]);
    return gather(columns, A.x.data);
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

  /// Stores a row whose nonzeros before k are added up in `sums`; adds the rest one by one.
  HEDDLE_SIMD_WORD void store_with_rest(const Operands& A, std::int64_t row, std::int64_t k,
                                        std::int64_t end, Vector sums) {
    V sum = Vector::sum(sums);
    for (; k < end; ++k) sum += A.values[k] * A.x.data[A.col_idx[k]];
    store_one(A, row, sum);
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
      case RowLoop::two_sums: return store_long_rows<false>(A, first, stop);
      case RowLoop::contiguous: return store_long_rows<true>(A, first, stop);
    }
  }

  /// Stores rows one by one, and adds the last nonzeros of each one by one: no wasted work.
  template <bool Prefetch>
  HEDDLE_SIMD_FUNCTION static void store_rows_one_by_one(Operands A, std::int64_t first,
                                                         std::int64_t stop) {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      if (Prefetch && end - k <= CpuTuning::longest_prefetched) prefetch(A, k, end);
      Vector sums = Vector::all(0);
      for (; end - k >= width; k += width) sums = add_whole<false>(A, k, sums);
      store_with_rest(A, row, k, end, sums);
      k = end;
    }
  }

  /// Stores long rows one by one, in two registers of sums, so that fewer additions wait for the
  /// one before; four were no faster.
  template <bool Contiguous>
  HEDDLE_SIMD_FUNCTION static void store_long_rows(Operands A, std::int64_t first,
                                                   std::int64_t stop) {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      Vector even = Vector::all(0), odd = even;
      for (; end - k >= 2 * width; k += 2 * width) {
        even = add_whole<Contiguous>(A, k, even);
        odd = add_whole<Contiguous>(A, k + width, odd);
      }
      if (end - k >= width) {
        even = add_whole<Contiguous>(A, k, even);
        k += width;
      }
      store_with_rest(A, row, k, end, Vector::add(even, odd));
      k = end;
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

  /// Stores rows with the same columns: x is gathered once for several rows.
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

  /// Stores shifted rows, four at a time: nonzero j of the four multiplies four neighbouring
  /// entries of x, and only the columns of the first row are read.
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

/// Rows of A times up to Vectors vectors, four in a register: a nonzero multiplies contiguous
/// entries of a row of x, so no lane is idle except at the last vectors. Row-major vectors of x are
/// loaded together, others one by one.
///
/// A row is traversed once for every 16 vectors or fewer, and its nonzeros stay in the L1 cache.
template <class Operands, bool SideBySide, int Vectors>
struct HostSimdVectors {
  using V = typename Operands::vector_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Vector = backends::SimdRegister<V>;
  static constexpr int width = Vector::width;
  static constexpr int vectors = Vectors;

  HEDDLE_SIMD_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end, V* sum) const {
    for (int c = 0; c < A.x.count;) c += add_some<Leave>(A, c, begin, end, sum + c);
  }

  /// Stores y of rows [first, stop).
  HEDDLE_SIMD_FUNCTION void store_rows(const Operands& A, std::int64_t first,
                                       std::int64_t stop) const {
    // The usual numbers of vectors are compile-time constants.
    switch (A.x.count) {
      case 2: return store_rows_of<1, 2>(A, first, stop);
      case 3: return store_rows_of<1, 3>(A, first, stop);
      case 4: return store_rows_of<1, 4>(A, first, stop);
      case 8: return store_rows_of<2, 4>(A, first, stop);
      case 16: return store_rows_of<4, 4>(A, first, stop);
      default: return store_any_rows(A, first, stop);
    }
  }

 private:
  /// Vectors of x in Registers registers, the last of which holds Last vectors.
  template <int Registers, int Last>
  struct Stretch {
    static constexpr int vectors = (Registers - 1) * width + Last;
    const V* x;
    std::int64_t row_stride;
    std::int64_t vector_stride;

    HEDDLE_SIMD_WORD Vector load(const Stretch& some, O row, int r) {
      const V* from = some.x + row * some.row_stride;
      const bool whole = Last == width || r < Registers - 1;
      if constexpr (SideBySide) {
        from += r * width;
        return whole ? Vector::load(from) : Vector::template load_first<Last>(from);
      } else {
        from += r * width * some.vector_stride;
        return whole ? Vector::strided(from, some.vector_stride)
                     : Vector::template strided_first<Last>(from, some.vector_stride);
      }
    }
  };

  /// Leaves sums in `to`, which has room for whole registers.
  struct Leave {
    template <int Registers, int Last>
    HEDDLE_SIMD_WORD void put(const Operands&, V* to, const Vector* sums) {
      for (int r = 0; r < Registers; ++r) Vector::store(to + r * width, sums[r]);
    }
  };

  /// Stores sums to y.
  struct Store {
    template <int Registers, int Last>
    HEDDLE_SIMD_WORD void put(const Operands& A, V* y, const Vector* sums) {
      if (A.y.vector_stride == 1) {
        for (int r = 0; r < Registers - 1; ++r) put_register<width>(A, y + r * width, sums[r]);
        put_register<Last>(A, y + (Registers - 1) * width, sums[Registers - 1]);
      } else {
        V values[Registers * width];
        for (int r = 0; r < Registers; ++r) Vector::store(values + r * width, sums[r]);
        for (int c = 0; c < Stretch<Registers, Last>::vectors; ++c, y += A.y.vector_stride) {
          *y = A.beta == V(0) ? A.alpha * values[c] : A.alpha * values[c] + A.beta * *y;
        }
      }
    }

   private:
    template <int N>
    HEDDLE_SIMD_WORD void put_register(const Operands& A, V* to, Vector sum) {
      Vector value = Vector::multiply(Vector::all(A.alpha), sum);
      if (A.beta != V(0)) {
        const Vector old = Vector::template load_first<N>(to);
        value = Vector::multiply_add(Vector::all(A.beta), old, value);
      }
      Vector::template store_first<N>(to, value);
    }
  };

  /// A is a copy, which no store to y can change, so it stays in registers.
  template <int Registers, int Last>
  HEDDLE_SIMD_FUNCTION static void store_rows_of(Operands A, std::int64_t first,
                                                 std::int64_t stop) {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      add_up<Store, Registers, Last>(A, 0, k, end, A.y.data + row * A.y.row_stride);
      k = end;
    }
  }

  HEDDLE_SIMD_FUNCTION static void store_any_rows(Operands A, std::int64_t first,
                                                  std::int64_t stop) {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      V* y = A.y.data + row * A.y.row_stride;
      for (int c = 0; c < A.x.count;) {
        c += add_some<Store>(A, c, k, end, y + c * A.y.vector_stride);
      }
      k = end;
    }
  }

  /// Adds up a row for up to four registers of vectors from the c-th on. Returns their number.
  template <class Put>
  HEDDLE_SIMD_WORD int add_some(const Operands& A, int c, std::int64_t begin, std::int64_t end,
                                V* to) {
    const int left = A.x.count - c;
    if (left >= 4 * width) return add_up<Put, 4, width>(A, c, begin, end, to);
    if (left >= 2 * width) return add_up<Put, 2, width>(A, c, begin, end, to);
    if (left >= width) return add_up<Put, 1, width>(A, c, begin, end, to);
    if (left == 3) return add_up<Put, 1, 3>(A, c, begin, end, to);
    if (left == 2) return add_up<Put, 1, 2>(A, c, begin, end, to);
    return add_up<Put, 1, 1>(A, c, begin, end, to);
  }

  template <class Put, int Registers, int Last>
  HEDDLE_SIMD_WORD int add_up(const Operands& A, int c, std::int64_t begin, std::int64_t end,
                              V* to) {
    const Stretch<Registers, Last> x{A.x.data + c * A.x.vector_stride, A.x.row_stride,
                                     A.x.vector_stride};
    // With few registers, several nonzeros of a longer row are added at once, so that no addition
    // waits for the one before; the additions of different rows are in flight together anyway.
    constexpr int together = 4 / Registers;
    constexpr int long_row = 8;
    Vector sums[Registers];
    for (int r = 0; r < Registers; ++r) sums[r] = Vector::all(0);
    std::int64_t k = begin;
    if (together > 1 && end - begin >= long_row) {
      Vector part[together][Registers];
      for (int i = 0; i < together; ++i) {
        for (int r = 0; r < Registers; ++r) part[i][r] = Vector::all(0);
      }
      for (; end - k >= together; k += together) {
        for (int i = 0; i < together; ++i) add_one(A, x, k + i, part[i]);
      }
      for (int i = 0; i < together; ++i) {
        for (int r = 0; r < Registers; ++r) sums[r] = Vector::add(sums[r], part[i][r]);
      }
    }
    for (; k < end; ++k) add_one(A, x, k, sums);
    Put::template put<Registers, Last>(A, to, sums);
    return Stretch<Registers, Last>::vectors;
  }

  template <int Registers, int Last>
  HEDDLE_SIMD_WORD void add_one(const Operands& A, const Stretch<Registers, Last>& x,
                                std::int64_t k, Vector* sums) {
    const Vector value = Vector::all(static_cast<V>(A.values[k]));
    for (int r = 0; r < Registers; ++r) {
      sums[r] =
          Vector::multiply_add(value, Stretch<Registers, Last>::load(x, A.col_idx[k], r), sums[r]);
    }
  }
};

// The CSR kernels of CPUs, where a lane is a thread. They divide the rows among threads; Rows, one
// of HostPlainRows, HostSimdRows and HostSimdVectors, computes them.

/// Stores rows [first, stop) and adds up their dot product, if one is wanted: block by block, while
/// y is in the L1 cache.
template <class Operands, class Rows, Scalar Acc>
KOKKOS_FORCEINLINE_FUNCTION void store_rows(const Operands& operands, const Rows& rows,
                                            std::int64_t first, std::int64_t stop,
                                            const team_sums::Dot<Acc>& dot, Acc& sum) {
  constexpr std::int64_t block_rows = 512;
  const std::int64_t block = dot.result ? block_rows : stop - first;
  for (std::int64_t at = first; at < stop; at += block) {
    const std::int64_t until = at + block < stop ? at + block : stop;
    rows.store_rows(operands, at, until);
    if (dot.result) sum += team_sums::dot_of_rows(dot, operands.x, operands.y, at, until);
  }
}

/// csr/scalar, csr/blocks and csr/merge,search=apply: each team, which is a thread, computes
/// contiguous rows: those between two entries of `first`; or, if that is null, rows_per_team rows;
/// or, if that is 0, a share that it searches for.
template <class Operands, class Rows>
struct HostRowsKernel {
  using Scratch = backends::NoScratch;

  Operands operands;
  Rows rows;
  std::int64_t rows_per_team;
  const typename Operands::ordinal_type* first;
  ShareSearch search;
  team_sums::Dot<typename Operands::accumulator_type> dot;
  std::int64_t teams;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = first_row(team, team.index());
    const std::int64_t stop = first_row(team, team.index() + 1);
    typename Operands::accumulator_type sum[1] = {};
    store_rows(operands, rows, row, stop, dot, sum[0]);
    if (dot.result) team_sums::finish_dot_of_thread(team, dot, teams, sum);
  }

 private:
  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(const Team& team, std::int64_t share) const {
    if (first) return first[share];
    if (rows_per_team == 0) {
      return search.first_row(team.subwarp(), operands.row_ptr, operands.rows, share);
    }
    const std::int64_t row = share * rows_per_team;
    return row < operands.rows ? row : operands.rows;
  }
};

/// csr/adaptive and csr/merge: each thread computes a share. Carry-outs are those of ShareTable.
template <class Operands, class Rows, class Table>
struct HostShareKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  Rows rows;
  Table table;
  team_sums::Dot<Acc> dot;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t t = team.index();
    Acc dot_sum[1] = {};
    const auto& begin = table.edges[t];
    const auto& end = table.edges[t + 1];
    O row = begin.row;
    const bool finishes = begin.first_share >= 0 && row < end.row;
    Acc first_sum[Rows::vectors] = {};
    if (finishes) {
      rows.sum_nonzeros(operands, begin.nonzero, operands.row_ptr[row + 1], first_sum);
      ++row;
    }
    store_rows(operands, rows, row, end.row, dot, dot_sum[0]);
    if (end.first_share >= 0) {
      const Off row_begin = operands.row_ptr[end.row];
      Acc sum[Rows::vectors];
      rows.sum_nonzeros(operands, row_begin < begin.nonzero ? begin.nonzero : row_begin,
                        end.nonzero, sum);
      for (int c = 0; c < operands.x.count; ++c) table.carries.post(t, c, sum[c]);
    }
    // This is last, since the share before posts its carry-out only when it is through.
    if (finishes) {
      for (int c = 0; c < operands.x.count; ++c) {
        if constexpr (Table::waits) {
          const Acc carried =
              table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, c);
          operands.store(begin.row, c, first_sum[c] + carried);
        } else {
          table.carries.post(table.shares + t, c, first_sum[c]);
        }
      }
    }
    if (!dot.result) return;
    if (finishes) {
      dot_sum[0] += team_sums::dot_of_row(dot, operands.x, operands.y, begin.row);
    }
    team_sums::finish_dot_of_thread(team, dot, table.shares, dot_sum);
  }
};

}  // namespace heddle::detail::csr
