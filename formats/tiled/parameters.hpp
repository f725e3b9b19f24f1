// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../../core/device.hpp"
#include "../../core/integers.hpp"
#include "../../core/scheme_grammar.hpp"
#include "tile.hpp"
#include "tuning.hpp"

namespace heddle::detail::tiled {

/// The parameters of a scheme tiled/16, those that it leaves out resolved.
struct Parameters {
  Rules rules;

  static std::vector<SchemeKey> keys() {
    return {SchemeKey("coo", {"<0..256>"}, scheme_auto, {"0", "256"}),
            SchemeKey("dense", {"<1..256>", "none"}, scheme_auto, {"1"}),
            SchemeKey("lines", {"whole", "none"}, scheme_auto),
            SchemeKey("ell", {"<0..400>", "none"}, scheme_auto, {"400"}),
            SchemeKey("hyb", {"<0..400>", "none"}, scheme_auto, {"0"}),
            SchemeKey("piece", {"<2..1000000>"}, scheme_auto, {"2", "5"})};
  }

  Parameters(const Scheme& given, const Device& device) {
    const auto bound = [&](const char* key, int otherwise, int none) {
      if (!given.has(key)) return otherwise;
      return given.value(key) == "none" ? none : static_cast<int>(given.integer(key));
    };
    rules.most_coo_entries = bound("coo", rules.most_coo_entries, 0);
    rules.least_dense_entries = bound("dense", rules.least_dense_entries, no_dense);
    rules.whole_lines = given.has("lines") ? given.value("lines") == "whole" : rules.whole_lines;
    rules.most_ell_percent = bound("ell", rules.most_ell_percent, -1);
    rules.least_hyb_percent = bound("hyb", rules.least_hyb_percent, -1);
    given_piece_ = bound("piece", 0, 0);
    warps_ = device.has_lanes() ? device.multiprocessors * tuning.warps_per_multiprocessor : 0;
  }

  /// Tiles of a piece at most, given how many the matrix has: as few as keep all warps of a GPU
  /// busy.
  std::int64_t piece_tiles(std::int64_t tiles) const {
    if (given_piece_ > 0) return given_piece_;
    if (warps_ == 0) return tuning.cpu_piece_tiles;
    return std::clamp<std::int64_t>(ceil_div(tiles, warps_), tuning.least_piece_tiles,
                                    tuning.gpu_piece_tiles);
  }

  Scheme scheme(std::int64_t tiles) const {
    const auto bound = [](int value, bool none) {
      return none ? std::string("none") : std::to_string(value);
    };
    std::vector<SchemeTerm> terms{SchemeTerm("16")};
    terms.emplace_back("coo", std::to_string(rules.most_coo_entries));
    terms.emplace_back("dense",
                       bound(rules.least_dense_entries, rules.least_dense_entries == no_dense));
    terms.emplace_back("lines", std::string(rules.whole_lines ? "whole" : "none"));
    terms.emplace_back("ell", bound(rules.most_ell_percent, rules.most_ell_percent < 0));
    terms.emplace_back("hyb", bound(rules.least_hyb_percent, rules.least_hyb_percent < 0));
    terms.emplace_back("piece", std::to_string(piece_tiles(tiles)));
    return Scheme("tiled", std::move(terms));
  }

 private:
  static constexpr int no_dense = tile_size * tile_size + 1;
  int given_piece_ = 0;
  int warps_ = 0;
};

}  // namespace heddle::detail::tiled
