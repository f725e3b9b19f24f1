// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "factor_plan.hpp"
#include "stored_factors.hpp"

/// Defines what factor_plan.hpp declares.
namespace heddle::detail {

template <ExecutionSpace Exec, class Matrix, template <class> class RowOf>
inline constexpr bool is_defined<FactorPlan<Exec, Matrix, RowOf>> = true;

template <ExecutionSpace Exec, class Matrix, Scalar Stored, template <class> class RowOf>
std::unique_ptr<ilu::AnyFactors<Exec, Matrix>> ilu::make_factors(const Exec& exec, const Matrix& A,
                                                                 const IluOptions& options) {
  return std::make_unique<StoredFactors<Exec, Matrix, Stored, RowOf>>(exec, A, options);
}

}  // namespace heddle::detail

#include "instantiate.hpp"  // behind what it makes
