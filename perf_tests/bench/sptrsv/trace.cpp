// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "../../../core/error.hpp"
#include "../common/table.hpp"

namespace heddle::bench {

namespace {

constexpr std::size_t most_runs = 10;

void check_shapes(const RowTrace& trace) {
  const std::size_t rows = trace.rows();
  const bool begins_fit = trace.parents_begin.size() == rows + 1;
  if (trace.end_ns.size() == rows && begins_fit && trace.parents_begin.front() == 0 &&
      std::is_sorted(trace.parents_begin.begin(), trace.parents_begin.end()) &&
      trace.parents_begin.back() == static_cast<std::int64_t>(trace.parents.size())) {
    return;
  }
  throw Error("a trace of " + std::to_string(rows) + " starts does not fit its other arrays",
              "give an end for each, where its parents begin, and where the last of them stop");
}

std::span<const std::int32_t> parents_of(const RowTrace& trace, std::size_t row) {
  const auto begin = static_cast<std::size_t>(trace.parents_begin[row]);
  return trace.parents.subspan(begin,
                               static_cast<std::size_t>(trace.parents_begin[row + 1]) - begin);
}

/// Whether rows are solved in their order, which holds too where none has a parent.
bool solved_forward(const RowTrace& trace) {
  bool before = false, after = false;
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    for (const std::int32_t parent : parents_of(trace, row)) {
      const auto other = static_cast<std::size_t>(parent);
      before = before || other < row;
      after = after || other > row;
      if (parent < 0 || other >= trace.rows() || other == row || (before && after)) {
        throw Error("row " + std::to_string(row) + " of a trace has parent " +
                        std::to_string(parent) + " of " + std::to_string(trace.rows()) + " rows",
                    "give parents that all come before their rows, or all after them");
      }
    }
  }
  return !after;
}

/// The parent that ended last.
std::optional<std::size_t> last_parent(const RowTrace& trace, std::size_t row) {
  std::optional<std::size_t> last;
  for (const std::int32_t parent : parents_of(trace, row)) {
    const auto other = static_cast<std::size_t>(parent);
    if (!last || trace.end_ns[other] > trace.end_ns[*last]) last = other;
  }
  return last;
}

Spread spread(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / count, Samples{values}.median(),
          values[static_cast<std::size_t>(std::ceil(0.9 * count)) - 1]};
}

void walk_path(const RowTrace& trace, TraceAnalysis& analysis) {
  const auto last = std::max_element(trace.end_ns.begin(), trace.end_ns.end());
  std::vector<double> handovers;
  auto row = static_cast<std::size_t>(last - trace.end_ns.begin());
  for (;;) {
    analysis.path.push_back(static_cast<std::int32_t>(row));
    const auto parent = last_parent(trace, row);
    if (!parent) break;
    handovers.push_back(static_cast<double>(trace.end_ns[row] - trace.end_ns[*parent]));
    const std::int64_t late = trace.start_ns[row] - trace.end_ns[*parent];
    if (late > 0) {
      ++analysis.late_rows;
      analysis.late_ns += late;
    }
    row = *parent;
  }
  std::reverse(analysis.path.begin(), analysis.path.end());
  analysis.handover_ns = spread(std::move(handovers));
}

std::vector<std::size_t> levels_of(const RowTrace& trace) {
  const bool forward = solved_forward(trace);
  std::vector<std::size_t> levels(trace.rows(), 0);
  for (std::size_t step = 0; step < trace.rows(); ++step) {
    const std::size_t row = forward ? step : trace.rows() - 1 - step;
    for (const std::int32_t parent : parents_of(trace, row)) {
      levels[row] = std::max(levels[row], levels[static_cast<std::size_t>(parent)] + 1);
    }
  }
  return levels;
}

std::vector<LevelWait> waits_of(const RowTrace& trace) {
  const std::vector<std::size_t> levels = levels_of(trace);
  struct Sums {
    LevelWait level;
    double waited_ns = 0, spent_ns = 0;
  };
  std::vector<Sums> sums(*std::max_element(levels.begin(), levels.end()) + 1);
  for (std::size_t row = 0; row < trace.rows(); ++row) {
    Sums& sum = sums[levels[row]];
    const std::int64_t start = trace.start_ns[row], end = trace.end_ns[row];
    const auto parent = last_parent(trace, row);
    const std::int64_t ready = parent ? trace.end_ns[*parent] : start;
    ++sum.level.rows;
    sum.waited_ns += static_cast<double>(std::clamp(ready, start, std::max(start, end)) - start);
    sum.spent_ns += static_cast<double>(std::max<std::int64_t>(0, end - start));
  }
  std::vector<LevelWait> waits;
  for (Sums& sum : sums) {
    if (sum.spent_ns > 0) sum.level.waiting_share = sum.waited_ns / sum.spent_ns;
    waits.push_back(sum.level);
  }
  return waits;
}

}  // namespace

TraceAnalysis analyse_trace(const RowTrace& trace) {
  check_shapes(trace);
  TraceAnalysis analysis;
  if (trace.rows() == 0) return analysis;
  analysis.levels = waits_of(trace);  // first: it checks the parents
  walk_path(trace, analysis);
  analysis.elapsed_ns = *std::max_element(trace.end_ns.begin(), trace.end_ns.end()) -
                        *std::min_element(trace.start_ns.begin(), trace.start_ns.end());
  return analysis;
}

void print_trace(std::ostream& out, const TraceAnalysis& analysis) {
  const Spread& handover = analysis.handover_ns;
  out << "  critical path: " << analysis.path.size() << " rows of " << analysis.levels.size()
      << " levels, " << duration(1e-9 * static_cast<double>(analysis.elapsed_ns)) << " in all\n"
      << "  from the last parent's end to a row's own: mean " << format("%.0f", handover.mean)
      << " ns, median " << format("%.0f", handover.median) << " ns, p90 "
      << format("%.0f", handover.p90) << " ns\n"
      << "  begun after the last parent's end: " << analysis.late_rows << " rows, "
      << duration(1e-9 * static_cast<double>(analysis.late_ns)) << '\n';
  const std::size_t levels = analysis.levels.size(), runs = std::min(levels, most_runs);
  if (runs) out << format("  %20s%12s%12s\n", "levels", "rows", "waiting");
  for (std::size_t run = 0; run < runs; ++run) {
    const std::size_t first = run * levels / runs, stop = (run + 1) * levels / runs;
    std::int64_t rows = 0;
    double share = 0;
    for (std::size_t level = first; level < stop; ++level) {
      rows += analysis.levels[level].rows;
      share += analysis.levels[level].waiting_share / static_cast<double>(stop - first);
    }
    const std::string name = std::to_string(first) + " to " + std::to_string(stop - 1);
    out << format("  %20s%12lld%11.0f%%\n", name.c_str(), static_cast<long long>(rows),
                  100 * share);
  }
}

Json trace_json(const TraceAnalysis& analysis) {
  const Spread& handover = analysis.handover_ns;
  Json levels = Json::array();
  for (const LevelWait& level : analysis.levels) {
    levels.push_back({{"rows", level.rows}, {"waiting_share", level.waiting_share}});
  }
  return {{"elapsed_ns", analysis.elapsed_ns},
          {"path_rows", analysis.path.size()},
          {"handover_ns",
           {{"mean", handover.mean}, {"median", handover.median}, {"p90", handover.p90}}},
          {"late_rows", analysis.late_rows},
          {"late_ns", analysis.late_ns},
          {"path", analysis.path},
          {"levels", levels}};
}

}  // namespace heddle::bench
