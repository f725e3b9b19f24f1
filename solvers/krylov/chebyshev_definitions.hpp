// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/loops.hpp"
#include "../vectors/definitions.hpp"
#include "chebyshev.hpp"
#include "monitor_definitions.hpp"

/// Defines what chebyshev.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
ChebyshevSolver<Exec, S>::ChebyshevSolver(const Exec& exec, std::int64_t rows,
                                          const SpectrumBounds& bounds,
                                          const KrylovOptions& options)
    : rows_(rows),
      bounds_(bounds),
      monitor_(exec,
               detail::krylov::MonitorLabels{"heddle::chebyshev::progress",
                                             "heddle::chebyshev::progress_on_host",
                                             "heddle::chebyshev::check"},
               options, rows),
      workspace_(exec, ResidualPasses::most_numbers),
      best_(exec, "heddle::chebyshev::best", options, static_cast<std::size_t>(rows), 1) {
  detail::krylov::check_bounds(bounds);
  const auto n = static_cast<std::size_t>(rows);
  arena_ = Arena<Space>(exec, "heddle::chebyshev::vectors", 5 * arena_bytes<S>(n));
  for (Vectors* v : {&x_, &r_, &d_, &q_, &z_}) {
    *v = Vectors(arena_.template take<S>(n).data(), n, 1);
  }
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSolver<Exec, S>::go_on(const Exec& exec) {
  residual_passes().scale(exec);
  detail::parallel_for(exec, "heddle::chebyshev::go_on", 1,
                       detail::krylov::ChebyshevGoesOn{monitor_.states()});
}

}  // namespace heddle

#include "instantiate_chebyshev.hpp"  // behind what it makes
