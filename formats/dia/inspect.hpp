// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> DiaFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::dia;
  const Parameters parameters = Parameters::resolve(scheme);
  const backends::Simd simd = detail::loads_or_none(scheme, in.device);
  std::vector<SchemeTerm> terms;
  if (parameters.rest) {
    terms.emplace_back("rest", "coo");
    terms.emplace_back("fill", parameters.fill);
  }
  if (!in.device.has_lanes()) terms.emplace_back("simd", backends::name(simd));
  const Scheme resolved(name, std::move(terms));
  if (parameters.rest) {
    return std::make_unique<SplitExecutor<Exec, Matrix, V, Acc>>(in, resolved, simd);
  }
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(in, resolved, simd);
}

template <>
inline constexpr bool detail::is_defined<DiaFormat> = true;

}  // namespace heddle
