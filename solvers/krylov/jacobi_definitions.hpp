// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../triangle/bad_row.hpp"
#include "../triangle/check_triangle.hpp"
#include "jacobi.hpp"

/// Defines what jacobi.hpp declares.
namespace heddle {

namespace detail::krylov {

/// What an error says of a diagonal that cannot be inverted.
inline constexpr triangle::DiagonalWords jacobi_words = {
    "the diagonal or its reciprocal is missing, zero or not finite", "store one, or shift it"};

/// inverse(row) = 1 / A(row, row), entries that repeat the place added up. Where the diagonal or
/// its reciprocal is zero or not finite: 1, and the lowest such row is marked in *bad.
template <class Matrix>
struct InvertDiagonal {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  S* inverse;
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    S sum(0);
    for (Off e = row_ptr[row]; e < row_ptr[row + 1]; ++e) {
      if (static_cast<std::int64_t>(col_idx[e]) == row) sum += values[e];
    }
    const S reciprocal = S(1) / sum;
    const bool good = !triangle::is_bad_diagonal(sum) && !triangle::is_bad_diagonal(reciprocal);
    inverse[row] = good ? reciprocal : S(1);
    if (!good) triangle::mark_bad_row(bad, row);
  }
};

/// Entry row of vector v, i = v * rows + row: to = inverse from.
template <Scalar S>
struct MultiplyByDiagonal {
  Multivector<const S> from;
  Multivector<S> to;
  const S* inverse;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    to(row, vector) = inverse[row] * from(row, vector);
  }
};

template <ExecutionSpace Exec, class Matrix>
void invert_diagonal(const Exec& exec, const Matrix& A, typename Matrix::scalar_type* inverse,
                     std::int64_t* bad) {
  fill(exec, "heddle::jacobi::clear", bad, 1, 0);
  Kokkos::parallel_for("heddle::jacobi::invert", range_policy(exec, A.rows()),
                       InvertDiagonal<Matrix>{A.row_ptr().data(), A.col_idx().data(),
                                              A.values().data(), inverse, bad});
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::allocate(const Exec& exec, std::int64_t rows,
                                             std::int64_t columns) {
  if (rows != columns) {
    throw Error(
        "the diagonal of a matrix of " + std::to_string(rows) + " x " + std::to_string(columns),
        "give a square matrix");
  }
  const auto n = static_cast<std::size_t>(rows);
  inverse_ = Inverse(Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing,
                                        "heddle::jacobi::inverse_diagonal"),
                     n);
  bad_ = Bad(Kokkos::view_alloc(kokkos_space(exec), "heddle::jacobi::bad"));
}

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::check_size(std::int64_t rows, std::int64_t columns) const {
  if (static_cast<std::size_t>(rows) != inverse_.extent(0) || rows != columns) {
    throw Error("a matrix of " + std::to_string(rows) + " x " + std::to_string(columns) +
                    " for a preconditioner of " + std::to_string(inverse_.extent(0)) + " rows",
                "make a new one when the size changes");
  }
}

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::multiply(const Exec& exec, const Multivector<const S>& from,
                                             const Multivector<S>& to) const {
  detail::parallel_for(exec, "heddle::jacobi::apply", to.rows * to.count,
                       detail::krylov::MultiplyByDiagonal<S>{from, to, inverse_.data()});
}

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::check_values(const Exec& exec) const {
  moves_.check("JacobiPreconditioner", "check_values");
  detail::triangle::check_bad_diagonal(exec, "heddle::jacobi::check_values", bad_,
                                       detail::krylov::jacobi_words);
}

}  // namespace heddle

#include "instantiate_jacobi.hpp"  // behind what it makes
