// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> DiaFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  auto parameters = parameters_of<detail::dia::Parameters>(scheme, in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  return std::make_unique<detail::dia::Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), *parameters.simd);
}

template <>
inline constexpr bool detail::is_defined<DiaFormat> = true;

}  // namespace heddle
