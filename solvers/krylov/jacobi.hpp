// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/version.hpp"
#include "../triangle/bad_row.hpp"
#include "../triangle/check_triangle.hpp"
#include "../vectors/operands.hpp"

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

}  // namespace detail::krylov

/// The preconditioner x = D^-1 b with A's diagonal D. CgSolver never stores what it gives: it reads
/// inverse_diagonal() beside the residual. Moves, does not copy.
template <ExecutionSpace Exec, Scalar S>
class JacobiPreconditioner {
 public:
  /// Of a square matrix A in CSR, which may go afterwards. Waits for `exec`. Throws Error, naming
  /// the row, if a diagonal entry is missing, zero, infinite or NaN, or so small that its
  /// reciprocal overflows. Device memory: n entries.
  template <class Matrix>
  JacobiPreconditioner(const Exec& exec, const Matrix& A) {
    if (A.rows() != A.columns()) {
      throw Error("the diagonal of a matrix of " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()),
                  "give a square matrix");
    }
    const auto n = static_cast<std::size_t>(A.rows());
    inverse_ = Inverse(Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing,
                                          "heddle::jacobi::inverse_diagonal"),
                       n);
    bad_ = Bad(Kokkos::view_alloc(kokkos_space(exec), "heddle::jacobi::bad"));
    update_values(exec, A);
    check_diagonal(exec);
  }

  /// Takes the values of a matrix of as many rows, of any pattern; ordered on `exec`, no wait, no
  /// allocation. A diagonal that becomes bad is not an error here: see bad_diagonal.
  template <class Matrix>
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("JacobiPreconditioner", "update_values");
    if (static_cast<std::size_t>(A.rows()) != inverse_.extent(0) || A.rows() != A.columns()) {
      throw Error("a matrix of " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()) +
                      " for a preconditioner of " + std::to_string(inverse_.extent(0)) + " rows",
                  "make a new one when the size changes");
    }
    Kokkos::deep_copy(kokkos_space(exec), bad_, 0);
    Kokkos::parallel_for(
        "heddle::jacobi::invert", range_policy(exec, A.rows()),
        detail::krylov::InvertDiagonal<Matrix>{A.row_ptr().data(), A.col_idx().data(),
                                               A.values().data(), inverse_.data(), bad_.data()});
    version_.renew();
  }

  /// x = D^-1 b; x may be b. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("JacobiPreconditioner", "apply");
    const auto from = detail::vectors::to_read(b);
    const auto to = detail::vectors::to_write(x);
    detail::vectors::check_alike("b", from, "x", to);
    if (static_cast<std::size_t>(to.rows) != inverse_.extent(0)) {
      throw Error("b has " + std::to_string(to.rows) + " rows, and the preconditioner is for " +
                      std::to_string(inverse_.extent(0)),
                  "make it of the same matrix");
    }
    detail::parallel_for(exec, "heddle::jacobi::apply", to.rows * to.count,
                         detail::krylov::MultiplyByDiagonal<S>{from, to, inverse_.data()});
  }

  /// 1 / A(i, i), on the device.
  Kokkos::View<const S*, typename Exec::memory_space> inverse_diagonal() const {
    moves_.check("JacobiPreconditioner", "inverse_diagonal");
    return inverse_;
  }
  /// On the device, in the order of the instance that values were updated on: 0, or one more than
  /// the lowest row whose diagonal or reciprocal is zero, infinite or NaN since; that diagonal is
  /// taken to be one.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_diagonal() const {
    return bad_;
  }
  /// Throws Error, naming that row. Waits for `exec`.
  void check_diagonal(const Exec& exec) const {
    detail::triangle::check_bad_diagonal(exec, "heddle::jacobi::check_diagonal", bad_,
                                         detail::krylov::jacobi_words);
  }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool is_diagonal = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Jacobi"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  std::size_t bytes() const { return inverse_.size() * sizeof(S); }

 private:
  using Inverse = Kokkos::View<S*, typename Exec::memory_space>;
  using Bad = Kokkos::View<std::int64_t, typename Exec::memory_space>;

  detail::MoveOnly moves_;
  Inverse inverse_;
  Bad bad_;
  Version version_;
};

}  // namespace heddle
