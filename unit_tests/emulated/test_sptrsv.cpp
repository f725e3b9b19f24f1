// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves by plans, in a program of their own: each test compiles every scheme.
#include "../solvers/sptrsv/test_sptrsv.cpp"

#include "../solvers/sptrsv/test_sptrsv_choices.cpp"
