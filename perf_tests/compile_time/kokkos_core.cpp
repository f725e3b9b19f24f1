// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of every program on Kokkos, which the other sources are compared with.
#include <Kokkos_Core.hpp>
