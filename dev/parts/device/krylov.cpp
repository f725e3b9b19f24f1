// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov solvers over an operator that does nothing, for the scalar of one word and the one of two.
#define HEDDLE_DEFINITIONS  // of further types
#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>

#include "nothing.hpp"

namespace heddle {

template <class Solver, class X>
void solve(const Gpu& exec, const X& x) {
  Solver solver(exec, 1, KrylovOptions());
  solver.solve(exec, Nothing(), x, x);
  solver.solve(exec, Nothing(), x, x, Nothing());
}

template <class S>
void solves(const Gpu& exec) {
  const Kokkos::View<S*, Gpu> x;
  solve<CgSolver<Gpu, S>>(exec, x);
  solve<BicgstabSolver<Gpu, S>>(exec, x);
  solve<ChebyshevSolver<Gpu, S>>(exec, x);
  solve<GmresSolver<Gpu, S>>(exec, x);
  solve<MinresSolver<Gpu, S>>(exec, x);
}

template void solves<float>(const Gpu&);
template void solves<double>(const Gpu&);
template void solves<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
