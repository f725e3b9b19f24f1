// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The PC type "heddle" for programs that know nothing of Heddle: PETSc loads this library when it
// begins, by the option -dll_append (or -dll_prepend), and calls the function of its name:
//
//   mpiexec -n 4 your_program -dll_append /path/to/libheddle_petsc.so -pc_type heddle
#include <heddle/petsc.hpp>

extern "C" PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_heddle_petsc() {
  PetscFunctionBegin;
  PetscCall(heddle::petsc::register_preconditioner());
  PetscFunctionReturn(PETSC_SUCCESS);
}
