// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Every row has as many slots as the longest row has entries, and neighbouring rows lie side by
/// side (ELLPACK): fast for rows of similar length. Copies the matrix; refuses one that would be
/// mostly padding.
struct EllFormat {
  static constexpr const char* name = "ell";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::ell::Parameters>(name, device);
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
};

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "inspect.hpp"
#endif
HEDDLE_COMPILED_FORMAT(EllFormat)
