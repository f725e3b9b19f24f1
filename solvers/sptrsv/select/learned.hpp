// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model says of the schemes of a triangular solve.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "../../../core/device.hpp"
#include "../../../core/error.hpp"
#include "../../../core/explain.hpp"
#include "../../../core/scheme.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "../../../formats/model/triangles.hpp"
#include "../../ordered/choice.hpp"
#include "../transform/triangle_features.hpp"
#include "grammar.hpp"
#include "tuning.hpp"

namespace heddle::detail::sptrsv {

inline TriangleInputs triangle_inputs(const TriangleFeatures& features) {
  const auto log = [](auto count) { return std::log2(1 + static_cast<double>(count)); };
  return {log(features.rows),
          log(features.entries),
          log(features.row_entries.mean),
          log(features.row_entries.max),
          features.row_entries.variation,
          log(features.level_rows.mean),
          log(features.level_rows.max),
          features.level_rows.variation,
          features.dep_dist,
          log(features.levels)};
}

/// Puts those schemes first that a model takes for likely within 15 % of the best, the likeliest
/// before the others. Those that are not legal on the device are passed over; where none is left,
/// the ranking stays. Ties are as the model lists them.
inline void put_learned_first(std::vector<RankedSolve>& ranking, const TriangleModel& model,
                              const TriangleFeatures& features, const Device& device) {
  const std::vector<double> scores = model.scores(triangle_inputs(features));
  std::vector<std::pair<double, std::size_t>> order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > 0) order.emplace_back(-scores[i], i);
  }
  std::sort(order.begin(), order.end());
  const SchemeGrammar legal = grammar(device);
  std::vector<RankedSolve> learned;
  for (const auto& [score, place] : order) {
    try {
      Scheme scheme = expanded(parse_scheme(model.schemes[place], std::span(&legal, 1)));
      if (waits_on_lanes(device)) {
        scheme = concrete(scheme, features.rows, features.entries - features.rows,
                          static_cast<int>(features.levels));
      }
      RankedSolve one{std::move(scheme), ""};
      one.likelihood = TriangleModel::likelihood(-score);
      one.reason = "as learned on this device, within 15 % of the best with a likelihood of " +
                   number_text(one.likelihood);
      learned.push_back(std::move(one));
    } catch (const Error&) {  // a scheme of another device or version
    }
  }
  for (RankedSolve& one : ranking) {
    const auto same = [&](const RankedSolve& other) { return other.scheme == one.scheme; };
    if (std::none_of(learned.begin(), learned.end(), same)) learned.push_back(std::move(one));
  }
  ranking = std::move(learned);
}

}  // namespace heddle::detail::sptrsv
