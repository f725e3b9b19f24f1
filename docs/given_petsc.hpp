// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What excerpts of petsc.md name without a declaration.
#pragma once
#include <petscksp.h>

#include <heddle/petsc.hpp>

// Excerpts are parts of a function that returns nothing.
#undef PetscCall
#define PetscCall(...) PetscCallVoid(__VA_ARGS__)

namespace given {

extern Mat A;
extern Vec x, b;
extern KSP ksp;
extern PC pc;

}  // namespace given
