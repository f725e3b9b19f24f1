// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Every row has as many slots as the longest has entries, and neighbouring rows lie side by side
/// (ELLPACK): the fastest way through rows of like length. Copies the matrix; refuses one that
/// would be mostly padding.
struct EllFormat {
  static constexpr const char* name = "ell";

  static SchemeGrammar grammar(const Device& device) {
    if (device.has_lanes()) return {name, {}, {SchemeKey("lanes", lanes(), scheme_auto)}};
    return {name, {}, {SchemeKey("simd", {"none", "loads"}, scheme_auto)}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::ell::predict(scheme, features.rows(), device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);

 private:
  static std::vector<std::string> lanes() {
    std::vector<std::string> values;
    for (int lanes = 1; lanes <= detail::ell::tuning.most_lanes; lanes *= 2) {
      values.push_back(std::to_string(lanes));
    }
    return values;
  }
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(EllFormat)
