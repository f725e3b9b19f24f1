// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What excerpts on pages name without a declaration: cmake/HeddlePages.cmake compiles them behind
// this.
#pragma once
#include <cstdio>
#include <heddle/csr.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/ilu.hpp>
#include <heddle/lobpcg.hpp>
#include <heddle/recipes.hpp>
#include <heddle/sgd.hpp>
#include <heddle/spmv.hpp>
#include <heddle/sptrsv.hpp>
#include <heddle/vectors.hpp>
#include <heddle/wavefronts.hpp>
#include <iostream>

namespace given {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = heddle::CsrMatrix<double, int, int, Space>;
using Vector = Kokkos::View<double*, Space>;

extern const Exec exec;
extern const Matrix A, B;
extern const int n, rows, columns, nonzeros;
extern const double alpha, beta;
extern const Vector b, r, x, y;

}  // namespace given
