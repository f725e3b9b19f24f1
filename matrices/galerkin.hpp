// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "multiply.hpp"
#include "multiply/aggregated_product.hpp"
#include "multiply/triple_product.hpp"

namespace heddle {

/// R A P, the matrix of a coarse level: A P, which is stored, then R times A P. The pattern is made
/// once; new values of R, A and P need no allocation and no wait. Made of two MultiplyPlans and as
/// deterministic: docs/matrices.md
template <ExecutionSpace Exec, class Matrix>
class GalerkinPlan {
 public:
  using S = typename Matrix::scalar_type;

  /// An empty plan, to be assigned to: every call on it throws Error.
  GalerkinPlan() : moves_(detail::made_empty) {}

  /// The plan for a stored restriction R. options.max_bytes bounds both products together; ops are
  /// not allowed for triple products. Throws what MultiplyPlan throws.
  GalerkinPlan(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P,
               const MultiplyOptions& options = {})
      : GalerkinPlan(exec, R, A, P, options, Op::none) {}

  /// The plan for R = P*, which is P' for a real matrix: it stores the transpose and updates its
  /// values with those of P.
  GalerkinPlan(const Exec& exec, const Matrix& A, const Matrix& P,
               const MultiplyOptions& options = {})
      : GalerkinPlan(exec, P, A, P, options, Op::conjugate_transpose) {}

  /// Computes the values of R A P. No wait, no allocation; may be recorded in a graph. Throws Error
  /// if a shape or a number of entries differs from those that the plan was made for.
  void numeric(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P) {
    moves_.check("GalerkinPlan", "numeric");
    AP_.numeric(exec, A, P);
    RAP_.numeric(exec, R, AP_.matrix());
  }
  /// Computes the values with R = P*, if the plan was made without an R.
  void numeric(const Exec& exec, const Matrix& A, const Matrix& P) { numeric(exec, P, A, P); }

  /// R A P, borrowed; valid while the plan, or a copy of storage(), lives: temporaries have none.
  Matrix matrix() const& { return RAP("matrix").matrix(); }
  Matrix matrix() const&& = delete;
  const auto& storage() const& { return RAP("storage").storage(); }
  auto storage() const&& { return RAP("storage").storage(); }
  /// A P, borrowed.
  Matrix product_with_P() const& {
    moves_.check("GalerkinPlan", "product_with_P");
    return AP_.matrix();
  }
  Matrix product_with_P() const&& = delete;
  /// Device memory that the plan holds, both products included, in bytes; and the most that it has
  /// held.
  std::size_t bytes() const {
    moves_.check("GalerkinPlan", "bytes");
    return AP_.bytes() + RAP_.bytes();
  }
  std::size_t peak_bytes() const {
    moves_.check("GalerkinPlan", "peak_bytes");
    return std::max(AP_.peak_bytes(), AP_.bytes() + RAP_.peak_bytes());
  }
  /// Number of multiplications of the numeric phase.
  std::int64_t products() const {
    moves_.check("GalerkinPlan", "products");
    return AP_.products() + RAP_.products();
  }

 private:
  using Product = MultiplyPlan<Exec, Matrix>;

  GalerkinPlan(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P,
               const MultiplyOptions& options, Op op)
      : AP_(exec, A, P, checked(options)), RAP_(exec, R, AP_.matrix(), rest(options, op)) {}

  static const MultiplyOptions& checked(const MultiplyOptions& options) {
    if (options.op_a == Op::none && options.op_b == Op::none) return options;
    throw Error("a triple product has no op_a or op_b", "leave them out");
  }
  MultiplyOptions rest(MultiplyOptions options, Op op) const {
    options.op_a = op;
    if (options.max_bytes != MultiplyOptions::no_bound) {
      options.max_bytes -= std::min(options.max_bytes, AP_.bytes());
    }
    return options;
  }

  /// R times A P, for a function that names itself. Throws Error if the plan is empty.
  const Product& RAP(const char* called) const {
    moves_.check("GalerkinPlan", called);
    return RAP_;
  }

  detail::MoveOnly moves_;
  Product AP_, RAP_;
};

/// R A P, computed once.
template <ExecutionSpace Exec, class Matrix>
auto galerkin(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P,
              const MultiplyOptions& options = {}) {
  MultiplyOptions once = options;
  once.keep_products = false;
  GalerkinPlan<Exec, Matrix> plan(exec, R, A, P, once);
  plan.numeric(exec, R, A, P);
  return plan.storage();
}

namespace detail {

/// R A P with its values: by one walk over the products of each row, by a GalerkinPlan, or for a
/// tentative prolongation by sums between aggregates.
template <ExecutionSpace Exec, class Matrix>
class CoarseMatrix {
 public:
  /// An empty matrix, to be assigned to.
  CoarseMatrix() = default;

  /// Computes R A P. `one_walk`: rows of P have few entries, with distinct columns. If a row of the
  /// product is too long for scratch, there are two products all the same. Allocates, and waits.
  CoarseMatrix(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P, bool one_walk) {
    if (one_walk && triple_.emplace(exec, R, A, P).made()) return;
    triple_.reset();
    plan_ = GalerkinPlan<Exec, Matrix>(exec, R, A, P, {.keep_products = false, .check = false});
    plan_.numeric(exec, R, A, P);
  }

  /// Computes P* A P for a P whose rows have the `vectors` columns of one aggregate, or none.
  /// Allocates, and waits.
  CoarseMatrix(const Exec& exec, const Matrix& A, const Matrix& P, int vectors)
      : aggregated_(std::in_place, exec, A, P, vectors) {}

  /// Computes the values for matrices of the same patterns. No wait, no allocation.
  void update_values(const Exec& exec, const Matrix& R, const Matrix& A, const Matrix& P) {
    if (aggregated_) {
      aggregated_->numeric(exec, A, P);
    } else if (triple_) {
      triple_->numeric(exec, R, A, P);
    } else {
      plan_.numeric(exec, R, A, P);
    }
  }
  Matrix matrix() const& { return storage().matrix(); }
  Matrix matrix() const&& = delete;
  const auto& storage() const& {
    return aggregated_ ? aggregated_->storage() : triple_ ? triple_->storage() : plan_.storage();
  }
  std::size_t bytes() const {
    return aggregated_ ? aggregated_->bytes() : triple_ ? triple_->bytes() : plan_.bytes();
  }
  bool is_of_one_walk() const { return triple_.has_value(); }

 private:
  std::optional<matrix_product::AggregatedProduct<Exec, Matrix>> aggregated_;
  std::optional<matrix_product::TripleProduct<Exec, Matrix>> triple_;
  GalerkinPlan<Exec, Matrix> plan_;
};

}  // namespace detail

}  // namespace heddle
