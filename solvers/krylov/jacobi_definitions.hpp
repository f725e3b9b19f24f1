// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/lanes.hpp"
#include "../../backends/loops.hpp"
#include "../triangle/check_triangle.hpp"
#include "../triangle/invert_blocks.hpp"
#include "block_diagonal.hpp"
#include "jacobi.hpp"

/// Defines what jacobi.hpp declares.
namespace heddle {

namespace detail::krylov {

/// The message for a diagonal that cannot be inverted.
inline constexpr triangle::DiagonalWords jacobi_words = {
    "the diagonal or its reciprocal is missing, zero or not finite", "store one, or shift it"};

/// inverse(row) = 1 / A(row, row), with entries that repeat the place added up. If the diagonal or
/// its reciprocal is zero or not finite: 1, and the lowest such row is marked in *bad.
template <class Matrix>
struct JacobiInverse {
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

/// to = inverse from, in entry `row` of vector v for item i = v * rows + row.
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

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::allocate(const Exec& exec, std::int64_t rows,
                                             std::int64_t columns) {
  if (rows != columns) {
    throw Error("Jacobi's matrix is " + std::to_string(rows) + " x " + std::to_string(columns),
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
    throw Error("A is " + std::to_string(rows) + " x " + std::to_string(columns) +
                    ", and the preconditioner has " + std::to_string(inverse_.extent(0)) + " rows",
                "make a new one when the size changes");
  }
}

template <ExecutionSpace Exec, Scalar S>
template <class Matrix>
void JacobiPreconditioner<Exec, S>::invert(const Exec& exec, const Matrix& A) {
  detail::fill(exec, "heddle::jacobi::clear", bad_.data(), 1, 0);
  Kokkos::parallel_for(
      "heddle::jacobi::invert", range_policy(exec, A.rows()),
      detail::krylov::JacobiInverse<Matrix>{A.row_ptr().data(), A.col_idx().data(),
                                            A.values().data(), inverse_.data(), bad_.data()});
}

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::invert(const Exec& exec,
                                           const CsrMatrix<S, int, int, Space>& A) {
  invert<CsrMatrix<S, int, int, Space>>(exec, A);
}

template <ExecutionSpace Exec, Scalar S>
void JacobiPreconditioner<Exec, S>::invert(const Exec& exec,
                                           const CsrMatrix<S, int, std::int64_t, Space>& A) {
  invert<CsrMatrix<S, int, std::int64_t, Space>>(exec, A);
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

namespace detail::krylov {

/// The message for a diagonal block that cannot be inverted; it names its first row.
inline constexpr triangle::DiagonalWords block_words = {
    "the diagonal block that begins here is singular, or it or its inverse is not finite",
    "shift the diagonal, or give another size of blocks"};

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
void BlockJacobiPreconditioner<Exec, S>::allocate(const Exec& exec, std::int64_t columns) {
  if (rows_ != columns) {
    throw Error(
        "block Jacobi's matrix is " + std::to_string(rows_) + " x " + std::to_string(columns),
        "give a square matrix");
  }
  if (size_ < 1 || size_ > detail::triangle::largest_block) {
    throw Error("the block size is " + std::to_string(size_), "give 1 to 32");
  }
  blocks_ = ceil_div(rows_, std::int64_t{size_});
  std::int64_t* bad = nullptr;
  arena_ = Arena<Space>(exec, "heddle::block_jacobi::inverse_blocks",
                        arena_array(inverse_, blocks_ * size_ * size_), arena_array(bad, 1));
  bad_ = Bad(bad);
}

template <ExecutionSpace Exec, Scalar S>
template <class Matrix>
void BlockJacobiPreconditioner<Exec, S>::invert(const Exec& exec, const Matrix& A) {
  detail::fill(exec, "heddle::block_jacobi::clear", bad_.data(), 1, 0);
  Kokkos::parallel_for("heddle::block_jacobi::invert", range_policy(exec, blocks_),
                       detail::triangle::InvertBlocks<Matrix>{
                           A.row_ptr().data(), A.col_idx().data(), A.values().data(), inverse_,
                           nullptr, bad_.data(), rows_, size_});
}

template <ExecutionSpace Exec, Scalar S>
void BlockJacobiPreconditioner<Exec, S>::invert(const Exec& exec,
                                                const CsrMatrix<S, int, int, Space>& A) {
  invert<CsrMatrix<S, int, int, Space>>(exec, A);
}

template <ExecutionSpace Exec, Scalar S>
void BlockJacobiPreconditioner<Exec, S>::invert(const Exec& exec,
                                                const CsrMatrix<S, int, std::int64_t, Space>& A) {
  invert<CsrMatrix<S, int, std::int64_t, Space>>(exec, A);
}

template <ExecutionSpace Exec, Scalar S>
void BlockJacobiPreconditioner<Exec, S>::multiply(const Exec& exec,
                                                  const Multivector<const S>& from,
                                                  const Multivector<S>& to) const {
  detail::krylov::take_block_step(
      exec, "heddle::block_jacobi::apply",
      detail::krylov::BlockStep<S, true>{{inverse_, rows_, size_}, from, {}, to});
}

template <ExecutionSpace Exec, Scalar S>
void BlockJacobiPreconditioner<Exec, S>::check_values(const Exec& exec) const {
  moves_.check("BlockJacobiPreconditioner", "check_values");
  detail::triangle::check_bad_diagonal(exec, "heddle::block_jacobi::check_values", bad_,
                                       detail::krylov::block_words);
}

}  // namespace heddle
