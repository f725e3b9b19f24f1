// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiled part in one source: all formats, triangular solves and solvers, for offsets of 32
// and 64 bits.
#define HEDDLE_IMPLEMENTATION
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/gmres.hpp>
#include <heddle/ilu.hpp>
#include <heddle/minres.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
#include <heddle/vectors.hpp>
