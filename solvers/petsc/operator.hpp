// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "../mpi.hpp"
#include "common.hpp"

namespace heddle::petsc {

/// The reduction over the processes of a matrix or a shell, for KrylovOptions::reduction.
inline Reduction reduction(Mat A) {
  return mpi_reduction(PetscObjectComm(reinterpret_cast<PetscObject>(A)));
}
/// The reduction over the processes of a vector.
inline Reduction reduction(Vec x) {
  return mpi_reduction(PetscObjectComm(reinterpret_cast<PetscObject>(x)));
}

/// A matrix of PETSc, or a shell of create_shell, as the A of Heddle's solvers: x and y are the
/// rows of this process, and MatMult multiplies. Holds a reference to the matrix. In host memory x
/// and y are borrowed; on a GPU they are copied to vectors of PETSc and back. Making one, which
/// initializes Kokkos if the program has not, and apply are collective. They throw Error with the
/// code of a function of PETSc that failed, whose message PETSc has printed; the other processes
/// then wait, unless it failed on all.
class MatOperator {
 public:
  explicit MatOperator(Mat A) : MatOperator() {  // so that the destructor runs if this throws
    check(detail::petsc::initialize_kokkos(), "Kokkos::initialize");
    check(PetscObjectReference(reinterpret_cast<PetscObject>(A)), "PetscObjectReference");
    A_ = A;
    PetscInt rows, columns;
    check(MatGetLocalSize(A, &rows, &columns), "MatGetLocalSize");
    rows_ = rows;
    columns_ = columns;
    check(make_vectors(), "MatCreateVecs");
  }
  MatOperator(MatOperator&& other) noexcept
      : A_(std::exchange(other.A_, nullptr)),
        x_(std::exchange(other.x_, nullptr)),
        y_(std::exchange(other.y_, nullptr)),
        rows_(other.rows_),
        columns_(other.columns_) {}
  MatOperator& operator=(MatOperator&&) = delete;
  ~MatOperator() {
    static_cast<void>(VecDestroy(&x_));
    static_cast<void>(VecDestroy(&y_));
    static_cast<void>(MatDestroy(&A_));
  }

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  /// y = A x. Waits for `exec`.
  template <class X, class Y>
  void apply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    check(multiply(exec, x, y), "MatMult");
  }

 private:
  MatOperator() = default;

  static void check(PetscErrorCode code, const char* function) {
    if (code == PETSC_SUCCESS) return;
    throw Error(std::string(function) + " of heddle::petsc::MatOperator returned the code " +
                    std::to_string(static_cast<int>(code)),
                "see PETSc's message");
  }

  PetscErrorCode make_vectors() {
    PetscFunctionBegin;
    PetscCall(MatCreateVecs(A_, &x_, &y_));
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  /// MatMult, which leaves x locked if it fails.
  PetscErrorCode mat_mult() const {
    PetscInt locks = 0;

    PetscFunctionBegin;
    const PetscErrorCode code = MatMult(A_, x_, y_);
    if (code) PetscCall(VecLockGet(x_, &locks));
    for (; locks > 0; --locks) PetscCall(VecLockReadPop(x_));
    PetscCall(code);
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  template <class X, class Y>
  PetscErrorCode multiply(const ExecutionSpace& exec, const X& x, const Y& y) const {
    PetscFunctionBegin;
    if constexpr (detail::petsc::on_host) {
      exec.fence("heddle::petsc::own_x");
      PetscCall(VecPlaceArray(x_, reinterpret_cast<const PetscScalar*>(x.data())));
      PetscCall(VecPlaceArray(y_, reinterpret_cast<const PetscScalar*>(y.data())));
      const PetscErrorCode code = mat_mult();
      PetscCall(VecResetArray(x_));
      PetscCall(VecResetArray(y_));
      PetscCall(code);
    } else {
      using detail::petsc::Access;
      detail::petsc::BorrowedVector own;
      PetscCall(own.get(x_, Access::write));
      PetscCall(own.check());
      Kokkos::deep_copy(exec, own.view(), x);
      exec.fence("heddle::petsc::own_x");  // PETSc's kernels may run on another instance
      PetscCall(own.restore(x_, Access::write));
      PetscCall(mat_mult());
      PetscCall(own.get(y_, Access::read));
      PetscCall(own.check());
      detail::petsc::execution_space().fence("heddle::petsc::own_y");
      Kokkos::deep_copy(exec, y, own.view());
      exec.fence("heddle::petsc::copied_y");
      PetscCall(own.restore(y_, Access::read));
    }
    PetscFunctionReturn(PETSC_SUCCESS);
  }

  Mat A_ = nullptr;
  mutable Vec x_ = nullptr, y_ = nullptr;
  std::int64_t rows_ = 0, columns_ = 0;
};

}  // namespace heddle::petsc
