// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/move_only.hpp"
#include "../../core/version.hpp"
#include "../../formats/compiled.hpp"
#include "../vectors/operands.hpp"

namespace heddle {

/// The preconditioner x = D^-1 b with A's diagonal D. CgSolver never stores its result: it reads
/// inverse_diagonal() with the residual. It can be moved, not copied.
template <ExecutionSpace Exec, Scalar S>
class JacobiPreconditioner {
 public:
  /// An empty preconditioner, to be assigned to.
  JacobiPreconditioner() : moves_(detail::made_empty) {}
  /// The preconditioner of a square matrix A in CSR, which may be freed afterwards. Waits for
  /// `exec`. Throws Error, naming the row, if a diagonal entry is missing, zero, infinite or NaN,
  /// or so small that its reciprocal overflows. Device memory: n entries. Without `exec`, here and
  /// below: on the default instance.
  template <class Matrix>
  JacobiPreconditioner(const Exec& exec, const Matrix& A) {
    detail::vectors::assert_defined<Exec, S, S>();
    allocate(exec, A.rows(), A.columns());
    update_values(exec, A);
    check_values(exec);
  }
  template <class Matrix>
    requires requires(const Matrix& A) { A.row_ptr(); }
  explicit JacobiPreconditioner(const Matrix& A) : JacobiPreconditioner(Exec(), A) {}

  /// Reads the values of a matrix with the same number of rows and any pattern; ordered on `exec`,
  /// no wait, no allocation. A diagonal that becomes bad is not an error here: see bad_row.
  template <class Matrix>
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("JacobiPreconditioner", "update_values");
    check_size(A.rows(), A.columns());
    invert(exec, with_signed_offsets(A));
    version_.renew();
  }
  template <class Matrix>
  void update_values(const Matrix& A) {
    update_values(Exec(), A);
  }

  /// x = D^-1 b; x may be b. Throws Error if shapes do not fit.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("JacobiPreconditioner", "apply");
    const auto from = detail::vectors::to_read(b);
    const auto to = detail::vectors::to_write(x);
    detail::vectors::check_preconditioned(from, to, static_cast<std::int64_t>(inverse_.extent(0)));
    multiply(exec, from, to);
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec(), b, x);
  }

  /// 1 / A(i, i), on the device.
  Kokkos::View<const S*, typename Exec::memory_space> inverse_diagonal() const {
    moves_.check("JacobiPreconditioner", "inverse_diagonal");
    return inverse_;
  }
  /// A number on the device, valid in the order of the instance that values were updated on: 0, or
  /// one more than the lowest row whose diagonal or reciprocal has become zero, infinite or NaN;
  /// that diagonal counts as one.
  Kokkos::View<const std::int64_t, typename Exec::memory_space> bad_row() const {
    moves_.check("JacobiPreconditioner", "bad_row");
    return bad_;
  }
  /// Throws Error, naming the row of bad_row, if there is one. Waits for `exec`.
  void check_values(const Exec& exec) const;
  void check_values() const { check_values(Exec()); }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool is_diagonal = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "Jacobi"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;
  std::size_t bytes() const { return inverse_.size() * sizeof(S); }

 private:
  using Space = typename Exec::memory_space;
  using Inverse = Kokkos::View<S*, Space>;
  using Bad = Kokkos::View<std::int64_t, Space>;

  /// Computes inverse_ and bad_ from A. Overloads without a template are in the compiled part.
  void invert(const Exec& exec, const CsrMatrix<S, int, int, Space>& A);
  void invert(const Exec& exec, const CsrMatrix<S, int, std::int64_t, Space>& A);
  template <class Matrix>
  void invert(const Exec& exec, const Matrix& A);
  void allocate(const Exec& exec, std::int64_t rows, std::int64_t columns);
  void check_size(std::int64_t rows, std::int64_t columns) const;
  void multiply(const Exec& exec, const Multivector<const S>& from, const Multivector<S>& to) const;

  detail::MoveOnly moves_;
  Inverse inverse_;
  Bad bad_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
JacobiPreconditioner(const Exec&, const Matrix&)
    -> JacobiPreconditioner<Exec, typename Matrix::scalar_type>;
template <class Matrix>
JacobiPreconditioner(const Matrix&)
    -> JacobiPreconditioner<typename Matrix::memory_space::execution_space,
                            typename Matrix::scalar_type>;

/// The preconditioner x = B^-1 b with the dense blocks B on A's diagonal, of equal size from row 0
/// on; the last one may be shorter. It keeps the inverses: an apply is a product with them, in one
/// launch, and moves (size + 2) n b bytes. It can be moved, not copied.
template <ExecutionSpace Exec, Scalar S>
class BlockJacobiPreconditioner {
 public:
  /// An empty preconditioner, to be assigned to.
  BlockJacobiPreconditioner() : moves_(detail::made_empty) {}
  /// The preconditioner of a square matrix A in CSR, which may be freed afterwards, with blocks of
  /// 1 to 32 rows. Waits for `exec`. Throws Error for another size and, naming its first row, for a
  /// block that is singular or not finite, or whose inverse is not finite. Device memory: bytes(),
  /// that of the inverses. Without `exec`, here and below: on the default instance.
  template <class Matrix>
  BlockJacobiPreconditioner(const Exec& exec, const Matrix& A, int size)
      : rows_(A.rows()), size_(size) {
    detail::vectors::assert_defined<Exec, S, S>();
    allocate(exec, A.columns());
    update_values(exec, A);
    check_values(exec);
  }
  template <class Matrix>
    requires requires(const Matrix& A) { A.row_ptr(); }
  BlockJacobiPreconditioner(const Matrix& A, int size)
      : BlockJacobiPreconditioner(Exec(), A, size) {}

  /// Reads the values of a matrix with the same number of rows and any pattern; ordered on `exec`,
  /// no wait, no allocation. A block that becomes bad is not an error here: see bad_row.
  template <class Matrix>
  void update_values(const Exec& exec, const Matrix& A) {
    moves_.check("BlockJacobiPreconditioner", "update_values");
    if (A.rows() != rows_ || A.columns() != rows_) {
      throw Error("A is " + std::to_string(A.rows()) + " x " + std::to_string(A.columns()) +
                      ", and the preconditioner has " + std::to_string(rows_) + " rows",
                  "make a new one when the size changes");
    }
    invert(exec, with_signed_offsets(A));
    version_.renew();
  }
  template <class Matrix>
  void update_values(const Matrix& A) {
    update_values(Exec(), A);
  }

  /// x = B^-1 b; b and x do not overlap.
  template <VectorView B, WritableVectorView X>
  void apply(const Exec& exec, const B& b, const X& x) const {
    moves_.check("BlockJacobiPreconditioner", "apply");
    const auto from = detail::vectors::to_read(b);
    const auto to = detail::vectors::to_write(x);
    detail::vectors::check_preconditioned(from, to, rows_);
    detail::vectors::check_distinct("b", from, "x", to);
    multiply(exec, from, to);
  }
  template <VectorView B, WritableVectorView X>
  void apply(const B& b, const X& x) const {
    apply(Exec(), b, x);
  }

  /// A number on the device, valid in the order of the instance that values were updated on: 0, or
  /// one more than the first row of the lowest block that has become singular or not finite, or has
  /// no finite inverse; that block counts as the identity.
  Kokkos::View<const std::int64_t, typename Exec::memory_space,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  bad_row() const {
    moves_.check("BlockJacobiPreconditioner", "bad_row");
    return bad_;
  }
  /// Throws Error, naming the row of bad_row, if there is one. Waits for `exec`.
  void check_values(const Exec& exec) const;
  void check_values() const { check_values(Exec()); }
  static constexpr bool takes_several_vectors = true;
  static constexpr bool symmetric() { return true; }
  static constexpr const char* name() { return "block Jacobi"; }
  VersionNumber version() const { return version_.number(); }
  static constexpr bool capturable() { return true; }
  static constexpr bool launches_by_heddle = true;
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  using Space = typename Exec::memory_space;
  using Bad = Kokkos::View<std::int64_t, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Computes inverse_ and bad_ from A. Overloads without a template are in the compiled part.
  void invert(const Exec& exec, const CsrMatrix<S, int, int, Space>& A);
  void invert(const Exec& exec, const CsrMatrix<S, int, std::int64_t, Space>& A);
  template <class Matrix>
  void invert(const Exec& exec, const Matrix& A);
  void allocate(const Exec& exec, std::int64_t columns);
  void multiply(const Exec& exec, const Multivector<const S>& from, const Multivector<S>& to) const;

  detail::MoveOnly moves_;
  std::int64_t rows_ = 0;
  std::int64_t blocks_ = 0;
  int size_ = 0;
  Arena<Space> arena_;
  S* inverse_ = nullptr;
  Bad bad_;
  Version version_;
};

template <ExecutionSpace Exec, class Matrix>
BlockJacobiPreconditioner(const Exec&, const Matrix&, int)
    -> BlockJacobiPreconditioner<Exec, typename Matrix::scalar_type>;
template <class Matrix>
BlockJacobiPreconditioner(const Matrix&, int)
    -> BlockJacobiPreconditioner<typename Matrix::memory_space::execution_space,
                                 typename Matrix::scalar_type>;

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "../vectors/definitions.hpp"
#include "jacobi_definitions.hpp"
#endif

/// The instances of the Jacobi and block Jacobi preconditioners for a scalar that the compiled part
/// (compiled.hpp) holds.
#define HEDDLE_JACOBI_INSTANCES(EXTERN, SCALAR) \
  HEDDLE_EACH_SPACE(HEDDLE_JACOBI_INSTANCES_ON, EXTERN, SCALAR)
#define HEDDLE_JACOBI_INSTANCES_ON(EXTERN, SCALAR, EXEC)            \
  EXTERN template class heddle::JacobiPreconditioner<EXEC, SCALAR>; \
  EXTERN template class heddle::BlockJacobiPreconditioner<EXEC, SCALAR>;

HEDDLE_EACH_COMPILED_SCALAR(HEDDLE_JACOBI_INSTANCES, HEDDLE_EXTERN)
