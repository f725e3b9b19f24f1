// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A matrix in float with vectors in double: two thirds of the bytes. A solver uses its products,
// and residuals in double make the answer as accurate as with double alone.
#define HEDDLE_DEFINITIONS  // these types are not compiled elsewhere
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/spmv.hpp>
#include <type_traits>

#include "matrices.hpp"

using example::Array, example::Exec;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 50, n = side * side;
  // 1/3 is not a float: the matrix in float differs by 1e-8 of its entries.
  const auto exact = example::laplacian<double>(exec, side, 1.0 / 3);
  const auto rounded = example::laplacian<float>(exec, side, 1.0 / 3);
  const auto rounded_csr = rounded.csr();

  // Vectors, alpha, beta and sums are double. With a list of one format the other formats are not
  // compiled for these types.
  using FloatMatrix = std::remove_const_t<decltype(rounded_csr)>;
  using OneFormat = heddle::Formats<heddle::CsrFormat>;
  heddle::SpmvPlan<Exec, FloatMatrix, double, double, OneFormat> fast(exec, rounded_csr);
  heddle::SpmvPlan A(exec, exact.csr());

  const Array<double> u("example::u", n), f("example::f", n), r("example::r", n),
      step("example::step", n), zero("example::zero", n);
  Kokkos::deep_copy(exec, f, 1.0);
  Kokkos::deep_copy(exec, r, f);
  heddle::CgSolver<Exec, double> cg(exec, n, {.relative_tolerance = 1e-6});
  double residual = 1;
  for (int round = 1; round <= 3; ++round) {
    Kokkos::deep_copy(exec, step, 0.0);
    const heddle::KrylovResult result = cg.solve(exec, fast, r, step);
    Kokkos::parallel_for(
        "example::add", Kokkos::RangePolicy<Exec>(exec, 0, n),
        KOKKOS_LAMBDA(int i) { u(i) += step(i); });
    Kokkos::deep_copy(exec, r, f);
    A.apply(exec, -1.0, u, 1.0, r);  // r = f - A u, in double
    residual = example::largest_difference(exec, r, zero);
    std::printf("round %d: %d products in float, residual %.1e\n", round, result.iterations,
                residual);
  }
  return residual < 1e-12 ? 0 : 1;
}
