// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../core/error.hpp"
#include "../../core/explain.hpp"

namespace heddle {

/// A scheme of a triangular solve or a Gauss-Seidel sweep in a ranking, and the reason for its
/// rank.
struct RankedSolve {
  Scheme scheme;
  std::string reason;
  /// Seconds of one apply, if a plan has measured it; else 0.
  double measured_seconds = 0;
  /// The reason why a plan that tried this scheme could not run it; else empty.
  std::string refusal = {};
  /// Likelihood, by a model, that it is within 15 % of the best, 0 to 1; 0 without a model.
  double likelihood = 0;

  bool possible() const { return refusal.empty(); }

  /// One line of text.
  std::string to_string() const {
    if (!possible()) return scheme.to_string() + " refuses: " + refusal;
    std::string line = scheme.to_string() + ": ";
    if (measured_seconds > 0)
      line += detail::seconds_text(measured_seconds) + " an apply measured, ";
    return line + reason;
  }
};

namespace detail {

/// Appends a scheme that is not in a ranking to its end.
inline void add_new(std::vector<RankedSolve>& ranking, const Scheme& scheme, const char* reason) {
  const bool known = std::any_of(ranking.begin(), ranking.end(),
                                 [&](const RankedSolve& one) { return one.scheme == scheme; });
  if (!known) ranking.push_back({scheme, reason});
}

/// The reason why a plan runs its scheme.
struct SolveChoice {
  std::string reason;
  /// The schemes that were compared, the best first, measured ones before all others; empty if the
  /// scheme was pinned.
  std::vector<RankedSolve> ranking = {};
  /// The properties that the choice depends on, a line each.
  std::string seen = {};
  /// The effect of a tuning cache, if there is one.
  std::string cache = {};
  /// The scheme that runs, with the pinned terms that have no effect, if there are any.
  std::optional<Scheme> shown = std::nullopt;

  const Scheme& scheme(const Scheme& runs) const { return shown ? *shown : runs; }
  std::string explain(const Scheme& scheme) const {
    return detail::explain(scheme, reason, seen, cache, ranking);
  }
};

}  // namespace detail

}  // namespace heddle
