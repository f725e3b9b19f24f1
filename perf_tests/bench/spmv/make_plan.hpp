// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../formats/spmv_plan.hpp"
#include "../common/any_operator.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A plan of all formats as a contestant. Compiled once for each pair of types, in
/// spmv/instance.cpp: plans take long to compile, and other operations share these.
template <Scalar S, Offset Off>
std::unique_ptr<SpmvContestant<S>> make_plan(const Exec& exec, const SpmvProblem<S, Off>& problem,
                                             const SpmvOptions& options);

/// A plan of all formats as a product with any vectors, for solvers.
template <Scalar S, Offset Off>
std::unique_ptr<AnyProduct<S>> make_product(const Exec& exec,
                                            const CsrMatrix<S, Index, Off, Space>& A,
                                            const SpmvOptions& options);

}  // namespace heddle::bench
