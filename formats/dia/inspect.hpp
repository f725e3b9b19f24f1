// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> DiaFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  const backends::Simd simd = detail::loads_or_none(scheme, in.device);
  std::vector<SchemeTerm> terms;
  if (!in.device.has_lanes()) terms.emplace_back("simd", backends::name(simd));
  return std::make_unique<detail::dia::Executor<Exec, Matrix, V, Acc>>(
      in, Scheme(name, std::move(terms)), simd);
}

template <>
inline constexpr bool detail::is_defined<DiaFormat> = true;

}  // namespace heddle
