// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> CsbFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  const auto parameters =
      detail::csb::Parameters::resolve(scheme, in.symmetry != Symmetry::none, in.device);
  return std::make_unique<detail::csb::Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<CsbFormat> = true;

}  // namespace heddle
