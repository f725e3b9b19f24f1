// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../../core/scheme_grammar.hpp"
#include "prediction.hpp"

namespace heddle {

/// Rules of a format for its schemes, which depend on no type of a plan: see SpmvFormat.
struct FormatRules {
  std::string_view name;
  bool takes_triangles = false;
  SchemeGrammar (*grammar)(const Device&) = nullptr;
  std::vector<Scheme> (*candidates)(const Features&, const Device&) = nullptr;
  /// Null if there are none.
  std::vector<Scheme> (*in_place_candidates)(const Features&, const Device&) = nullptr;
  Prediction (*predict)(const Scheme&, const Features&, const Device&, const Sizes&) = nullptr;
  bool (*applies)(Op, const Scheme&) = nullptr;
};

/// The formats of a list, in its order.
using AnyFormats = std::span<const FormatRules>;

namespace detail {

/// Index of the format that a scheme names; formats.size() if there is none.
inline std::size_t place_of(AnyFormats formats, const Scheme& scheme) {
  std::size_t at = 0;
  while (at < formats.size() && formats[at].name != scheme.format()) ++at;
  return at;
}

inline std::vector<SchemeGrammar> grammars(AnyFormats formats, const Device& device) {
  std::vector<SchemeGrammar> all;
  all.reserve(formats.size());
  for (const FormatRules& format : formats) all.push_back(format.grammar(device));
  return all;
}

/// Schemes worth trying for a matrix, over all formats.
inline std::vector<Scheme> candidates(AnyFormats formats, const Features& features,
                                      const Device& device) {
  std::vector<Scheme> all;
  for (const FormatRules& format : formats) {
    for (Scheme& scheme : format.candidates(features, device)) all.push_back(std::move(scheme));
  }
  return all;
}

/// Further schemes worth trying if transposing ops must leave the values in place.
inline std::vector<Scheme> in_place_candidates(AnyFormats formats, const Features& features,
                                               const Device& device) {
  std::vector<Scheme> all;
  for (const FormatRules& format : formats) {
    if (!format.in_place_candidates) continue;
    for (Scheme& scheme : format.in_place_candidates(features, device)) {
      all.push_back(std::move(scheme));
    }
  }
  return all;
}

inline Prediction predict(AnyFormats formats, const Scheme& scheme, const Features& features,
                          const Device& device, const Sizes& sizes) {
  const std::size_t at = place_of(formats, scheme);
  if (at == formats.size()) {
    return Prediction::refuse("there is no format '" + scheme.format() + "'");
  }
  if (sizes.symmetry != Symmetry::none && !formats[at].takes_triangles) {
    return Prediction::refuse("it needs both triangles of a matrix stored");
  }
  return formats[at].predict(scheme, features, device, sizes);
}

/// Prediction of a scheme that is not compared with others: computes the pattern's features only if
/// they may make the format refuse the matrix.
inline Prediction predict_alone(AnyFormats formats, const Scheme& scheme, const Features& features,
                                const Device& device, const Sizes& sizes) {
  Prediction by_rows = predict(formats, scheme, Features(features.rows()), device, sizes);
  const bool enough = !by_rows.possible() || !by_rows.lacks_pattern || !by_rows.pattern_may_refuse;
  return enough ? by_rows : predict(formats, scheme, features, device, sizes);
}

/// Whether the format that a scheme names applies an op itself.
inline bool applies(AnyFormats formats, Op op, const Scheme& scheme) {
  const std::size_t at = place_of(formats, scheme);
  return at < formats.size() && formats[at].applies(op, scheme);
}

/// Throws Refusal if a scheme's prediction refuses.
inline void refuse_unless_possible(AnyFormats formats, const Scheme& scheme,
                                   const Features& features, const Device& device,
                                   const Sizes& sizes) {
  const Prediction prediction = predict_alone(formats, scheme, features, device, sizes);
  if (prediction.possible()) return;
  throw Refusal(scheme.format() + ": " + prediction.refusal,
                sizes.symmetry == Symmetry::none ? "use csr, which holds any matrix"
                                                 : "use csb, which accepts a triangle as it is");
}

[[noreturn]] inline void throw_no_executor(const Scheme& scheme) {
  throw Error("no format made an executor for scheme '" + scheme.to_string() + "'",
              "resolve the scheme first; a format's inspect must return an executor or throw");
}

}  // namespace detail

}  // namespace heddle
