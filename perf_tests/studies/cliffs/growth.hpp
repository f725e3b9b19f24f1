// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// The phases of a plan that are timed.
enum class CliffPhase { setup, update, apply };
inline constexpr std::array<const char*, 3> cliff_phase_names{"setup", "update", "apply"};

/// Seconds of each phase for one size of a pattern.
struct CliffTimes {
  std::int64_t rows = 0, entries = 0;
  std::array<double, 3> seconds{};

  double of(CliffPhase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
};

/// Shorter times say little about growth: launches and the scheduler's tick dominate them.
inline constexpr double least_grown_seconds = 1e-3;
/// Largest growth of a time that is expected when the entries double: twice, and more if they no
/// longer fit a cache.
inline constexpr double most_growth = 2.6;

/// Factor by which a phase took longer for twice the entries; 0 if it is too short.
double growth(const CliffTimes& less, const CliffTimes& more, CliffPhase phase);

/// One way to run a plan on one pattern, over increasing sizes.
struct CliffSeries {
  std::string pattern, plan, scheme;
  std::vector<CliffTimes> sizes = {};
  /// Reason that larger sizes, or all, are missing; empty if none is.
  std::string ended = {};

  /// The largest growth from one size to the next that lasts: all larger sizes grew by at least as
  /// much for every doubling. Other growth is the machine's, or a cache's. 0 if there is none.
  double worst_growth(CliffPhase phase) const;
  bool cliff(CliffPhase phase) const { return worst_growth(phase) > most_growth; }
  bool cliff() const;
};

/// CSV with a line for each size, after one that names the columns.
std::string cliffs_csv(const std::vector<CliffSeries>& all);
/// A Markdown table, a line for each plan and scheme, a column for each pattern: milliseconds of
/// set-up, update and apply at the largest size; what grew too fast is bold, with its factor.
std::string cliffs_table(const std::vector<CliffSeries>& all);

}  // namespace heddle::bench
