// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../common/pinned_simd.hpp"
#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"

namespace heddle {

/// Every row has as many slots as the longest has entries, and neighbouring rows lie side by side
/// (ELLPACK): the fastest way through rows of like length. Copies the matrix; refuses one that
/// would be mostly padding.
struct EllFormat {
  static constexpr const char* name = "ell";

  static SchemeGrammar grammar(const Device& device) {
    if (device.has_lanes()) return {name, {}};
    return {name, {}, {SchemeKey("simd", {"none", "loads"}, scheme_auto)}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::ell::predict(features.rows(), device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    using backends::Simd;
    Scheme resolved(name);
    Simd simd = Simd::none;
    if (!in.device.has_lanes()) {
      const Simd best = backends::supports(Simd::loads) ? Simd::loads : Simd::none;
      simd = detail::pinned_simd(scheme).value_or(best);
      resolved = Scheme(name, {{"simd", backends::name(simd)}});
    }
    return std::make_unique<detail::ell::Executor<Exec, Matrix, V, Acc>>(in, resolved, simd);
  }
};

}  // namespace heddle
