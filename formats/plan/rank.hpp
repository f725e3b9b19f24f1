// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "../choose.hpp"
#include "../model/model.hpp"

namespace heddle::detail {

/// Whether `ops` need a stored transpose besides the scheme.
inline bool needs_stored_transpose(AnyFormats formats, const Scheme& scheme,
                                   const std::vector<Op>& ops) {
  return std::any_of(ops.begin(), ops.end(), [&](Op op) { return !applies(formats, op, scheme); });
}

/// The reason why options.max_bytes forbids a scheme that keeps `kept_bytes`, or an empty string.
inline std::string too_many_bytes(AnyFormats formats, const Scheme& scheme, double kept_bytes,
                                  const RowFeatures& rows, const ChooseOptions& options) {
  const bool transposes = needs_stored_transpose(formats, scheme, options.ops);
  const std::size_t transpose = transposes ? stored_transpose_bytes(rows, options.sizes) : 0;
  const auto most = static_cast<double>(options.max_bytes);
  if (options.max_bytes == no_bound || kept_bytes + static_cast<double>(transpose) <= most) {
    return "";
  }
  return "it keeps " + std::to_string(std::llround(kept_bytes)) + " bytes" +
         (transposes ? " and a stored transpose of " + std::to_string(transpose) : "") +
         ", and options.max_bytes leaves " + std::to_string(options.max_bytes);
}

inline RankedScheme predicted(AnyFormats formats, Scheme scheme, const Features& features,
                              const Device& device, const ChooseOptions& options) {
  Prediction prediction = predict(formats, scheme, features, device, options.sizes);
  const bool stored = needs_stored_transpose(formats, scheme, options.ops);
  if (prediction.possible() && options.values_in_place && (stored || !prediction.borrows_values)) {
    prediction.refusal = std::string(prediction.borrows_values ? "a stored transpose" : "it") +
                         " copies the values, and options.values_in_place is set";
  }
  if (prediction.possible()) {
    prediction.refusal =
        too_many_bytes(formats, scheme, prediction.kept_bytes, features.rows(), options);
  }
  if (prediction.possible() && prediction.lacks_pattern) {
    prediction.reason += "; at best, the pattern unseen";
    if (prediction.pattern_may_refuse) prediction.reason += ", which may refuse it";
  }
  const auto applies = static_cast<double>(options.expected_applies);
  double total = prediction.setup_seconds + applies * prediction.seconds;
  if (stored) {
    const StoredTranspose transpose(features.rows(), device, options.sizes);
    total += transpose.setup_seconds + applies * transpose.seconds;
  } else if (options.transposes()) {
    total += applies * prediction.transposed_factor * prediction.seconds;
  }
  return RankedScheme{std::move(scheme), std::move(prediction), total};
}

/// Sorts places [first, last) of the ranking; equal ones keep their order.
inline void sort_ranking(std::vector<RankedScheme>& ranking, std::size_t first, std::size_t last,
                         bool (*is_better)(const RankedScheme&, const RankedScheme&)) {
  // This sorts numbers, since a sort of schemes is a great deal of code.
  std::vector<std::size_t> order(last - first);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = first + i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_better(ranking[a], ranking[b]); });
  std::vector<RankedScheme> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(ranking[i]));
  for (std::size_t i = 0; i < sorted.size(); ++i) ranking[first + i] = std::move(sorted[i]);
}

template <class List>
void settle(const List& formats, std::vector<RankedScheme>& ranking, std::size_t place,
            const Features& features, const Device& device, const ChooseOptions& options) {
  const auto is_better = [](const RankedScheme& a, const RankedScheme& b) {
    const auto group = [](const RankedScheme& one) {
      return !one.prediction.possible() ? 2 : one.prediction.last_resort ? 1 : 0;
    };
    return group(a) != group(b) ? group(a) < group(b) : a.total_seconds < b.total_seconds;
  };
  sort_ranking(ranking, place, ranking.size(), is_better);
  while (place < ranking.size() && ranking[place].prediction.possible() &&
         ranking[place].prediction.lacks_pattern) {
    RankedScheme known = predicted(formats, ranking[place].scheme, features, device, options);
    if (known.prediction.lacks_pattern) break;
    ranking[place] = std::move(known);
    sort_ranking(ranking, place, ranking.size(), is_better);
  }
}

/// Corrects the ranking by a model; every scheme was predicted with a known pattern.
inline void correct(std::vector<RankedScheme>& ranking, const Features& features,
                    const Device& device, const ChooseOptions& options) {
  ModelInputs inputs = matrix_inputs(features, device, options.sizes);
  for (RankedScheme& one : ranking) {
    if (!one.prediction.possible()) continue;
    double& seconds = one.prediction.seconds;
    set_scheme_inputs(inputs, one.scheme, seconds);
    const double applies = one.total_seconds - one.prediction.setup_seconds;
    const double factor = options.model->factor(one.scheme, inputs);
    const double margin = one.scheme.format() == "csr" ? 1 : 1 + options.model->margin;
    seconds *= factor;
    one.total_seconds = one.prediction.setup_seconds + margin * factor * applies;
    one.prediction.reason += "; as learned on this device";
  }
}

/// Lanes of csr/blocks in options.model if it is for such a plan, or null.
inline const LaneForest* learned_lanes(const Device& device, const ChooseOptions& options) {
  const bool learned = options.model && !options.model->lanes.trees.empty() &&
                       options.model->is_for(device, options.sizes);
  return learned ? &options.model->lanes : nullptr;
}

template <class List>
std::vector<RankedScheme> rank(const List& formats, const Features& features, const Device& device,
                               const ChooseOptions& options) {
  const bool learned = options.model && options.model->corrects &&
                       options.model->is_for(device, options.sizes) && features.has_pattern() &&
                       features.has_blocks();
  const Features rows_alone(features.rows());
  std::vector<RankedScheme> ranking;
  std::vector<Scheme> schemes = candidates(formats, features, device);
  if (options.values_in_place && options.transposes()) {
    for (Scheme& scheme : in_place_candidates(formats, features, device)) {
      schemes.push_back(std::move(scheme));
    }
  }
  for (Scheme& scheme : schemes) {
    ranking.push_back(
        predicted(formats, std::move(scheme), learned ? features : rows_alone, device, options));
  }
  if (learned) correct(ranking, features, device, options);
  settle(formats, ranking, 0, features, device, options);
  return ranking;
}

}  // namespace heddle::detail
