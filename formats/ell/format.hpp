// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

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
    const std::string refusal = detail::ell::too_much_padding(in.features.rows());
    if (!refusal.empty()) throw Refusal("ell: " + refusal, "take csr, which holds any matrix");
    if (in.device.has_lanes()) {
      return std::make_unique<detail::ell::Executor<Exec, Matrix, V, Acc>>(in, Scheme(name),
                                                                           Simd::none);
    }
    Simd simd = backends::supports(Simd::loads) ? Simd::loads : Simd::none;
    if (scheme.has("simd")) {
      simd = *backends::simd_named(scheme.value("simd"));
      if (!backends::supports(simd)) {
        throw Refusal("scheme '" + scheme.to_string() + "': this processor has no AVX2",
                      "pin simd=none");
      }
    }
    const Scheme resolved(name, {{"simd", backends::name(simd)}});
    return std::make_unique<detail::ell::Executor<Exec, Matrix, V, Acc>>(in, resolved, simd);
  }
};

}  // namespace heddle
