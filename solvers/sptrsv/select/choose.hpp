// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The choice of a scheme for a triangular solve: the schemes worth measuring, and a ranking by
// rules, and by a model if one is given.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/device.hpp"
#include "../../../core/error.hpp"
#include "../../../core/explain.hpp"
#include "../../../core/multivector.hpp"
#include "../../../core/scheme.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "../../../core/triangle_features.hpp"
#include "../../../formats/model/triangles.hpp"
#include "../../ordered/choice.hpp"
#include "tuning.hpp"

namespace heddle::detail::sptrsv {

/// A copy of a scheme, with another value of `key`.
inline Scheme with(const Scheme& scheme, const std::string& key, const std::string& value) {
  std::vector<SchemeTerm> terms = scheme.terms();
  for (SchemeTerm& term : terms) {
    if (term.key == key) term = SchemeTerm(key, value);
  }
  return Scheme(scheme.format(), std::move(terms));
}

/// The schemes worth measuring for a triangle, given its rows, entries off the diagonal and levels:
/// at most 60 concrete schemes, all different. Every kernel is there with its default parameters;
/// the kernels that win are there also with one parameter changed, so that the times show what each
/// parameter gains alone.
inline std::vector<Scheme> candidates(std::int64_t rows, std::int64_t entries, int levels,
                                      const Device& device) {
  const SchemeGrammar legal = grammar(device);
  if (!waits_on_lanes(device)) return variants_of(legal);
  std::vector<Scheme> found;
  const auto add = [&](const Scheme& scheme) {
    if (std::find(found.begin(), found.end(), scheme) == found.end()) found.push_back(scheme);
  };
  const auto add_around = [&](const Scheme& scheme, const std::vector<std::string>& keys) {
    add(scheme);
    for (const SchemeKey& key : legal.parameters_of(heddle::detail::kernel_of(scheme, legal))) {
      if (std::find(keys.begin(), keys.end(), key.key) == keys.end()) continue;
      for (const std::string& value : key.values) add(with(scheme, key.key, value));
    }
  };
  const auto shaped = [&](const char* kernel) {
    return concrete(Scheme("sptrsv", {{kernel}}), rows, entries, levels);
  };
  const Scheme blocks = shaped("blocks");
  add_around(blocks, {"merge", "threshold", "piece", "team", "warps", "alpha"});
  const char* const other = blocks.value("inner") == "inverse" ? "substitute" : "inverse";
  add_around(with(blocks, "inner", other), {"merge", "threshold", "team", "warps"});
  add_around(shaped("self-scheduled"), {"lanes", "warps"});
  add(shaped("level-set"));
  add(shaped("in-order"));
  for (const Preset& preset : presets) add(Scheme::parse(preset.scheme));
  return found;
}

/// Appends the candidates that are not in a ranking to its end.
inline void add_candidates(std::vector<RankedSolve>& ranking, std::int64_t rows,
                           std::int64_t entries, int levels, const Device& device) {
  for (const Scheme& scheme : candidates(rows, entries, levels, device)) {
    add_new(ranking, scheme, "another variant");
  }
}

/// Puts first the schemes that a model predicts to be within 15 % of the best, the likeliest first.
/// Schemes that are not legal on the device are skipped; if none is left, the ranking stays. Ties
/// keep the order of the model's list.
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

/// The SptrsvOptions that the choice of a scheme depends on.
struct Expected {
  std::int64_t applies = 1000;
  int vectors = 1;
  int threads = 0;                       ///< CPU threads; 0: one for each processor
  const TriangleModel* model = nullptr;  ///< for this device, or null
};

/// The model, if it is for a plan with these options; else null.
inline const TriangleModel* model_for(const TriangleModel* model, const Device& device,
                                      const ExpectedVectors& vectors, int threads,
                                      std::int64_t applies) {
  const bool given = threads > 0 && device.backend == BackendKind::host;
  const int at_once = given ? threads : device.multiprocessors;
  return model && model->is_for(device, at_once, vectors, applies) ? model : nullptr;
}

/// Whether levels are computed before a scheme is chosen: on a GPU; and on a CPU if a second thread
/// may have work.
inline bool looks_for_levels(std::int64_t rows, std::int64_t entries, const Expected& expected,
                             const Device& device) {
  if (device.backend != BackendKind::host) return true;
  const int at_once = expected.threads > 0 ? expected.threads : device.multiprocessors;
  return at_once > 1 && rows * row_steps + entries > least_work;
}

/// Whether groups of rows would hardly shorten the critical path: no row needs another, or so few
/// do, and so many rows can be solved at once, that the path does not determine the time.
inline bool path_stays(const TriangleFeatures& features) {
  if (features.levels <= 1) return true;
  return features.entries - features.rows < features.rows &&
         features.rows >= widest_level_of_blocks * features.levels;
}

/// Whether merging rows gains too little for its cost: most levels are wide, and rows are short or
/// levels so full that they use the memory bandwidth. If levels are few as well, rows may be solved
/// in the user's order. With more vectors than one pass of such a kernel serves merging gains,
/// unless levels are few. Fitted to 39 triangles on an H200: docs/design/sptrsv.md.
inline bool leaves_rows_alone(const TriangleFeatures& features, int vectors) {
  static_assert(TriangleFeatures::wide_level == widest_level_of_blocks);
  const std::int64_t off_diagonal = features.entries - features.rows;
  const bool few = features.levels <= few_levels &&
                   features.rows >= TriangleFeatures::wide_level * features.levels;
  const bool has_long_row =
      features.levels > few_levels && features.row_entries.max >= long_row_entries;
  return !has_long_row && (few || 2 * features.wide_levels > features.levels) &&
         (vectors <= vectors_at_once || features.levels <= few_levels) &&
         (off_diagonal < longest_row_left_alone * features.rows ||
          features.level_entries.mean >= fullest_level_of_blocks);
}

/// Whether the rows that a row needs are so far above it that they are solved before its turn. Then
/// the user's order is as good as that of the levels, and reads and writes of vectors are
/// coalesced. Only for short rows, which have one lane each, and, as leaves_rows_alone, for as many
/// vectors as one pass serves.
inline bool needs_far_rows(const TriangleFeatures& features, int vectors) {
  return features.dep_dist < in_order_max_dep_dist && vectors <= vectors_at_once &&
         features.row_entries.max <= in_order_sw_rnnz + 1;
}

/// Ranks the schemes of GPUs, which are concrete.
inline std::vector<RankedSolve> rank_on_lanes(const TriangleFeatures& features,
                                              const Expected& expected) {
  std::vector<std::pair<const char*, const char*>> order = {
      {"blocks", "groups of rows make fewer levels"},
      {"self-scheduled", "a step a level, through memory"},
      {"in-order", "rows that could be solved at once may be too far apart"},
      {"level-set", "a launch a level"}};
  const auto to_front = [&](const char* kernel, const char* reason) {
    const auto is = [&](const auto& entry) { return std::string(entry.first) == kernel; };
    const auto at = std::find_if(order.begin(), order.end(), is);
    at->second = reason;
    std::rotate(order.begin(), at, at + 1);
  };
  if (needs_far_rows(features, expected.vectors)) {
    to_front("in-order",
             "the rows that a row needs are far above it, and done when its turn comes");
  } else if (path_stays(features)) {
    to_front("self-scheduled", "merging rows would not shorten the longest path");
    if (features.levels <= few_levels) {
      to_front("in-order", "levels are wide and few: any order will do");
    }
    if (features.levels <= 1) to_front("in-order", "no row needs another: any order will do");
  } else if (expected.applies < least_applies_of_blocks(features.levels)) {
    to_front("self-scheduled", "so few solves do not pay for merging");
  } else if (leaves_rows_alone(features, expected.vectors)) {
    to_front("self-scheduled",
             "levels are wide, and rows short or levels full: merging gains too little");
    if (features.levels <= few_levels) {
      to_front("in-order", "levels are wide and few: any order will do");
    }
  }
  std::vector<RankedSolve> ranking;
  for (const auto& [kernel, reason] : order) {
    ranking.push_back(
        {concrete(Scheme("sptrsv", {{kernel}}), features.rows, features.entries - features.rows,
                  static_cast<int>(features.levels)),
         reason});
  }
  return ranking;
}

/// Ranks the schemes of CPUs. Rows are solved together if more than half of them share the columns
/// of the previous row: measured on 15 triangles, docs/design/sptrsv.md. Wavefronts decide whether
/// a second thread gains, and use one thread if not: wavefronts/wavefronts.hpp.
inline std::vector<RankedSolve> rank_on_threads(const TriangleFeatures& features, bool threads) {
  std::vector<RankedSolve> ranking;
  const auto add = [&](std::vector<SchemeTerm> terms, const char* reason) {
    ranking.push_back({Scheme("sptrsv", std::move(terms)), reason});
  };
  if (2 * features.shared_rows > features.rows) {
    std::vector<SchemeTerm> terms{"supernodes"};
    if (!threads) terms.emplace_back("schedule", "sequential");
    add(terms, "rows share their columns, which are read once for all of them");
  }
  if (!threads) {
    add({"sequential"}, "one thread, or too little work for two");
    add({"point-to-point"}, "threads would wait more than work");
  } else {
    add({"point-to-point"}, "a thread waits for those alone that it needs");
    add({"level-set"}, "all threads wait where few need to");
    add({"sequential"}, "threads are predicted not to gain by levels");
  }
  return ranking;
}

inline std::vector<RankedSolve> choose_by_rules(const TriangleFeatures& features,
                                                const Expected& expected, const Device& device) {
  if (waits_on_lanes(device)) return rank_on_lanes(features, expected);
  if (device.backend != BackendKind::host) {
    return {{Scheme("sptrsv", {{"level-set"}}), "teams may not wait for each other"}};
  }
  const std::int64_t entries = features.entries - features.rows;
  return rank_on_threads(features, looks_for_levels(features.rows, entries, expected, device));
}

/// The schemes of a device for a triangle, the best first; a plan without a pinned scheme runs the
/// first. A pure function. On a GPU, and with a model, it reads all features; else rows, entries
/// and shared rows only. Schemes of GPUs are concrete.
inline std::vector<RankedSolve> choose(const TriangleFeatures& features, const Expected& expected,
                                       const Device& device) {
  std::vector<RankedSolve> ranking = choose_by_rules(features, expected, device);
  if (expected.model) put_learned_first(ranking, *expected.model, features, device);
  return ranking;
}

}  // namespace heddle::detail::sptrsv
