// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> EllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::ell;
  Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<EllFormat> = true;

}  // namespace heddle
