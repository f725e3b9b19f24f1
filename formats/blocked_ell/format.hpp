// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../common/lanes_or_simd.hpp"
#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Slices of consecutive rows, each as wide as its longest row (sliced ELL, SELL-C-sigma): like ELL
/// where rows are of like length only from place to place. Columns are 16-bit distances in slices
/// whose columns lie close enough. Copies the matrix; refuses one that would be mostly padding.
struct BlockedEllFormat {
  static constexpr const char* name = "blocked-ell";

  static SchemeGrammar grammar(const Device& device) {
    const SchemeKey sigma("sigma", {"none", sigmas()}, "none", {"64", "1000"});
    const int least = device.has_lanes() ? device.lanes : detail::blocked_ell::tuning.cpu_rows;
    std::vector<SchemeKey> keys{
        SchemeKey("rows",
                  {std::to_string(least), std::to_string(2 * least), std::to_string(4 * least)},
                  scheme_auto),
        sigma};
    keys.push_back(
        detail::lanes_or_simd(device, 1, detail::blocked_ell::tuning.most_lanes).front());
    return {name, {}, keys};
  }

  static std::vector<Scheme> candidates(const Features& features, const Device& device) {
    const int rows = detail::blocked_ell::slice_rows_for(device);
    std::vector<Scheme> all{Scheme(name, {{"sigma", "none"}}), Scheme(name, {{"sigma", rows}})};
    const double slots = detail::blocked_ell::most_slots(features.rows(), rows);
    if (detail::blocked_ell::too_much_padding(slots, features.rows()).empty()) {
      all.push_back(Scheme(name, {{"sigma", 8 * rows}}));
    }
    return all;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::blocked_ell::predict(scheme, features, device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);

 private:
  static std::string sigmas() {
    return "<1.." + std::to_string(detail::blocked_ell::tuning.most_sigma) + ">";
  }
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(BlockedEllFormat)
