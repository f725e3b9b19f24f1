// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PETSc program that does not know Heddle, whose command line alone says what preconditions:
//
//   mpiexec -n 4 heddle_example_petsc_without_heddle -dll_append /path/to/libheddle_petsc.so
//     -pc_type bjacobi -sub_pc_type heddle -sub_pc_heddle_kind ilu
#include <petscksp.h>

#include "poisson.hpp"

int main(int argc, char** argv) {
  Mat A = nullptr;
  Vec x, b;
  KSP ksp;
  PetscInt n = 20, iterations;
  KSPConvergedReason reason;
  PetscReal residual;

  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(example::poisson(n, 1, &A));
  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, A, A));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPSetFromOptions(ksp));
  PetscCall(KSPSolve(ksp, b, x));
  PetscCall(KSPGetConvergedReason(ksp, &reason));
  PetscCall(KSPGetIterationNumber(ksp, &iterations));
  PetscCall(example::relative_residual(A, b, x, &residual));
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%" PetscInt_FMT " iterations, |b - A x| / |b| = %.1e\n",
                        iterations, static_cast<double>(residual)));
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(PetscFinalize());
  return reason > 0 && residual < 1e-6 ? 0 : 1;
}
