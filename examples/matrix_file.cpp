// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a Matrix Market file (plain, .gz or .xz) to a product with every scheme that choose ranks.
#include <cmath>
#include <cstdio>
#include <heddle/matrix_market.hpp>
#include <heddle/spmv.hpp>
#include <string>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

void products(const char* path) {
  const Exec exec;
  const auto file = heddle::read_matrix_market<double, int, int>(path);
  const auto storage = file.copy_to<Space>(exec);
  const auto A = storage.matrix();
  exec.fence();
  std::printf("%s: %d x %d, %d nonzeros\n", path, A.rows(), A.columns(), A.nonzeros());

  Kokkos::View<double*, Space> x("example::x", A.columns()), y("example::y", A.rows());
  Kokkos::deep_copy(exec, x, 1.0);
  // The schemes in the order of their ranking, the best first, with a product by each.
  const heddle::SpmvPlan chosen(exec, A);
  for (const heddle::RankedScheme& ranked : chosen.ranking()) {
    std::printf("%s\n", ranked.to_string().c_str());
    try {
      heddle::SpmvPlan plan(exec, A, {.scheme = ranked.scheme});
      plan.apply(exec, 1.0, x, 0.0, y);
    } catch (const heddle::Refusal&) {
      continue;
    }
    double sum = 0;
    Kokkos::parallel_reduce(
        "example::norm", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()),
        KOKKOS_LAMBDA(int i, double& part) { part += y(i) * y(i); }, sum);
    std::printf("  |A*1| = %.15g\n", std::sqrt(sum));
  }
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s FILE.mtx[.gz|.xz]\n", argv[0]);
    return 2;
  }
  try {
    products(argv[1]);
  } catch (const heddle::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
