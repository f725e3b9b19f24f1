// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Compressed sparse blocks: large square blocks, each a list of entries with 16-bit indices. A and
/// its transpose cost the same. Takes a matrix of which one triangle is stored
/// (SpmvOptions::symmetry). Copies the matrix.
struct CsbFormat {
  static constexpr const char* name = "csb";
  static constexpr bool takes_triangles = true;

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::csb::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::csb::predict(scheme, features.rows(), device, sizes);
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
HEDDLE_COMPILED_FORMAT(CsbFormat)
