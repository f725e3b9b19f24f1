// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/move_only.hpp"
#include "../../formats/spmv.hpp"
#include "chebyshev.hpp"
#include "concepts.hpp"
#include "jacobi.hpp"

namespace heddle {

/// The preconditioner of a few steps of Chebyshev's iteration from zero: a polynomial in A, which
/// is symmetric if A is, and as parallel as the products that it is made of. Its inner
/// preconditioner is Jacobi's, or that of blocks, with the diagonal or the diagonal blocks as D;
/// the bounds are those of D^-1 A.
///
/// It borrows the operator and the inner preconditioner, which must outlive it: if their values
/// change it changes too. ChebyshevPlan keeps values of its own. An apply is `degree` products, one
/// launch more for each, and four launches. It moves the bytes of the products and (8 degree + 9) n
/// b bytes for each vector. With blocks, a step has two launches more, and moves (12 + size) n b
/// bytes. It can be moved, not copied.
template <ExecutionSpace Exec, Scalar S, class A, class Inner = JacobiPreconditioner<Exec, S>>
class ChebyshevPreconditioner {
 public:
  /// Throws Error if the bounds or the degree are invalid. Device memory: three vectors.
  ChebyshevPreconditioner(const Exec& exec, A& matrix, const Inner& inner,
                          const SpectrumBounds& bounds, int degree = 3)
      : matrix_(&matrix), inner_(&inner), steps_(exec, matrix.rows(), bounds, degree) {}

  /// x = p(D^-1 A) D^-1 b, of rank 1, or of rank 2 with a column for each vector. An operator that
  /// accepts several vectors gets as many at a time as memory is reserved for. Does not read x. No
  /// allocation, no copy, no fence. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("ChebyshevPreconditioner", "apply");
    steps_.apply(exec, *matrix_, *inner_, b, x);
  }
  /// Reserves memory for so many vectors at once, three for each. Allocates if it has less.
  void reserve(const Exec& exec, int vectors) {
    moves_.check("ChebyshevPreconditioner", "reserve");
    steps_.reserve(exec, vectors);
  }

  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Chebyshev's polynomial"; }
  /// Changes with the versions of the operator and the inner preconditioner, and after a reserve
  /// that allocates.
  VersionNumber version() const
    requires HasVersion<A>
  {
    return version_.number({matrix_->version(), inner_->version(), steps_.version()});
  }
  bool capturable() const { return detail::krylov::capturable(*matrix_); }
  static constexpr bool launches_by_heddle = detail::krylov::launches_by_heddle<A>();
  std::size_t bytes() const { return steps_.bytes(); }

 private:
  detail::MoveOnly moves_;
  A* matrix_;
  const Inner* inner_;
  detail::krylov::ChebyshevSteps<Exec, S> steps_;
  detail::VersionOverParts<3> version_;
};

template <ExecutionSpace Exec, Scalar S, class A>
ChebyshevPreconditioner(const Exec&, A&, const JacobiPreconditioner<Exec, S>&,
                        const SpectrumBounds&, int = 3) -> ChebyshevPreconditioner<Exec, S, A>;
template <ExecutionSpace Exec, Scalar S, class A>
ChebyshevPreconditioner(const Exec&, A&, const BlockJacobiPreconditioner<Exec, S>&,
                        const SpectrumBounds&, int = 3)
    -> ChebyshevPreconditioner<Exec, S, A, BlockJacobiPreconditioner<Exec, S>>;

/// ChebyshevPreconditioner of a CSR matrix with values, product and diagonal of its own: only
/// update_values changes them, whatever the scheme of its product. The pattern of A is borrowed. It
/// can be moved, not copied.
template <ExecutionSpace Exec, class Matrix, class Product = SpmvPlan<Exec, Matrix>>
class ChebyshevPlan {
 public:
  using execution_space = Exec;
  using scalar_type = typename Matrix::scalar_type;

  /// An empty plan, to be assigned to.
  ChebyshevPlan() : moves_(detail::made_empty) {}
  /// The polynomial of `degree` for `bounds` of the eigenvalues of D^-1 A, as spectrum_bounds gives
  /// them. `options` are those of the product. A block_size above 1 makes D the diagonal blocks of
  /// so many rows; give spectrum_bounds the same. Waits for `exec`. Throws Error as SpmvPlan and
  /// JacobiPreconditioner or BlockJacobiPreconditioner do, and if the bounds or the degree are
  /// invalid. Device memory: the values, the memory of the product, three vectors, and the inverse
  /// of D.
  ChebyshevPlan(const Exec& exec, const Matrix& A, const SpectrumBounds& bounds, int degree = 3,
                const SpmvOptions& options = {}, int block_size = 1)
      : values_(Kokkos::view_alloc(kokkos_space(exec), Kokkos::WithoutInitializing,
                                   "heddle::chebyshev::values"),
                static_cast<std::size_t>(A.nonzeros())),
        steps_(exec, A.rows(), bounds, degree) {
    if (block_size == 1) {
      jacobi_ = Jacobi(exec, A);
    } else {
      blocks_.emplace(exec, A, block_size);
    }
    vectors::copy(exec, A.values(), values_);
    product_ = Product(exec, with_own_values(A), options);
  }

  /// New values of a matrix of the same pattern, and bounds if they are given. Queued on `exec`: no
  /// wait, no allocation. Throws Error if the matrix has another size. A diagonal that becomes bad
  /// is no error here: see bad_row.
  void update_values(const Exec& exec, const Matrix& A,
                     const std::optional<SpectrumBounds>& bounds = std::nullopt) {
    moves_.check("ChebyshevPlan", "update_values");
    if (static_cast<std::size_t>(A.nonzeros()) != values_.extent(0)) {
      throw Error("the matrix has " + std::to_string(A.nonzeros()) + " entries, and the plan " +
                      std::to_string(values_.extent(0)),
                  "make a new plan for another pattern");
    }
    if (bounds) steps_.set_bounds(*bounds);
    blocks_ ? blocks_->update_values(exec, A) : jacobi_.update_values(exec, A);
    vectors::copy(exec, A.values(), values_);
    product_.update_values(exec, with_own_values(A));
  }

  /// Applies the polynomial: see ChebyshevPreconditioner::apply.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("ChebyshevPlan", "apply");
    blocks_ ? steps_.apply(exec, product_, *blocks_, b, x)
            : steps_.apply(exec, product_, jacobi_, b, x);
  }
  /// Reserves memory for so many vectors at once, three for each. Allocates if it has less.
  void reserve(const Exec& exec, int vectors) {
    moves_.check("ChebyshevPlan", "reserve");
    steps_.reserve(exec, vectors);
  }

  /// See bad_row and check_values of JacobiPreconditioner and BlockJacobiPreconditioner.
  Kokkos::View<const std::int64_t, typename Exec::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  bad_row() const {
    moves_.check("ChebyshevPlan", "bad_row");
    if (blocks_) return blocks_->bad_row();
    return jacobi_.bad_row();
  }
  void check_values(const Exec& exec) const {
    moves_.check("ChebyshevPlan", "check_values");
    blocks_ ? blocks_->check_values(exec) : jacobi_.check_values(exec);
  }

  /// The scheme of the product.
  Scheme scheme() const {
    moves_.check("ChebyshevPlan", "scheme");
    return product_.scheme();
  }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Chebyshev's polynomial"; }
  VersionNumber version() const {
    return version_.number(
        {product_.version(), blocks_ ? blocks_->version() : jacobi_.version(), steps_.version()});
  }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;
  std::size_t bytes() const {
    return values_.size() * sizeof(scalar_type) + product_.bytes() +
           (blocks_ ? blocks_->bytes() : jacobi_.bytes()) + steps_.bytes();
  }

 private:
  using Jacobi = JacobiPreconditioner<Exec, scalar_type>;

  Matrix with_own_values(const Matrix& A) const {
    return Matrix(A.rows(), A.columns(), A.nonzeros(), A.row_ptr().data(), A.col_idx().data(),
                  values_.data());
  }

  detail::MoveOnly moves_;
  Kokkos::View<scalar_type*, typename Exec::memory_space> values_;
  Product product_;
  Jacobi jacobi_;  ///< empty if there are blocks
  std::optional<BlockJacobiPreconditioner<Exec, scalar_type>> blocks_;
  detail::krylov::ChebyshevSteps<Exec, scalar_type> steps_;
  detail::VersionOverParts<3> version_;
};

template <ExecutionSpace Exec, class Matrix, class... More>
ChebyshevPlan(const Exec&, const Matrix&, More&&...) -> ChebyshevPlan<Exec, Matrix>;

}  // namespace heddle
