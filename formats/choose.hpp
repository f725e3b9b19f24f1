// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "common/format_rules.hpp"

namespace heddle {

/// A scheme with what is predicted of it.
struct RankedScheme {
  Scheme scheme;
  Prediction prediction;
  /// As predicted, of the inspection and all expected applies; where an op transposes, of as many
  /// of these too, and of the stored transpose that they may need.
  double total_seconds = 0;
  /// Of one apply, where a plan has measured it (SpmvOptions::measure_seconds); else 0.
  double measured_seconds = 0;

  /// One line: what an apply takes, what the set-up takes, what is kept, and why; or why not.
  std::string to_string() const {
    if (!prediction.possible()) return scheme.to_string() + " refuses: " + prediction.refusal;
    const auto seconds = [](double s) {
      char text[32];
      std::snprintf(text, sizeof(text), "%.2e s", s);
      return std::string(text);
    };
    std::string line = scheme.to_string() + ": ";
    if (measured_seconds > 0) line += seconds(measured_seconds) + " an apply measured, ";
    return line + seconds(prediction.seconds) + " an apply and " +
           seconds(prediction.setup_seconds) + " to set up predicted, " +
           std::to_string(std::llround(prediction.kept_bytes)) + " bytes kept; " +
           prediction.reason + (prediction.lacks_pattern ? "; at best, the pattern unseen" : "");
  }
};

/// What `choose` is asked for.
struct ChooseOptions {
  /// How often the plan will be applied: what an inspection may cost.
  std::int64_t expected_applies = 1000;
  /// Only schemes that read the user's values in place, and apply all of `ops` so.
  bool values_in_place = false;
  /// Types, vectors, symmetry and promises.
  Sizes sizes = {};
  /// Only schemes that keep at most these bytes, with the stored transpose that `ops` need.
  std::size_t max_bytes = no_bound;
  /// What will be applied besides Op::none, each kind as often.
  std::vector<Op> ops = {};

  /// Whether any of `ops` transposes.
  bool transposes() const {
    return std::any_of(ops.begin(), ops.end(), [](Op op) { return heddle::transposes(op); });
  }
};

/// A scheme, why it was taken, and what it was compared with.
struct Choice {
  Scheme scheme;
  std::string reason;
  /// Every candidate that is possible, the best first, then those that refuse.
  std::vector<RankedScheme> ranking = {};
};

namespace detail {

/// Whether `ops` take a stored transpose beside the scheme.
inline bool needs_stored_transpose(AnyFormats formats, const Scheme& scheme,
                                   const std::vector<Op>& ops) {
  return std::any_of(ops.begin(), ops.end(), [&](Op op) { return !applies(formats, op, scheme); });
}

/// Why options.max_bytes does not allow a scheme that keeps `kept_bytes`, or nothing.
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

/// Sorts the ranking from place `first` on, before place `last`; equal ones stay as they were.
inline void sort_ranking(std::vector<RankedScheme>& ranking, std::size_t first, std::size_t last,
                         bool (*is_better)(const RankedScheme&, const RankedScheme&)) {
  // Of numbers, since a sort of schemes is a great deal of code.
  std::vector<std::size_t> order(last - first);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = first + i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return is_better(ranking[a], ranking[b]); });
  std::vector<RankedScheme> sorted;
  sorted.reserve(order.size());
  for (const std::size_t i : order) sorted.push_back(std::move(ranking[i]));
  for (std::size_t i = 0; i < sorted.size(); ++i) ranking[first + i] = std::move(sorted[i]);
}

/// Sorts the ranking from `place` on, until what stands there is predicted with the pattern. What
/// does not come there even at its best is left at that.
template <class List>
void settle(const List& formats, std::vector<RankedScheme>& ranking, std::size_t place,
            const Features& features, const Device& device, const ChooseOptions& options) {
  const auto is_better = [](const RankedScheme& a, const RankedScheme& b) {
    const bool differ = a.prediction.possible() != b.prediction.possible();
    return differ ? a.prediction.possible() : a.total_seconds < b.total_seconds;
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

/// Throws Refusal, with every format's reason, unless the first of the ranking is possible.
inline Choice first_of(std::vector<RankedScheme> ranking, const ChooseOptions& options) {
  if (ranking.empty() || !ranking.front().prediction.possible()) {
    std::string reasons;
    for (const RankedScheme& one : ranking) {
      reasons +=
          (reasons.empty() ? "" : ", ") + one.scheme.to_string() + ": " + one.prediction.refusal;
    }
    throw Refusal("no format holds this matrix (" + reasons + ")",
                  options.sizes.symmetry == Symmetry::none
                      ? "put CsrFormat, which holds any, into the list of formats"
                      : "put CsbFormat into the list of formats, or store both triangles");
  }
  Scheme best = ranking.front().scheme;
  std::string reason = ranking.front().prediction.reason;
  return {std::move(best), std::move(reason), std::move(ranking)};
}

/// See heddle::rank. This and settle are templates so that a program can leave them to the compiled
/// part: instantiate.hpp.
template <class List>
std::vector<RankedScheme> rank(const List& formats, const Features& features, const Device& device,
                               const ChooseOptions& options) {
  const Features rows_alone(features.rows());
  std::vector<RankedScheme> ranking;
  std::vector<Scheme> schemes = candidates(formats, features, device);
  if (options.values_in_place && options.transposes()) {
    for (Scheme& scheme : in_place_candidates(formats, features, device)) {
      schemes.push_back(std::move(scheme));
    }
  }
  for (Scheme& scheme : schemes) {
    ranking.push_back(predicted(formats, std::move(scheme), rows_alone, device, options));
  }
  settle(formats, ranking, 0, features, device, options);
  return ranking;
}

}  // namespace detail

/// The candidates of all formats, ranked by the predicted time of the inspection and of all
/// applies; those that refuse come last.
///
/// A pure function of its arguments, but that `features` may look at the pattern: where a scheme
/// would come first by a prediction that lacks it. What does not come first even at its best is
/// left at that. The rules and the measurements behind them: docs/choose.md.
template <class FormatList>
std::vector<RankedScheme> rank(const Features& features, const Device& device,
                               const ChooseOptions& options = {}) {
  return detail::rank(FormatList::rules(), features, device, options);
}

/// The first of the ranking. Throws Refusal, with every format's reason, if none is possible.
template <class FormatList>
Choice choose(const Features& features, const Device& device, const ChooseOptions& options = {}) {
  return detail::first_of(rank<FormatList>(features, device, options), options);
}

}  // namespace heddle
