// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "../common/json.hpp"

namespace heddle::bench {

/// When each row of one solve was begun and posted, by one clock, and what it needs: parents of row
/// i are parents[parents_begin[i]] to parents[parents_begin[i + 1] - 1]. All of them come before
/// the row, or all after it, as in a triangle (of its transpose, where that is solved).
struct RowTrace {
  std::span<const std::int64_t> start_ns, end_ns;
  std::span<const std::int64_t> parents_begin;
  std::span<const std::int32_t> parents;

  std::size_t rows() const { return start_ns.size(); }
};

struct Spread {
  double mean = 0, median = 0, p90 = 0;
};

/// The rows that need as many rows one after the other.
struct LevelWait {
  std::int64_t rows = 0;
  /// Of the time between their start and end, how much went by before their last parent's end.
  double waiting_share = 0;
};

struct TraceAnalysis {
  /// From the first row to begin the solve with to the last to end.
  std::int64_t elapsed_ns = 0;
  /// The critical path, first row first: walked back from the row that ended last, each time to the
  /// parent that ended last.
  std::vector<std::int32_t> path;
  /// Of the rows on it that have a parent: from the end of the last parent to their own. 0 of none.
  Spread handover_ns;
  /// How many of them were not begun when their last parent ended, and what that cost in all.
  std::int64_t late_rows = 0, late_ns = 0;
  std::vector<LevelWait> levels;
};

/// Pure. Throws Error for arrays that do not fit, a parent that is no row, and parents on both
/// sides of a row.
TraceAnalysis analyse_trace(const RowTrace& trace);

/// The path in a few lines, and the levels in at most ten runs.
void print_trace(std::ostream& out, const TraceAnalysis& analysis);
/// All of it.
Json trace_json(const TraceAnalysis& analysis);

}  // namespace heddle::bench
