// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"
#include "row_lengths.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> HybFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using Executor = detail::hyb::Executor<Exec, Matrix, V, Acc>;
  auto parameters = parameters_of<detail::hyb::Parameters>(scheme, in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  const auto nonzeros = static_cast<std::int64_t>(in.A.nonzeros());
  const auto longer = detail::hyb::rows_longer_than(in.exec, in.A);
  const auto widths = parameters.width
                          ? detail::hyb::split_at(*parameters.width, longer, nonzeros)
                          : detail::hyb::cheapest_split(longer, in.A.rows(), nonzeros,
                                                        detail::hyb::bytes_of(in, in.device));
  parameters.width = widths.width;
  return std::make_unique<Executor>(in, scheme_with(scheme, parameters, in.device),
                                    *parameters.simd, widths);
}

template <>
inline constexpr bool detail::is_defined<HybFormat> = true;

}  // namespace heddle
