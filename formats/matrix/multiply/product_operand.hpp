// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../rearrange.hpp"

namespace heddle::detail {

/// How the columns of an operand's rows have to lie.
enum class ColumnOrder { any, ascending, strictly_ascending };

/// Entries whose column is below that of the entry before in their row, or with `strict` the same.
template <Ordinal O, Offset Off>
struct CountDescents {
  const Off* row_ptr;
  const O* col_idx;
  bool strict;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k,
                                              std::int64_t& descents) const {
    if (k == static_cast<std::int64_t>(row_ptr[row])) return;
    descents += strict ? col_idx[k] <= col_idx[k - 1] : col_idx[k] < col_idx[k - 1];
  }
};

/// A, B or D as a product takes it: as it is, or stored in another order.
template <ExecutionSpace Exec, class Matrix>
class ProductOperand {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  ProductOperand() = default;

  /// `allow` throws where so many bytes may not be held: it is asked before A is stored.
  template <class Allow>
  ProductOperand(const Exec& exec, const Matrix& A, Op op, ColumnOrder order, bool check,
                 const Allow& allow)
      : rows_(A.rows()), columns_(A.columns()), nonzeros_(static_cast<std::int64_t>(A.nonzeros())) {
    if (check) check_csr(exec, A);
    stored_ = op != Op::none || descents(exec, A, order, check) > 0;
    if (!stored_) return;
    const auto n = static_cast<std::size_t>(nonzeros_);
    const auto rows = static_cast<std::size_t>(transposes(op) ? columns_ : rows_);
    const bool add_up = order == ColumnOrder::strictly_ascending;
    // Repeats that are added up leave fewer entries, and take more to say where they come from.
    allow(add_up ? arena_bytes<Off, Off>(rows + 1, n)
                 : arena_bytes<Off, O, S>(rows + 1, n, n) + arena_bytes<Off>(n));
    copy_ = stored_op(exec, A, op, add_up, false);  // it was checked above
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
  /// Those of a B that is not checked are taken for none.
  static std::int64_t descents(const Exec& exec, const Matrix& A, ColumnOrder order, bool check) {
    const bool strict = order == ColumnOrder::strictly_ascending;
    if (order == ColumnOrder::any || (strict && !check)) return 0;
    return sum_entries<std::int64_t>(
        exec, "heddle::multiply::order", A.row_ptr().data(), A.rows(),
        static_cast<std::int64_t>(A.nonzeros()),
        CountDescents<O, Off>{A.row_ptr().data(), A.col_idx().data(), strict});
  }

  O rows_ = 0;
  O columns_ = 0;
  std::int64_t nonzeros_ = 0;
  bool stored_ = false;
  DerivedCsr<Exec, S, O, Off> copy_;
};

}  // namespace heddle::detail
