// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Several vectors at once (a multivector), row-major or column-major. Give the plan the number and
// the layout: its choice depends on them.
#include <cstdio>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// Number of entries of Y that differ from A*X with X all ones: 1 at both ends of a column, else 0.
template <class Vectors>
int wrong_entries(const Vectors& Y) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Y);
  const std::size_t n = host.extent(0);
  int wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t v = 0; v < host.extent(1); ++v) {
      wrong += host(i, v) != (i == 0 || i + 1 == n ? 1.0 : 0.0);
    }
  }
  return wrong;
}

template <class Layout, class Matrix>
int multiply(const Exec& exec, const char* how, const Matrix& A,
             const heddle::SpmvOptions& options) {
  using Vectors = Kokkos::View<double**, Layout, Exec::memory_space>;
  const Vectors X("example::X", A.columns(), options.vectors.count);
  const Vectors Y("example::Y", A.rows(), options.vectors.count);
  Kokkos::deep_copy(exec, X, 1.0);
  heddle::SpmvPlan plan(exec, A, options);
  plan.apply(exec, 1.0, X, 0.0, Y);
  exec.fence();
  std::printf("%-14s %s, %zu bytes of its own\n", how, plan.scheme().to_string().c_str(),
              plan.bytes());
  return wrong_entries(Y);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const example::Matrix matrix = example::second_difference(exec, 1000);

  int wrong = 0;
  wrong += multiply<Kokkos::LayoutRight>(exec, "side by side", matrix.csr(),
                                         {.vectors = {.count = 8, .apart = false}});
  wrong += multiply<Kokkos::LayoutLeft>(exec, "apart", matrix.csr(),
                                        {.vectors = {.count = 8, .apart = true}});
  return wrong == 0 ? 0 : 1;
}
