// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of Heddle's in a PETSc program.
#include <petscmat.h>

#include <heddle/petsc.hpp>

int main(int argc, char** argv) {
  Mat A, product;
  Vec x, y;
  PetscInt first, end;
  PetscReal sum;

  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, 10, 10, 2, nullptr, 2,
                         nullptr, &A));
  PetscCall(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    PetscCall(MatSetValue(A, i, i, 1, INSERT_VALUES));
    PetscCall(MatSetValue(A, i, 9 - i, 2, INSERT_VALUES));
  }
  PetscCall(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  PetscCall(heddle::petsc::create_shell(A, &product));
  PetscCall(MatCreateVecs(product, &x, &y));
  PetscCall(VecSet(x, 1));
  PetscCall(MatMult(product, x, y));
  PetscCall(VecNorm(y, NORM_1, &sum));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscCall(MatDestroy(&product));
  PetscCall(MatDestroy(&A));
  PetscCall(PetscFinalize());
  return sum == 30 ? 0 : 1;
}
