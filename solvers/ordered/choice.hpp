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

/// A scheme that takes rows in an order, of a triangular solve or a Gauss-Seidel sweep, and why it
/// stands where it does among others.
struct RankedSolve {
  Scheme scheme;
  std::string reason;
  /// Of one apply, where a plan has measured it; else 0.
  double measured_seconds = 0;
  /// Why it cannot be had, where a plan has tried; else empty.
  std::string refusal = {};
  /// Of its being within 15 % of the best, where a model says so, 0 to 1; else 0.
  double likelihood = 0;

  bool possible() const { return refusal.empty(); }

  /// One line.
  std::string to_string() const {
    if (!possible()) return scheme.to_string() + " refuses: " + refusal;
    std::string line = scheme.to_string() + ": ";
    if (measured_seconds > 0)
      line += detail::seconds_text(measured_seconds) + " an apply measured, ";
    return line + reason;
  }
};

namespace detail {

/// Puts a scheme that is not in a ranking behind it.
inline void add_new(std::vector<RankedSolve>& ranking, const Scheme& scheme, const char* reason) {
  const bool known = std::any_of(ranking.begin(), ranking.end(),
                                 [&](const RankedSolve& one) { return one.scheme == scheme; });
  if (!known) ranking.push_back({scheme, reason});
}

/// Why a plan runs what it runs.
struct SolveChoice {
  std::string reason;
  /// What it was compared with, the best first, and before all others those that were measured;
  /// empty if the scheme was pinned.
  std::vector<RankedSolve> ranking = {};
  /// What was looked at, a line each.
  std::string seen = {};
  /// What a tuning cache did, where there is one.
  std::string cache = {};
  /// The scheme that runs, where terms that were pinned are idle: with these.
  std::optional<Scheme> shown = std::nullopt;

  const Scheme& scheme(const Scheme& runs) const { return shown ? *shown : runs; }
  std::string explain(const Scheme& scheme) const {
    return detail::explain(scheme, reason, seen, cache, ranking);
  }
};

}  // namespace detail

}  // namespace heddle
