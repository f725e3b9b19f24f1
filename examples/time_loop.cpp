// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products in a time loop whose matrix gets new values at every step: the pattern is inspected
// once, and update_values reads the values.
#include <cmath>
#include <cstdio>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int n = 2000, steps = 200;
  const example::Matrix L = example::second_difference(exec, n);
  const auto A = L.csr();
  heddle::SpmvPlan plan(exec, A, {.expected_applies = steps});

  Array<double> u("example::u", n), change("example::change", n);
  Kokkos::parallel_for(
      "example::start", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i) { u(i) = i == n / 2 ? 1.0 : 0.0; });

  // du/dt = -c(t) L u, by explicit steps. Entries of A are c(t) times those of L.
  const auto values = L.values;
  const auto entries = static_cast<int>(values.extent(0));
  double before = 1.0;
  for (int step = 0; step < steps; ++step) {
    const double c = 1.0 + 0.5 * std::sin(0.1 * step);
    const double factor = c / before;
    Kokkos::parallel_for(
        "example::new_values", Kokkos::RangePolicy<Exec>(exec, 0, entries),
        KOKKOS_LAMBDA(int k) { values(k) *= factor; });
    before = c;
    plan.update_values(exec, A);  // on the same stream: no wait, no inspection
    plan.apply(exec, 1.0, u, 0.0, change);
    Kokkos::parallel_for(
        "example::step", Kokkos::RangePolicy<Exec>(exec, 0, n),
        KOKKOS_LAMBDA(int i) { u(i) -= 0.2 * change(i); });
  }

  // Heat is conserved until it reaches the ends, which it has not.
  double sum = 0;
  Kokkos::parallel_reduce(
      "example::sum", Kokkos::RangePolicy<Exec>(exec, 0, n),
      KOKKOS_LAMBDA(int i, double& part) { part += u(i); }, sum);
  std::printf("%s: %d steps, heat kept %.6f\n", plan.scheme().to_string().c_str(), steps, sum);
  return std::abs(sum - 1) < 1e-4 ? 0 : 1;
}
