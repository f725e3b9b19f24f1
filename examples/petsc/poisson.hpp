// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <petscmat.h>

namespace example {

/// Sets the entries of a Poisson matrix of n x n x n points, times `scale`. The first call makes A,
/// with the rows in equal runs on the processes; later ones give it new values.
inline PetscErrorCode poisson(PetscInt n, PetscScalar scale, Mat* A) {
  PetscInt first, end;

  PetscFunctionBeginUser;
  if (!*A) {
    PetscCall(MatCreate(PETSC_COMM_WORLD, A));
    PetscCall(MatSetSizes(*A, PETSC_DECIDE, PETSC_DECIDE, n * n * n, n * n * n));
    PetscCall(MatSetFromOptions(*A));
    PetscCall(MatSetUp(*A));
  }
  PetscCall(MatGetOwnershipRange(*A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    const PetscInt x = i % n, y = i / n % n, z = i / (n * n);
    const auto set = [&](PetscInt j, double value) {
      return MatSetValue(*A, i, j, value * scale, INSERT_VALUES);
    };
    PetscCall(set(i, 6));
    if (x > 0) PetscCall(set(i - 1, -1));
    if (x + 1 < n) PetscCall(set(i + 1, -1));
    if (y > 0) PetscCall(set(i - n, -1));
    if (y + 1 < n) PetscCall(set(i + n, -1));
    if (z > 0) PetscCall(set(i - n * n, -1));
    if (z + 1 < n) PetscCall(set(i + n * n, -1));
  }
  PetscCall(MatAssemblyBegin(*A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(*A, MAT_FINAL_ASSEMBLY));
  PetscFunctionReturn(PETSC_SUCCESS);
}

/// |b - A x| / |b|.
inline PetscErrorCode relative_residual(Mat A, Vec b, Vec x, PetscReal* residual) {
  Vec r;
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(b, &r));
  PetscCall(MatMult(A, x, r));
  PetscCall(VecAYPX(r, -1, b));
  PetscCall(VecNorm(r, NORM_2, residual));
  PetscCall(VecNorm(b, NORM_2, &norm));
  PetscCall(VecDestroy(&r));
  *residual /= norm;
  PetscFunctionReturn(PETSC_SUCCESS);
}

}  // namespace example
