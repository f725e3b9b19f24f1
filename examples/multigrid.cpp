// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Poisson's equation by conjugate gradients with multigrid: how the iterations grow with the size,
// and a time loop whose matrix gets new values at every step, while aggregates and patterns stay.
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>

#include "matrices.hpp"

using example::Array, example::Exec;

/// Iterations of conjugate gradients for A u = f, from u = 0.
template <class Matrix, class... Preconditioner>
int solve(const Exec& exec, const Matrix& A, const Array<double>& f, const Array<double>& u,
          Preconditioner&... preconditioner) {
  heddle::SpmvPlan plan(exec, A);
  heddle::KrylovOptions options;
  options.zero_guess = true;
  heddle::CgSolver<Exec, double> cg(exec, A.rows(), options);
  const heddle::KrylovResult result = cg.solve(exec, plan, f, u, preconditioner...);
  return result.converged() ? result.iterations : -1;
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  bool right = true;
  for (const int side : {50, 100, 200}) {
    const example::Matrix stored = example::laplacian(exec, side);
    const auto A = stored.csr();
    const Array<double> u("example::u", A.rows()), f("example::f", A.rows());
    Kokkos::deep_copy(exec, f, 1.0);
    heddle::MultigridPlan multigrid(exec, A);
    const int plain = solve(exec, A, f, u), few = solve(exec, A, f, u, multigrid);
    std::printf("%6d rows: %3d iterations, with multigrid %d\n", A.rows(), plain, few);
    if (side == 200) std::printf("%s", multigrid.levels().to_string().c_str());
    right = right && plain > 0 && few > 0 && few <= 20;
  }

  // du/dt = -c(t) L u by implicit steps: (I + dt c(t) L) u = the previous u.
  const int side = 100;
  const example::Matrix L = example::laplacian(exec, side), stored = example::laplacian(exec, side);
  const auto A = stored.csr();
  const auto from = L.values, to = stored.values;
  const auto entries = static_cast<int>(to.extent(0));
  const auto row_ptr = L.row_ptr, col_idx = L.col_idx;
  const auto set_values = [&](double dt) {
    Kokkos::parallel_for(
        "example::new_values", Kokkos::RangePolicy<Exec>(exec, 0, A.rows()), KOKKOS_LAMBDA(int i) {
          for (int k = row_ptr(i); k < row_ptr(i + 1); ++k) {
            to(k) = dt * from(k) + (col_idx(k) == i ? 1.0 : 0.0);
          }
        });
  };
  const Array<double> u("example::u", A.rows()), before("example::before", A.rows());
  Kokkos::deep_copy(exec, before, 1.0);
  set_values(100);
  heddle::MultigridPlan multigrid(exec, A);
  int most = 0;
  for (int step = 0; step < 10 && right; ++step) {
    set_values(100 * (1 + 0.5 * std::sin(step)));
    multigrid.update_values(exec, A);  // on the same stream: no wait, no allocation
    const int taken = solve(exec, A, before, u, multigrid);
    right = right && taken > 0;
    most = taken > most ? taken : most;
    Kokkos::deep_copy(exec, before, u);
  }
  std::printf("10 steps of %d entries: at most %d iterations each\n", entries, most);
  return right && most <= 20 ? 0 : 1;
}
