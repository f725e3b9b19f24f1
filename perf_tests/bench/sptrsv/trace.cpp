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
              "give as many ends, and parents_begin of one more, from 0 to parents.size()");
}

std::span<const std::int32_t> parents_of(const RowTrace& trace, std::size_t row) {
  const auto begin = static_cast<std::size_t>(trace.parents_begin[row]);
  return trace.parents.subspan(begin,
                               static_cast<std::size_t>(trace.parents_begin[row + 1]) - begin);
}

/// Whether rows are solved in ascending order; true if none has a parent. Throws for bad parents.
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
                    "give parents that are all before their rows, or all after");
      }
    }
  }
  return !after;
}

/// The parent of a row that ended last; empty if it has no parent.
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

void find_waits(const RowTrace& trace, TraceAnalysis& analysis) {
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
  double waited_ns = 0, spent_ns = 0;
  for (Sums& sum : sums) {
    if (sum.spent_ns > 0) sum.level.waiting_share = sum.waited_ns / sum.spent_ns;
    waited_ns += sum.waited_ns;
    spent_ns += sum.spent_ns;
    analysis.levels.push_back(sum.level);
  }
  if (spent_ns > 0) analysis.waiting_share = waited_ns / spent_ns;
}

/// The smallest nonzero difference of two time stamps; 0 if all are equal.
std::int64_t clock_step(const RowTrace& trace) {
  std::vector<std::int64_t> stamps(trace.start_ns.begin(), trace.start_ns.end());
  stamps.insert(stamps.end(), trace.end_ns.begin(), trace.end_ns.end());
  std::sort(stamps.begin(), stamps.end());
  std::int64_t least = 0;
  for (std::size_t i = 1; i < stamps.size(); ++i) {
    const std::int64_t step = stamps[i] - stamps[i - 1];
    if (step > 0 && (least == 0 || step < least)) least = step;
  }
  return least;
}

}  // namespace

TraceAnalysis analyse_trace(const RowTrace& trace) {
  check_shapes(trace);
  TraceAnalysis analysis;
  if (trace.rows() == 0) return analysis;
  find_waits(trace, analysis);  // first: it checks the parents
  analysis.clock_ns = clock_step(trace);
  walk_path(trace, analysis);
  analysis.elapsed_ns = *std::max_element(trace.end_ns.begin(), trace.end_ns.end()) -
                        *std::min_element(trace.start_ns.begin(), trace.start_ns.end());
  return analysis;
}

StepParents step_parents(std::span<const std::int32_t> row_ptr,
                         std::span<const std::int32_t> col_idx, bool transposed,
                         std::span<const std::int64_t> step_of_row, std::size_t steps) {
  StepParents found;
  found.begin.resize(steps + 1);
  const auto for_each = [&](const auto& use) {
    for (std::size_t i = 0; i < step_of_row.size(); ++i) {
      for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
        const auto j = static_cast<std::size_t>(col_idx[static_cast<std::size_t>(k)]);
        const std::int64_t step = step_of_row[transposed ? j : i];
        const std::int64_t parent = step_of_row[transposed ? i : j];
        if (step != parent) use(static_cast<std::size_t>(step), parent);
      }
    }
  };
  for_each([&](std::size_t step, std::int64_t) { ++found.begin[step + 1]; });
  std::partial_sum(found.begin.begin(), found.begin.end(), found.begin.begin());
  found.parents.resize(static_cast<std::size_t>(found.begin.back()));
  std::vector<std::int64_t> next = found.begin;
  for_each([&](std::size_t step, std::int64_t parent) {
    found.parents[static_cast<std::size_t>(next[step]++)] = static_cast<std::int32_t>(parent);
  });
  return found;
}

void print_trace(std::ostream& out, const TracedSolve& solve) {
  const TraceAnalysis& analysis = solve.analysis;
  const Spread& handover = analysis.handover_ns;
  const char* const steps = solve.groups ? "groups" : "rows";
  out << "  trace of " << solve.scheme << ", by a clock that moves on by " << analysis.clock_ns
      << " ns:\n"
      << "  critical path: " << analysis.path.size() << ' ' << steps << " of "
      << analysis.levels.size() << " levels, "
      << duration(1e-9 * static_cast<double>(analysis.elapsed_ns)) << " in all\n"
      << "  a level on it, from the last parent's end to the next: mean "
      << format("%.0f", handover.mean) << " ns, median " << format("%.0f", handover.median)
      << " ns, p90 " << format("%.0f", handover.p90) << " ns\n"
      << "  begun after the last parent's end: " << analysis.late_rows << ' ' << steps << ", "
      << duration(1e-9 * static_cast<double>(analysis.late_ns)) << '\n'
      << "  of the time of all " << steps << " waiting is "
      << format("%.0f%%\n", 100 * analysis.waiting_share);
  const std::size_t levels = analysis.levels.size(), runs = std::min(levels, most_runs);
  if (runs) out << format("  %20s%12s%12s\n", "levels", steps, "waiting");
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

Json trace_json(const TracedSolve& solve) {
  const TraceAnalysis& analysis = solve.analysis;
  const Spread& handover = analysis.handover_ns;
  Json levels = Json::array();
  for (const LevelWait& level : analysis.levels) {
    levels.push_back({{"rows", level.rows}, {"waiting_share", level.waiting_share}});
  }
  return {{"scheme", solve.scheme},
          {"steps", solve.groups ? "groups" : "rows"},
          {"elapsed_ns", analysis.elapsed_ns},
          {"clock_ns", analysis.clock_ns},
          {"path_rows", analysis.path.size()},
          {"handover_ns",
           {{"mean", handover.mean}, {"median", handover.median}, {"p90", handover.p90}}},
          {"late_rows", analysis.late_rows},
          {"late_ns", analysis.late_ns},
          {"waiting_share", analysis.waiting_share},
          {"path", analysis.path},
          {"levels", levels}};
}

}  // namespace heddle::bench
