// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../solvers/ilu/options.hpp"
#include "../common/any_operator.hpp"

namespace heddle::bench {

enum class FactorKind { lu, cholesky, lu_in_float, cholesky_in_float };

/// A plan of incomplete factors as a preconditioner. Compiled once for each pair of types, in
/// ilu/instance.cpp.
template <Scalar S, Offset Off>
std::unique_ptr<AnyOperator<S>> make_preconditioner(const Exec& exec,
                                                    const CsrMatrix<S, Index, Off, Space>& A,
                                                    const IluOptions& options, FactorKind kind);

}  // namespace heddle::bench
