// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::bench {

/// What is timed of a plan.
enum class CliffPhase { setup, update, apply };
inline constexpr std::array<const char*, 3> cliff_phase_names{"setup", "update", "apply"};

/// Seconds of each phase, of one size of a pattern.
struct CliffTimes {
  std::int64_t rows = 0, entries = 0;
  std::array<double, 3> seconds{};

  double of(CliffPhase phase) const { return seconds[static_cast<std::size_t>(phase)]; }
};

/// Shorter times than this say little about growth: launches, and the tick of a scheduler.
inline constexpr double least_grown_seconds = 1e-3;
/// What a doubling of the entries may take: twice as long, and what one more cache that no longer
/// holds them adds.
inline constexpr double most_growth = 2.6;

/// By what factor a phase took longer for twice the entries; 0 if it is too short to tell.
double growth(const CliffTimes& less, const CliffTimes& more, CliffPhase phase);

/// One way to run a plan on one pattern, over sizes that rise.
struct CliffSeries {
  std::string pattern, plan, scheme;
  std::vector<CliffTimes> sizes = {};
  /// Why larger sizes are missing, or all of them; empty if none is.
  std::string ended = {};

  /// The largest growth from one size to the next that lasts: to each larger size too it grew by as
  /// much for every doubling. Else it was the machine's, or a cache's. 0 if there is none to tell.
  double worst_growth(CliffPhase phase) const;
  bool cliff(CliffPhase phase) const { return worst_growth(phase) > most_growth; }
  bool cliff() const;
};

/// A line a size, behind one that names the columns.
std::string cliffs_csv(const std::vector<CliffSeries>& all);
/// A Markdown table, a line a plan and scheme, a column a pattern: the largest size's seconds of
/// set-up, update and apply, and in bold what grew too fast, by how much.
std::string cliffs_table(const std::vector<CliffSeries>& all);

}  // namespace heddle::bench
