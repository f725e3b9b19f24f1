// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> EllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::ell;
  const int lanes = Parameters::resolve(scheme, in.features.rows(), in.device).lanes;
  const backends::Simd simd = detail::loads_or_none(scheme, in.device);
  const SchemeTerm term = detail::lanes_or_simd(in.device, lanes, backends::name(simd));
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(in, Scheme(name, {term}), simd, lanes);
}

template <>
inline constexpr bool detail::is_defined<EllFormat> = true;

}  // namespace heddle
