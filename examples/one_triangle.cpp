// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A symmetric matrix stored as one triangle: the plan mirrors it and applies the whole matrix.
#include <cstdio>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int side = 200;
  const example::Matrix both = example::laplacian(exec, side);
  const example::Matrix lower = example::laplacian(exec, side, 1.0, true);

  // Use Symmetry::hermitian for a complex matrix that equals its conjugate transpose.
  heddle::SpmvPlan half(exec, lower.csr(), {.symmetry = heddle::Symmetry::symmetric});
  heddle::SpmvPlan full(exec, both.csr());

  const Array<double> x("example::x", both.rows), y("example::y", both.rows),
      expected("example::expected", both.rows);
  Kokkos::parallel_for(
      "example::fill", Kokkos::RangePolicy<Exec>(exec, 0, both.rows),
      KOKKOS_LAMBDA(int i) { x(i) = i % 10; });
  half.apply(exec, 1.0, x, 0.0, y);
  full.apply(exec, 1.0, x, 0.0, expected);

  std::printf("%d entries by %s, %d by %s\n", both.csr().nonzeros(),
              full.scheme().to_string().c_str(), lower.csr().nonzeros(),
              half.scheme().to_string().c_str());
  return example::largest_difference(exec, y, expected) == 0 ? 0 : 1;
}
