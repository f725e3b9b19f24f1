// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What excerpts of petsc.md name without a declaration.
#pragma once
#include <petscksp.h>

namespace given {

extern Mat A;
extern Vec x, b;
extern KSP ksp;
extern PC pc;

}  // namespace given
