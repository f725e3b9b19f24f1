// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fastest scheme on this machine is measured once, its name is kept, and later runs pin it:
// they choose nothing, and give the same bits every time.
#include <cstdio>
#include <fstream>
#include <heddle/spmv.hpp>
#include <string>

#include "matrices.hpp"

using example::Array, example::Exec;

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const example::Matrix stored = example::second_difference(exec, 100000);
  const auto A = stored.csr();
  const char* file = "example_scheme.txt";

  {  // the first run of a program
    heddle::SpmvPlan plan(exec, A, {.measure_seconds = 0.1});
    std::ofstream(file) << plan.scheme() << '\n';
    std::printf("measured: %s, because %s\n", plan.scheme().to_string().c_str(),
                plan.reason().c_str());
  }

  // Every later run. A name in the source works too: {.scheme = "csr/merge"}.
  std::string name;
  std::getline(std::ifstream(file) >> std::ws, name);
  std::remove(file);
  heddle::SpmvPlan plan(exec, A, {.scheme = heddle::Scheme(name)});
  Array<double> x("example::x", A.columns()), y("example::y", A.rows());
  Kokkos::deep_copy(exec, x, 1.0);
  plan.apply(exec, 1.0, x, 0.0, y);
  exec.fence();
  std::printf("pinned:   %s, set up in %.1e s\n", plan.scheme().to_string().c_str(),
              plan.setup_seconds());

  // A name that does not exist here is an error that lists those that do.
  try {
    heddle::SpmvPlan none(exec, A, {.scheme = "csr/no-such-kernel"});
  } catch (const heddle::Error& error) {
    std::printf("%.60s...\n", error.what());
    return plan.scheme().to_string() == name ? 0 : 1;
  }
  return 1;
}
