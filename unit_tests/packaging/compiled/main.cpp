// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of the compiled part: the default one, and a source for each of the others.
#include <cstdio>

#include "matrix.hpp"

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Small<int> small;
  heddle::SpmvPlan plan(Exec(), small.matrix(), {.ops = {heddle::Op::transpose}});
  const bool right[] = {small.applies(plan), unsigned_offsets(), one_format(),
                        own_format(),        kokkos_kernels(),   triangular_solve()};
  for (const bool one : right)
    std::printf("%s: %s\n", plan.scheme().to_string().c_str(), one ? "right" : "wrong");
  for (const bool one : right) {
    if (!one) return 1;
  }
  return 0;
}
