// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <utility>

#include "../../backends/lanes.hpp"
#include "../../core/error.hpp"
#include "../../formats/inspect/pattern.hpp"
#include "diagonal_value.hpp"
#include "triangle.hpp"

namespace heddle::detail::triangle {

template <class Matrix, Scalar D>
struct TriangleKernel {
  using value_type = TriangleSums;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Triangle triangle;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.entries += other.entries;
    sums.outside = Kokkos::min(sums.outside, other.outside);
    sums.bad_diagonal = Kokkos::min(sums.bad_diagonal, other.bad_diagonal);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t row, value_type& sums) const {
    const auto i = static_cast<O>(row);
    D diagonal(0);
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      if (col_idx[k] == i) {
        diagonal += D(values[k]);
      } else if (in_triangle(triangle, i, col_idx[k])) {
        ++sums.entries;
      } else {
        sums.outside = Kokkos::min(sums.outside, row);
      }
    }
    if (is_bad_diagonal(diagonal)) sums.bad_diagonal = Kokkos::min(sums.bad_diagonal, row);
  }
};

/// What an error says of a bad diagonal.
struct DiagonalWords {
  const char* wrong = "the diagonal is missing, zero or not finite";
  const char* advice = "store one, shift it, or say Diagonal::unit";
};

/// One launch and one readback, which waits for `exec`. Throws Error, naming the row, for entries
/// outside of the triangle unless these are ignored, and for a diagonal that is to be read and is
/// missing, or zero or not finite after entries in one place are added up. The row pointer and
/// columns of T are checked before. D is what the diagonal is added up in: DiagonalOf.
template <Scalar D, ExecutionSpace Exec, class Matrix>
TriangleSums check_triangle(const Exec& exec, const Matrix& T, Triangle triangle, Diagonal diagonal,
                            bool ignore_outside, const DiagonalWords& words = {}) {
  TriangleSums sums;
  if (T.rows() == 0) return sums;
  Kokkos::parallel_reduce("heddle::triangle::check", range_policy(exec, T.rows()),
                          TriangleKernel<Matrix, D>{T.row_ptr().data(), T.col_idx().data(),
                                                    T.values().data(), triangle},
                          sums);
  if (sums.outside != TriangleSums::nowhere && !ignore_outside) {
    const bool lower = triangle == Triangle::lower;
    throw Error(std::string("an entry ") + (lower ? "above" : "below") + " the diagonal",
                Where{.row = sums.outside},
                "give a triangular matrix, or set options.ignore_outside");
  }
  if (diagonal == Diagonal::stored && sums.bad_diagonal != TriangleSums::nowhere) {
    throw Error(words.wrong, Where{.row = sums.bad_diagonal}, words.advice);
  }
  return sums;
}

/// Throws Error, naming the row, if *bad says one: one more than the lowest whose diagonal is bad.
/// Waits for `exec`, by a fence of this label.
template <ExecutionSpace Exec, class Word>
void check_bad_diagonal(const Exec& exec, const char* label, const Word& bad,
                        const DiagonalWords& words = {}) {
  std::int64_t on_host = 0;
  Kokkos::deep_copy(kokkos_space(exec), on_host, bad);
  exec.fence(label);
  if (on_host) throw Error(words.wrong, Where{.row = on_host - 1}, words.advice);
}

/// Throws Error where new values come in a matrix of another size than the square one that was
/// inspected.
template <class Matrix>
void check_same_size(const char* called, const Matrix& A, std::int64_t rows,
                     std::int64_t nonzeros) {
  const bool square = std::cmp_equal(A.rows(), rows) && std::cmp_equal(A.columns(), rows);
  if (square && std::cmp_equal(A.nonzeros(), nonzeros)) return;
  throw Error(std::string(called) + " was given a matrix of " + std::to_string(A.rows()) + " x " +
                  std::to_string(A.columns()) + " and " + std::to_string(A.nonzeros()) +
                  " entries, and the plan is for " + std::to_string(rows) + " rows and " +
                  std::to_string(nonzeros),
              "make a new plan when the pattern changes");
}

}  // namespace heddle::detail::triangle
