// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// ELL for the first entries of every row, COO for the rest of long rows: for rows that are mostly
/// of similar length, with a few long ones. Copies the matrix.
struct HybFormat {
  static constexpr const char* name = "hyb";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::hyb::Parameters>(name, device);
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

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(HybFormat)
