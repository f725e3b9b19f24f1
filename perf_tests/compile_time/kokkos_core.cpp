// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What every program on Kokkos pays: the others are compared with it.
#include <Kokkos_Core.hpp>
