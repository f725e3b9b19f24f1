// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/pinned_simd.hpp"
#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"

namespace heddle {

/// Whole diagonals, stored one by one without a column index: the fastest way through the matrices
/// of regular grids. Copies the matrix; refuses one whose diagonals would be mostly holes.
struct DiaFormat {
  static constexpr const char* name = "dia";

  static SchemeGrammar grammar(const Device& device) {
    if (device.has_lanes()) return {name, {}};
    return {name, {}, {SchemeKey("simd", {"none", "loads"}, scheme_auto)}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::dia::predict(features, device, sizes);
  }

  static bool applies(Op, const Scheme&) { return true; }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    using backends::Simd;
    using Executor = detail::dia::Executor<Exec, Matrix, V, Acc>;
    if (in.device.has_lanes()) return std::make_unique<Executor>(in, Scheme(name), Simd::none);
    const Simd best = backends::supports(Simd::loads) ? Simd::loads : Simd::none;
    const Simd simd = detail::pinned_simd(scheme).value_or(best);
    return std::make_unique<Executor>(in, Scheme(name, {{"simd", backends::name(simd)}}), simd);
  }
};

}  // namespace heddle
