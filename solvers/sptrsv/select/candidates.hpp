// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

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

}  // namespace heddle::detail::sptrsv
