// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Small dense blocks with one column index each, for several unknowns at each point. Copies the
/// matrix; refuses one whose blocks would be mostly zeros.
struct BcsrFormat {
  static constexpr const char* name = "bcsr";
  static constexpr bool merges_repeats = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::bcsr::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    std::vector<Scheme> squares;
    for (const char* size : {"2x2", "3x3", "4x4", "6x6", "8x8"}) {
      squares.push_back(Scheme(name, {{size}}));
    }
    return squares;
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::bcsr::predict(scheme, features, device, sizes);
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
HEDDLE_COMPILED_FORMAT(BcsrFormat)
