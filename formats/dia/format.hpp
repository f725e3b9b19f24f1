// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Whole diagonals, stored one by one without column indices: the fastest format for matrices of
/// regular grids. Copies the matrix; refuses one whose diagonals would be mostly zeros.
struct DiaFormat {
  static constexpr const char* name = "dia";
  static constexpr bool merges_repeats = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::dia::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::dia::predict(features, device, sizes);
  }

  static bool applies(Op, const Scheme&) { return true; }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme);
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(DiaFormat)
