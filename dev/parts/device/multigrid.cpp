// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid, for the scalar of one word and the one of two. Its products with vectors are compiled
// by the other files.
#include <heddle/multigrid.hpp>

using Gpu = Kokkos::DefaultExecutionSpace;

HEDDLE_MULTIGRID_INSTANCE(, Gpu, HEDDLE_MATRIX(double, int, Gpu))
HEDDLE_MULTIGRID_INSTANCE(, Gpu, HEDDLE_MATRIX(Kokkos::complex<double>, int, Gpu))
