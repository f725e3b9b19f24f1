// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../vectors/definitions.hpp"
#include "bicgstab.hpp"
#include "monitor_definitions.hpp"

/// Defines what bicgstab.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
BicgstabSolver<Exec, S>::BicgstabSolver(const Exec& exec, std::int64_t rows,
                                        const KrylovOptions& options)
    : rows_(rows),
      monitor_(exec,
               detail::krylov::MonitorLabels{"heddle::bicgstab::state",
                                             "heddle::bicgstab::state_on_host",
                                             "heddle::bicgstab::check"},
               options, rows),
      workspace_(exec, ResidualPasses::most_numbers),
      blocks_(detail::krylov::block_of(options)),
      best_(exec, "heddle::bicgstab::best", options, static_cast<std::size_t>(rows), 1) {
  const auto n = static_cast<std::size_t>(rows);
  arena_ = Arena<Space>(exec, "heddle::bicgstab::vectors", vector_count * arena_bytes<S>(n));
  for (Vectors* v : {&x_, &r_, &shadow_, &p_, &v_, &t_, &p_hat_, &s_hat_}) {
    *v = Vectors(arena_.template take<S>(n).data(), n, 1);
  }
}

}  // namespace heddle

#include "instantiate_bicgstab.hpp"  // behind what it makes
