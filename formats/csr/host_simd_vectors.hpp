// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/simd_register.hpp"
#include "host_simd_rows.hpp"
#include "operands.hpp"

namespace heddle::detail::csr {

/// Rows of A times up to Vectors vectors, four in a register: a nonzero multiplies a stretch of a
/// row of x, so no lane is idle but where the vectors end. Vectors of x that lie side by side are
/// loaded together, others one by one.
///
/// A row is gone through once for every 16 vectors or less, which its nonzeros outlast in the
/// first-level cache.
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

  /// y of rows [first, stop).
  HEDDLE_SIMD_FUNCTION void store_rows(const Operands& A, std::int64_t first,
                                       std::int64_t stop) const {
    // The usual numbers are known to the compiler.
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
  /// Some vectors of x: Registers, of which the last holds Last vectors.
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

  /// Leaves sums as they are; there is room for whole registers.
  struct Leave {
    template <int Registers, int Last>
    HEDDLE_SIMD_WORD void put(const Operands&, V* to, const Vector* sums) {
      for (int r = 0; r < Registers; ++r) Vector::store(to + r * width, sums[r]);
    }
  };

  /// Stores them to y.
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

  /// A is a copy, which no store to y can change: so it stays in registers.
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

  /// Takes up to four registers of vectors from the c-th on. Returns the number of vectors.
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
    // In longer rows several nonzeros at once where registers are few, so that no addition waits
    // for the one before; the additions of different rows are in flight together anyway.
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

}  // namespace heddle::detail::csr
