// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with the Jacobi preconditioner, written by hand: once for one thread in plain
// C++, and once in Kokkos' loops.
#pragma once

#include "ten_lines.hpp"

namespace demo {

constexpr double tolerance = 1e-8;  // |b - A x| over |b|: Heddle's default
constexpr int most_iterations = 10000;

Solved plain_cg(const Rows& A, const Vector& b, const Vector& x);
Solved kokkos_cg(const Exec& exec, const Rows& A, const Vector& b, const Vector& x);

/// |b - A x| over |b|, by a separate loop in long double.
double residual(const Rows& A, const Vector& b, const Vector& x);

}  // namespace demo
