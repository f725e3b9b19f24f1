// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace heddle::bench {

/// What it costs that every team of a launch takes a ticket, for many short teams.
void print_ticket_costs(const Kokkos::DefaultExecutionSpace& exec, int repetitions);
/// What Heddle's own launches gain over Kokkos' team policy, for the same kernels.
void print_portable_costs(const Kokkos::DefaultExecutionSpace& exec, int repetitions);

}  // namespace heddle::bench
