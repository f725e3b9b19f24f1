// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A search for eigenpairs with all that it takes, for the scalar of one word and the one of two:
// above all the tall products of solvers/vectors/, of Gram matrices and combinations.
#define HEDDLE_DEFINITIONS  // of further types
#include <heddle/lobpcg.hpp>

#include "nothing.hpp"

namespace heddle {

template <class S>
LobpcgResult search(const Gpu& exec) {
  LobpcgSolver<Gpu, S> solver(exec, 1, {});
  const Kokkos::View<S**, Kokkos::LayoutLeft, Gpu> x;
  return solver.solve(exec, Nothing(), x, Nothing(), Nothing(), x);
}

template LobpcgResult search<float>(const Gpu&);
template LobpcgResult search<double>(const Gpu&);
template LobpcgResult search<Kokkos::complex<double>>(const Gpu&);

}  // namespace heddle
