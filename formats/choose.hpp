// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "../core/explain.hpp"
#include "common/format_rules.hpp"
#include "compiled.hpp"

namespace heddle {

class Model;

/// A scheme and its prediction.
struct RankedScheme {
  Scheme scheme;
  Prediction prediction;
  /// Predicted seconds of the inspection and all expected applies. If an op transposes, they
  /// include as many transposing applies and the stored transpose that they may need.
  double total_seconds = 0;
  /// Seconds of one apply if a plan has measured it (SpmvOptions::measure_seconds); else 0.
  double measured_seconds = 0;

  /// Whether nothing that was checked refuses the scheme. If prediction.lacks_pattern, the pattern
  /// was not checked, and may refuse it; the reason says so.
  bool possible() const { return prediction.possible(); }

  /// One line: seconds of an apply and of the set-up, bytes kept, and the reason; or the reason of
  /// a refusal.
  std::string to_string() const {
    using detail::seconds_text;
    if (!possible()) return scheme.to_string() + " refuses: " + prediction.refusal;
    std::string line = scheme.to_string() + ": ";
    if (measured_seconds > 0) line += seconds_text(measured_seconds) + " an apply measured, ";
    return line + seconds_text(prediction.seconds) + " an apply and " +
           seconds_text(prediction.setup_seconds) + " to set up predicted, " +
           std::to_string(std::llround(prediction.kept_bytes)) + " bytes kept; " +
           prediction.reason;
  }
};

/// Options of `choose`.
struct ChooseOptions {
  /// Number of applies that the plan is made for: more applies justify a longer inspection.
  std::int64_t expected_applies = 1000;
  /// Allows only schemes that read the user's values in place, for all of `ops`.
  bool values_in_place = false;
  /// Types, vectors, symmetry and promises.
  Sizes sizes = {};
  /// Most bytes that a scheme may keep, including the stored transpose that `ops` need.
  std::size_t max_bytes = no_bound;
  /// Ops that will be applied besides Op::none, each equally often.
  std::vector<Op> ops = {};
  /// A model that corrects the predictions, or null: SpmvOptions::model.
  std::shared_ptr<const Model> model = nullptr;

  /// Whether any of `ops` transposes.
  bool transposes() const {
    return std::any_of(ops.begin(), ops.end(), [](Op op) { return heddle::transposes(op); });
  }
};

/// A scheme, the reason for it, and the schemes that it was compared with.
struct Choice {
  Scheme scheme;
  std::string reason;
  /// All possible candidates, the best first, then those that refuse.
  std::vector<RankedScheme> ranking = {};
  /// Input of the choice, one line each: the matrix, the device, the options.
  std::string seen = {};
  /// Result of the tuning cache in words, if there is one.
  std::string cache = {};

  /// Several lines: the scheme and the reason, the input, and the first five of the ranking.
  std::string explain() const { return detail::explain(scheme, reason, seen, cache, ranking); }
};

namespace detail {

/// The lines of Choice::seen about the device and the options.
[[gnu::cold]] inline std::string describe(const Device& device, std::int64_t applies,
                                          const ExpectedVectors& vectors) {
  return "  device: " + device.name + ", " + std::to_string(device.multiprocessors) +
         (device.has_lanes() ? " multiprocessors, " : " threads, ") +
         number_text(estimated_bytes_per_second(device) * 1e-9) +
         " GB/s\n  asked: " + std::to_string(applies) + " applies to " +
         std::to_string(vectors.count) +
         (vectors.count == 1 ? " vector"
          : vectors.apart    ? " vectors apart"
                             : " vectors side by side");
}

/// All lines of Choice::seen.
[[gnu::cold]] inline std::string describe(const Features& features, const Device& device,
                                          const ChooseOptions& options) {
  const RowFeatures& rows = features.rows();
  std::string text = "  matrix: " + std::to_string(rows.rows) + " x " +
                     std::to_string(rows.columns) + ", " + std::to_string(rows.nonzeros) +
                     " nonzeros; rows of " + std::to_string(rows.shortest_row) + " to " +
                     std::to_string(rows.longest_row) + ", " + number_text(rows.mean_row()) +
                     " in the mean, variation " + number_text(rows.row_variation());
  if (const PatternFeatures* pattern = features.known_pattern()) {
    text += "; " + std::to_string(pattern->diagonals) + " diagonals, bandwidth " +
            std::to_string(pattern->lower_bandwidth) + " below and " +
            std::to_string(pattern->upper_bandwidth) + " above" +
            (pattern->sorted ? "" : ", columns unsorted");
  }
  text += "\n" + describe(device, options.expected_applies, options.sizes.vectors);
  for (const Op op : options.ops) text += std::string(", ") + name(op);
  if (options.values_in_place) text += ", values in place";
  if (options.max_bytes != no_bound) {
    text += ", at most " + std::to_string(options.max_bytes) + " bytes";
  }
  return text + "\n";
}

/// Sorts the ranking from `place` on, until the scheme at `place` is predicted with the pattern.
/// Schemes that rank lower even in their best case keep their prediction without it.
template <class List>
void settle(const List& formats, std::vector<RankedScheme>& ranking, std::size_t place,
            const Features& features, const Device& device, const ChooseOptions& options);

/// The choice of the first in the ranking. Throws Refusal, with all reasons, if it is not possible.
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
                      : "raise options.max_bytes, or give the plan heddle::TriangleFormats()");
  }
  Scheme best = ranking.front().scheme;
  std::string reason = ranking.front().prediction.reason;
  return {std::move(best), std::move(reason), std::move(ranking), {}, {}};
}

/// Implements heddle::rank. This and settle are templates so that a program can leave them to the
/// compiled part (instantiate.hpp); plan/rank.hpp defines them.
template <class List>
std::vector<RankedScheme> rank(const List& formats, const Features& features, const Device& device,
                               const ChooseOptions& options);

}  // namespace detail

/// The candidates of all formats, ranked by the predicted seconds of the inspection and all
/// applies. Those that refuse are last.
///
/// A pure function of its arguments, except that `features` may inspect the pattern: it does so if
/// a scheme would be first by a prediction that lacks the pattern. A scheme that is not first even
/// in its best case needs no inspection. Rules and measurements: docs/choose.md.
template <class FormatList>
std::vector<RankedScheme> rank(const Features& features, const Device& device,
                               const ChooseOptions& options = {}) {
  return detail::rank(FormatList::rules(), features, device, options);
}

/// The first of the ranking. Throws Refusal, with every format's reason, if no scheme is possible.
template <class FormatList>
Choice choose(const Features& features, const Device& device, const ChooseOptions& options = {}) {
  Choice choice = detail::first_of(rank<FormatList>(features, device, options), options);
  choice.seen = detail::describe(features, device, options);
  return choice;
}

}  // namespace heddle

#ifdef HEDDLE_DEFINITIONS
#include "plan/rank.hpp"
#endif
