// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../format.hpp"
#include "executor.hpp"
#include "predict.hpp"

namespace heddle {

/// Tiles of 16 x 16, each stored in the way that suits it, with column numbers of 4 bits: for
/// matrices that are dense in places. Copies the matrix.
struct TiledFormat {
  static constexpr const char* name = "tiled";

  static SchemeGrammar grammar(const Device&) {
    const SchemeKey piece("piece", {"<2..1000000>"}, scheme_auto, {"2", "5"});
    return {name, {{"16"}}, {piece}};
  }

  static std::vector<Scheme> candidates(const Features&, const Device&) {
    return {Scheme(name, {{"16"}})};
  }

  static Prediction predict(const Scheme&, const Features& features, const Device& device,
                            const Sizes& sizes) {
    return detail::tiled::predict(features.rows(), device, sizes);
  }

  static bool applies(Op op, const Scheme&) { return !transposes(op); }

  template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
  static std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> inspect(
      const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    using detail::tiled::tuning;
    const std::string piece = scheme.has("piece")
                                  ? scheme.value("piece")
                                  : std::to_string(in.device.has_lanes() ? tuning.gpu_piece_tiles
                                                                         : tuning.cpu_piece_tiles);
    const Scheme resolved(name, {scheme.terms().front(), SchemeTerm("piece", piece)});
    return std::make_unique<detail::tiled::Executor<Exec, Matrix, V, Acc>>(in, resolved);
  }
};

}  // namespace heddle
