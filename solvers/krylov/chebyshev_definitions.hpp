// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "chebyshev.hpp"
#include "solver_definitions.hpp"

/// Defines what chebyshev.hpp declares.
namespace heddle {

namespace detail::krylov {

/// Throws Error for options that make no sense.
inline const KrylovOptions& with_bounds(const KrylovOptions& options, const TakenOptions& takes) {
  if (!checked(options, takes).bounds) {
    throw Error("ChebyshevSolver without options.bounds",
                "give bounds of the eigenvalues of M A, or take CgSolver");
  }
  check_bounds(*options.bounds);
  return options;
}

}  // namespace detail::krylov

template <ExecutionSpace Exec, Scalar S>
ChebyshevSolver<Exec, S>::ChebyshevSolver(const Exec& exec, std::int64_t rows,
                                          const KrylovOptions& options)
    : Base(exec, rows, detail::krylov::with_bounds(options, traits.takes)) {
  this->allocate(exec, {&d_, &z_});
}

template <ExecutionSpace Exec, Scalar S>
void ChebyshevSolver<Exec, S>::go_on(const Exec& exec) {
  this->scale_residual(exec);
  detail::parallel_for(exec, "heddle::chebyshev::go_on", 1,
                       detail::krylov::ChebyshevGoesOn{states()});
}

}  // namespace heddle
