// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> CsrFormat::inspect(
    const Inspection<Exec, Matrix>& inspection, const Scheme& scheme) {
  return std::make_unique<detail::csr::Executor<Exec, Matrix, V, Acc>>(inspection, scheme);
}

template <>
inline constexpr bool detail::is_defined<CsrFormat> = true;

}  // namespace heddle
