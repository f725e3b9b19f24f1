// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part in one source: all formats and triangular solves, for offsets of 32 and 64
// bits.
#define HEDDLE_IMPLEMENTATION
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
