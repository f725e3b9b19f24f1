// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../formats.hpp"
#include "predict.hpp"

namespace heddle {

/// Tiles of 16 x 16, each in one of several layouts, with 4-bit column indices: for matrices with
/// dense parts. Copies the matrix.
struct TiledFormat {
  static constexpr const char* name = "tiled";

  static SchemeGrammar grammar(const Device& device) {
    return grammar_from<detail::tiled::Parameters>(name, device);
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    return {Scheme(name, {{"16"}})};
  }

  static Prediction predict(const Scheme& scheme, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::tiled::predict(scheme, features, device, sizes);
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
HEDDLE_COMPILED_FORMAT(TiledFormat)
