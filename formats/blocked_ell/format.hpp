// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Slices of consecutive rows, each as wide as its longest row (sliced ELL, SELL-C-sigma): like ELL
/// for rows that are of similar length only locally. Columns are 16-bit distances in slices whose
/// columns lie close enough. Copies the matrix; refuses one that would be mostly padding.
struct BlockedEllFormat {
  static constexpr const char* name = "blocked-ell";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::blocked_ell::Parameters>(name, device);
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
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(BlockedEllFormat)
