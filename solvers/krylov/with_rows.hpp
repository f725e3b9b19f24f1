// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>

#include "../../core/matrix.hpp"
#include "concepts.hpp"

namespace heddle {

/// An operator together with its matrix, csr(), for solvers whose kernels compute rows themselves.
/// Refers to the operator and borrows the matrix, which must be complete: not one triangle of a
/// symmetric matrix. Without a matrix csr() is none.
template <class Operator, class Matrix>
class OperatorWithRows {
 public:
  using matrix_type = SignedOffsets<Matrix>;

  explicit OperatorWithRows(Operator& applied) : operator_(&applied) {}
  /// Throws Error if their sizes differ.
  OperatorWithRows(Operator& applied, const Matrix& A)
      : operator_(&applied), matrix_(with_signed_offsets(A)) {
    if (static_cast<std::int64_t>(applied.rows()) != A.rows() ||
        static_cast<std::int64_t>(applied.columns()) != A.columns()) {
      throw Error("the operator is " + std::to_string(applied.rows()) + " x " +
                      std::to_string(applied.columns()) + ", and the matrix " +
                      std::to_string(A.rows()) + " x " + std::to_string(A.columns()),
                  "give the matrix that the operator applies");
    }
  }

  template <class Exec, class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    operator_->apply(exec, x, y);
  }
  template <class Exec, class X, class Y, class Acc, class Result>
  void apply_dot(const Exec& exec, const X& x, const Y& y,
                 const VectorWorkspace<Exec, Acc>& workspace, const Result& result) const
    requires requires(Operator& a) { a.apply_dot(exec, x, y, workspace, result); }
  {
    operator_->apply_dot(exec, x, y, workspace, result);
  }
  bool has_dot() const { return detail::krylov::has_dot(*operator_); }
  static constexpr bool takes_several_vectors = detail::krylov::takes_several_vectors<Operator>();
  std::int64_t rows() const { return operator_->rows(); }
  std::int64_t columns() const { return operator_->columns(); }
  std::optional<matrix_type> csr() const { return matrix_; }
  /// Changes with the operator's version, and with the matrix.
  VersionNumber version() const
    requires HasVersion<Operator>
  {
    return version_.number(std::array{operator_->version()});
  }
  bool capturable() const { return detail::krylov::capturable(*operator_); }
  static constexpr bool launches_by_heddle = detail::krylov::launches_by_heddle<Operator>();
  double moved_bytes(Op op, int vectors) const
    requires requires(const Operator& a) { a.moved_bytes(Op::none, 1); }
  {
    return operator_->moved_bytes(op, vectors);
  }

 private:
  Operator* operator_;
  std::optional<matrix_type> matrix_;
  detail::VersionOverParts<1> version_;
};

/// See OperatorWithRows.
template <class Operator, class Matrix>
OperatorWithRows<Operator, Matrix> with_rows(Operator& applied, const Matrix& A) {
  return {applied, A};
}

}  // namespace heddle
