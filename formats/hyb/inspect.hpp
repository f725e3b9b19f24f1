// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "executor.hpp"
#include "format.hpp"
#include "row_lengths.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> HybFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using Executor = detail::hyb::Executor<Exec, Matrix, V, Acc>;
  const backends::Simd simd = detail::loads_or_none(scheme, in.device);
  const auto nonzeros = static_cast<std::int64_t>(in.A.nonzeros());
  const auto longer = detail::hyb::rows_longer_than(in.exec, in.A);
  const auto width = detail::hyb::Parameters::resolve(scheme).width;
  const auto widths = width ? detail::hyb::split_at(*width, longer, nonzeros)
                            : detail::hyb::cheapest_split(longer, in.A.rows(), nonzeros,
                                                          detail::hyb::bytes_of(in, in.device));
  std::vector<SchemeTerm> terms{{"width", std::to_string(widths.width)}};
  if (!in.device.has_lanes()) terms.emplace_back("simd", backends::name(simd));
  return std::make_unique<Executor>(in, Scheme(name, std::move(terms)), simd, widths);
}

template <>
inline constexpr bool detail::is_defined<HybFormat> = true;

}  // namespace heddle
