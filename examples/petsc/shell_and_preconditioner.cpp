// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A PETSc program whose products and preconditioner are Heddle's:
//
//   mpiexec -n 4 heddle_example_petsc_shell_and_preconditioner -n 30 -pc_heddle_kind ic
//
// solves a Poisson problem by KSP, and again for new values of the matrix.
#include <petscksp.h>

#include <heddle/petsc.hpp>

#include "poisson.hpp"

int main(int argc, char** argv) {
  Mat A = nullptr, product;
  Vec x, b;
  KSP ksp;
  PC pc;
  PetscInt n = 20, iterations;
  KSPConvergedReason reason;
  PetscReal residual;
  bool good = true;

  PetscCall(PetscInitialize(&argc, &argv, nullptr, nullptr));
  PetscCall(heddle::petsc::register_preconditioner());
  PetscCall(PetscOptionsGetInt(nullptr, nullptr, "-n", &n, nullptr));
  PetscCall(example::poisson(n, 1, &A));
  PetscCall(heddle::petsc::create_shell(A, &product));  // inspects, once

  PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
  PetscCall(KSPSetOperators(ksp, product, A));  // was: KSPSetOperators(ksp, A, A)
  PetscCall(KSPSetType(ksp, KSPCG));
  PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_CURRENT, PETSC_CURRENT, PETSC_CURRENT));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, heddle::petsc::preconditioner_type));
  PetscCall(KSPSetFromOptions(ksp));

  PetscCall(MatCreateVecs(A, &x, &b));
  PetscCall(VecSet(b, 1));
  for (const double scale : {1.0, 2.0}) {
    PetscCall(example::poisson(n, scale, &A));  // product and PC take its new values
    PetscCall(KSPSolve(ksp, b, x));
    PetscCall(KSPGetConvergedReason(ksp, &reason));
    PetscCall(KSPGetIterationNumber(ksp, &iterations));
    PetscCall(example::relative_residual(A, b, x, &residual));
    PetscCall(PetscPrintf(PETSC_COMM_WORLD,
                          "%" PetscInt_FMT " iterations, |b - A x| / |b| = %.1e\n", iterations,
                          static_cast<double>(residual)));
    good = good && reason > 0 && residual < 1e-6;
  }
  PetscCall(KSPDestroy(&ksp));
  PetscCall(MatDestroy(&product));
  PetscCall(MatDestroy(&A));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&b));
  PetscCall(PetscFinalize());
  return good ? 0 : 1;
}
