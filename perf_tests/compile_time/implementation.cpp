// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part in one source: all formats, triangular solves, sweeps and incomplete
// factors, for offsets of 32 and 64 bits.
#define HEDDLE_IMPLEMENTATION
#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
