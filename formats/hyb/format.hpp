// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../common/pinned_simd.hpp"
#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"
#include "row_lengths.hpp"

namespace heddle {

/// ELL for the first entries of every row, COO for what long rows have beyond: rows mostly of like
/// length, some of them long. Copies the matrix.
struct HybFormat {
  static constexpr const char* name = "hyb";

  static SchemeGrammar grammar(const Device& device) {
    const std::string range = "<0.." + std::to_string(detail::hyb::tuning.most_width) + ">";
    const SchemeKey width("width", {range}, scheme_auto, {"0", "2", "7"});
    if (device.has_lanes()) return {name, {}, {width}};
    return {name, {}, {width, SchemeKey("simd", {"none", "loads"}, scheme_auto)}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::hyb::predict(scheme, features.rows(), device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);
};

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

}  // namespace heddle

HEDDLE_COMPILED_FORMAT(HybFormat)
