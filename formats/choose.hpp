// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "format.hpp"

namespace heddle {

/// A scheme with what is predicted of it.
struct RankedScheme {
  Scheme scheme;
  Prediction prediction;
  /// Of the inspection and all expected applies.
  double total_seconds = 0;
};

/// What `choose` is asked for.
struct ChooseOptions {
  /// How often the plan will be applied: what an inspection may cost.
  std::int64_t expected_applies = 1000;
  /// Only schemes that read the user's values in place.
  bool values_in_place = false;
  Sizes sizes = {};
};

/// A scheme, why it was taken, and what it was compared with.
struct Choice {
  Scheme scheme;
  std::string reason;
  /// Every candidate that is possible, the best first, then those that refuse.
  std::vector<RankedScheme> ranking = {};
};

/// The candidates of all formats, ranked by the predicted time of the inspection and of all
/// applies; those that refuse come last.
///
/// A pure function of its arguments, but that `features` may look at the pattern: where a scheme
/// would come first by a prediction that lacks it. What does not come first even at its best is
/// left at that. The rules and the measurements behind them: docs/choose.md.
template <class FormatList>
std::vector<RankedScheme> rank(const Features& features, const Device& device,
                               const ChooseOptions& options = {}) {
  const auto ranked = [&](Scheme scheme, const Features& known) {
    Prediction prediction = FormatList::predict(scheme, known, device, options.sizes);
    if (options.values_in_place && !prediction.borrows_values && prediction.possible()) {
      prediction.refusal = "it copies the values, and options.values_in_place is set";
    }
    const double total = prediction.setup_seconds +
                         static_cast<double>(options.expected_applies) * prediction.seconds;
    return RankedScheme{std::move(scheme), std::move(prediction), total};
  };
  const auto is_better = [](const RankedScheme& a, const RankedScheme& b) {
    const bool differ = a.prediction.possible() != b.prediction.possible();
    return differ ? a.prediction.possible() : a.total_seconds < b.total_seconds;
  };
  const Features rows_alone(features.rows());
  std::vector<RankedScheme> ranking;
  for (Scheme& scheme : FormatList::candidates(features, device)) {
    ranking.push_back(ranked(std::move(scheme), rows_alone));
  }
  std::stable_sort(ranking.begin(), ranking.end(), is_better);
  while (!ranking.empty() && ranking.front().prediction.possible() &&
         ranking.front().prediction.lacks_pattern) {
    RankedScheme known = ranked(ranking.front().scheme, features);
    if (known.prediction.lacks_pattern) break;
    ranking.front() = std::move(known);
    std::stable_sort(ranking.begin(), ranking.end(), is_better);
  }
  return ranking;
}

/// The first of the ranking. Throws Refusal, with every format's reason, if none is possible.
template <class FormatList>
Choice choose(const Features& features, const Device& device, const ChooseOptions& options = {}) {
  std::vector<RankedScheme> ranking = rank<FormatList>(features, device, options);
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

}  // namespace heddle
