// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../rearrange.hpp"

namespace heddle::detail {

/// Rows whose columns do not ascend, or repeat.
template <Ordinal O, Offset Off>
struct FindDescent {
  using value_type = std::int64_t;
  const Off* row_ptr;
  const O* col_idx;

  /// A thread a row; of a long row it looks no further than it must.
  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& found) const {
    for (Off k = row_ptr[row] + 1; k < row_ptr[row + 1]; ++k) {
      if (col_idx[k] <= col_idx[k - 1]) {
        ++found;
        return;
      }
    }
  }
};

/// A or B as a product takes it: as it is, or stored in another order.
template <ExecutionSpace Exec, class Matrix>
class ProductOperand {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  ProductOperand() = default;

  /// Rows of `strict` operands have each column once, in ascending order.
  ProductOperand(const Exec& exec, const Matrix& A, Op op, bool strict, bool check)
      : rows_(A.rows()), columns_(A.columns()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    if (check) check_csr(exec, A);
    std::int64_t descents = 0;
    if (check && strict && op == Op::none) {
      Kokkos::parallel_reduce("heddle::multiply::order", range_policy(exec, A.rows()),
                              FindDescent<O, Off>{A.row_ptr().data(), A.col_idx().data()},
                              descents);
    }
    stored_ = op != Op::none || descents > 0;
    if (stored_) copy_ = stored_op(exec, A, op, strict, false);  // it was checked above
  }

  /// What to multiply, of A as it was given.
  Matrix pattern(const Matrix& A) const { return stored_ ? copy_.matrix() : A; }
  /// The same with the values of A. No wait, no allocation.
  Matrix with_values(const Exec& exec, const Matrix& A, const char* name) {
    if (A.rows() != rows_ || A.columns() != columns_ ||
        static_cast<std::int64_t>(A.nonzeros()) != nonzeros_) {
      throw Error(std::string(name) + " of " + std::to_string(A.rows()) + " x " +
                      std::to_string(A.columns()) + " with " + std::to_string(A.nonzeros()) +
                      " entries, where the plan is for " + std::to_string(rows_) + " x " +
                      std::to_string(columns_) + " with " + std::to_string(nonzeros_),
                  "give the pattern that the plan was made for, or make another plan");
    }
    if (stored_) copy_.update_values(exec, A);
    return pattern(A);
  }
  std::size_t bytes() const { return stored_ ? copy_.bytes() : 0; }

 private:
  O rows_ = 0;
  O columns_ = 0;
  std::int64_t nonzeros_ = 0;
  bool stored_ = false;
  DerivedCsr<Exec, S, O, Off> copy_;
};

}  // namespace heddle::detail
