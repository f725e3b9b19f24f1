// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/host/vector.hpp>
#include <heddle/formats/csr/host_vector_rows.hpp>
#include <heddle/formats/csr/operands.hpp>

namespace heddle::csr {

template <class Operands, bool SideBySide, int Columns>
struct HostVectorColumns;

#ifdef HEDDLE_HOST_VECTORS

/// Rows of A times up to Columns columns, four in a register: a nonzero multiplies a stretch of a
/// row of x, so no lane is idle but where the columns end. Columns that lie side by side are loaded
/// together, others one by one.
///
/// A row is gone through once for every 16 columns or less, which its nonzeros outlast in the
/// first-level cache.
template <class Operands, bool SideBySide, int Columns>
struct HostVectorColumns {
  using S = typename Operands::scalar_type;
  using O = typename Operands::ordinal_type;
  using Off = typename Operands::offset_type;
  using Vector = backends::HostVector<S>;
  static constexpr int width = Vector::width;
  static constexpr int columns = Columns;

  HEDDLE_VECTOR_FUNCTION void sum_nonzeros(const Operands& A, Off begin, Off end, S* sum) const {
    for (int c = 0; c < A.x.count;) c += with_registers<Leave>(A, c, begin, end, sum + c);
  }

  /// y of rows [first, stop). A is a copy, which no store to y can change: so it stays in
  /// registers.
  HEDDLE_VECTOR_FUNCTION void store_rows(Operands A, std::int64_t first, std::int64_t stop) const {
    std::int64_t k = A.row_ptr[first];
    for (std::int64_t row = first; row < stop; ++row) {
      const std::int64_t end = A.row_ptr[row + 1];
      S* y = A.y.data + row * A.y.row_stride;
      for (int c = 0; c < A.x.count;) {
        c += with_registers<Store>(A, c, k, end, y + c * A.y.column_stride);
      }
      k = end;
    }
  }

 private:
  /// Some columns of x: Registers of them from the c-th on, the last with `last` columns.
  template <int Registers, bool Partial>
  struct Stretch {
    const S* x;
    std::int64_t row_stride;
    std::int64_t column_stride;
    std::int64_t last;

    HEDDLE_VECTOR_FUNCTION inline __attribute__((always_inline)) Vector load(O row, int r) const {
      const S* from = x + row * row_stride;
      const bool partial = Partial && r == Registers - 1;
      if constexpr (SideBySide) {
        from += r * width;
        return partial ? Vector::load_first(Vector::first(last), from) : Vector::load(from);
      } else {
        from += r * width * column_stride;
        if (!partial) return Vector::strided(from, column_stride);
        // What lies beyond the last column may not exist.
        const std::int64_t places[width] = {0, last > 1 ? column_stride : 0,
                                            last > 2 ? 2 * column_stride : 0, 0};
        return Vector::load_each(places, from);
      }
    }
  };

  /// Leaves sums as they are.
  struct Leave {
    template <int Registers, bool Partial>
    HEDDLE_VECTOR_WORD void put(const Operands&, S* to, const Vector* sums, std::int64_t) {
      for (int r = 0; r < Registers; ++r) Vector::store(to + r * width, sums[r]);
    }
  };

  /// Stores them to y.
  struct Store {
    template <int Registers, bool Partial>
    HEDDLE_VECTOR_WORD void put(const Operands& A, S* y, const Vector* sums, std::int64_t last) {
      if constexpr (SideBySide) {
        for (int r = 0; r < Registers; ++r) {
          const bool partial = Partial && r == Registers - 1;
          S* to = y + r * width;
          Vector value = Vector::multiply(Vector::all(A.alpha), sums[r]);
          if (A.beta != S(0)) {
            const Vector old =
                partial ? Vector::load_first(Vector::first(last), to) : Vector::load(to);
            value = Vector::multiply_add(Vector::all(A.beta), old, value);
          }
          if (partial) {
            Vector::store_first(to, Vector::first(last), value);
          } else {
            Vector::store(to, value);
          }
        }
      } else {
        S values[Registers * width];
        for (int r = 0; r < Registers; ++r) Vector::store(values + r * width, sums[r]);
        const std::int64_t count = (Registers - 1) * width + (Partial ? last : width);
        for (std::int64_t c = 0; c < count; ++c, y += A.y.column_stride) {
          *y = A.beta == S(0) ? A.alpha * values[c] : A.alpha * values[c] + A.beta * *y;
        }
      }
    }
  };

  /// Takes as many registers of columns from the c-th on as there are, up to four. Returns the
  /// number of columns.
  template <class Put>
  HEDDLE_VECTOR_WORD int with_registers(const Operands& A, int c, std::int64_t begin,
                                        std::int64_t end, S* to) {
    const int left = A.x.count - c;
    if (left >= 4 * width) return add_up<Put, 4, false>(A, c, begin, end, to);
    if (left >= 2 * width) return add_up<Put, 2, false>(A, c, begin, end, to);
    if (left >= width) return add_up<Put, 1, false>(A, c, begin, end, to);
    return add_up<Put, 1, true>(A, c, begin, end, to);
  }

  template <class Put, int Registers, bool Partial>
  HEDDLE_VECTOR_WORD int add_up(const Operands& A, int c, std::int64_t begin, std::int64_t end,
                                S* to) {
    const Stretch<Registers, Partial> x{A.x.data + c * A.x.column_stride, A.x.row_stride,
                                        A.x.column_stride, A.x.count - c};
    // Several nonzeros at once where registers are few, so that no addition waits for the one
    // before.
    constexpr int together = 4 / Registers;
    Vector part[together][Registers];
    for (int i = 0; i < together; ++i) {
      for (int r = 0; r < Registers; ++r) part[i][r] = Vector::all(0);
    }
    std::int64_t k = begin;
    for (; end - k >= together; k += together) {
      for (int i = 0; i < together; ++i) add_one(A, x, k + i, part[i]);
    }
    for (; k < end; ++k) add_one(A, x, k, part[0]);
    for (int i = 1; i < together; ++i) {
      for (int r = 0; r < Registers; ++r) part[0][r] = Vector::add(part[0][r], part[i][r]);
    }
    Put::template put<Registers, Partial>(A, to, part[0], x.last);
    return Partial ? static_cast<int>(x.last) : Registers * width;
  }

  template <int Registers, bool Partial>
  HEDDLE_VECTOR_WORD void add_one(const Operands& A, const Stretch<Registers, Partial>& x,
                                  std::int64_t k, Vector* sums) {
    const Vector value = Vector::all(A.values[k]);
    for (int r = 0; r < Registers; ++r) {
      sums[r] = Vector::multiply_add(value, x.load(A.col_idx[k], r), sums[r]);
    }
  }
};

#endif

}  // namespace heddle::csr
