// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "bicgstab.hpp"
#include "solver_definitions.hpp"

/// Defines what bicgstab.hpp declares.
namespace heddle {

template <ExecutionSpace Exec, Scalar S>
BicgstabSolver<Exec, S>::BicgstabSolver(const Exec& exec, std::int64_t rows,
                                        const KrylovOptions& options)
    : Base(exec, rows, options) {
  this->allocate(exec, {&shadow_, &p_, &v_, &p_hat_, &s_hat_});
}

}  // namespace heddle
