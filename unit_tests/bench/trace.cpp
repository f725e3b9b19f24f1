// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The critical path of a solve, from time stamps of its rows.
#include "../../perf_tests/bench/sptrsv/trace.hpp"

#include <doctest/doctest.h>

#include <sstream>

#include "../../core/error.hpp"

namespace heddle::bench {

namespace {

struct Trace {
  std::vector<std::int64_t> start_ns, end_ns;
  std::vector<std::int64_t> begin = {0};
  std::vector<std::int32_t> parents;

  void add(std::int64_t start, std::int64_t end, const std::vector<std::int32_t>& needs) {
    start_ns.push_back(start);
    end_ns.push_back(end);
    parents.insert(parents.end(), needs.begin(), needs.end());
    begin.push_back(static_cast<std::int64_t>(parents.size()));
  }
  RowTrace view() const { return {start_ns, end_ns, begin, parents}; }
  TraceAnalysis analyse() const { return analyse_trace(view()); }
};

/// Rows 0 and 1 need no rows, 2 needs 0, 3 needs 1 and 2, and 4 needs none.
Trace diamond() {
  Trace trace;
  trace.add(100, 200, {});
  trace.add(100, 250, {});
  trace.add(150, 300, {0});
  trace.add(400, 700, {1, 2});
  trace.add(100, 120, {});
  return trace;
}

}  // namespace

TEST_CASE("the path goes back to the parent that ended last") {
  const TraceAnalysis analysis = diamond().analyse();
  CHECK(analysis.path == std::vector<std::int32_t>{0, 2, 3});
  CHECK(analysis.elapsed_ns == 600);
  CHECK(analysis.handover_ns.mean == 250);  // 100 and 400
  CHECK(analysis.handover_ns.median == 250);
  CHECK(analysis.handover_ns.p90 == 400);
  CHECK(analysis.late_rows == 1);  // row 3, begun 100 ns after row 2 had ended
  CHECK(analysis.late_ns == 100);
  CHECK(analysis.clock_ns == 20);  // 100 and 120
}

TEST_CASE("a level waits for what its rows do between their start and their last parent's end") {
  const TraceAnalysis analysis = diamond().analyse();
  REQUIRE(analysis.levels.size() == 3);
  CHECK(analysis.levels[0].rows == 3);
  CHECK(analysis.levels[0].waiting_share == 0);
  CHECK(analysis.levels[1].rows == 1);
  CHECK(analysis.levels[1].waiting_share == doctest::Approx(50.0 / 150));
  CHECK(analysis.levels[2].rows == 1);
  CHECK(analysis.levels[2].waiting_share == 0);
  CHECK(analysis.waiting_share == doctest::Approx(50.0 / 720));
}

TEST_CASE("an upper triangle is walked the other way") {
  Trace trace;
  trace.add(0, 90, {1, 2});
  trace.add(0, 50, {2});
  trace.add(0, 10, {});
  const TraceAnalysis analysis = trace.analyse();
  CHECK(analysis.path == std::vector<std::int32_t>{2, 1, 0});
  CHECK(analysis.levels.size() == 3);
  CHECK(analysis.levels[2].waiting_share == doctest::Approx(50.0 / 90));
}

TEST_CASE("a chain is its own path, and its spread that of its steps") {
  Trace trace;
  std::int64_t end = 0;
  constexpr int rows = 101;
  for (int row = 0; row < rows; ++row) {
    end += row;  // row i needs i ns
    trace.add(0, end, row ? std::vector<std::int32_t>{row - 1} : std::vector<std::int32_t>{});
  }
  const TraceAnalysis analysis = trace.analyse();
  CHECK(analysis.path.size() == rows);
  CHECK(analysis.path.front() == 0);
  CHECK(analysis.path.back() == rows - 1);
  CHECK(analysis.handover_ns.mean == 50.5);
  CHECK(analysis.handover_ns.median == 50.5);
  CHECK(analysis.handover_ns.p90 == 90);
  CHECK(analysis.late_rows == 0);
  CHECK(analysis.levels.size() == rows);
}

TEST_CASE("a solve of no rows, and of rows that need nothing") {
  const TraceAnalysis none = Trace().analyse();
  CHECK(none.path.empty());
  CHECK(none.clock_ns == 0);
  CHECK(none.levels.empty());
  Trace trace;
  trace.add(5, 5, {});
  trace.add(5, 9, {});
  const TraceAnalysis analysis = trace.analyse();
  CHECK(analysis.path == std::vector<std::int32_t>{1});
  CHECK(analysis.handover_ns.mean == 0);
  CHECK(analysis.levels.size() == 1);
}

TEST_CASE("a trace that cannot be is an error") {
  Trace cycle;
  cycle.add(0, 1, {1});
  cycle.add(0, 1, {0});
  CHECK_THROWS_WITH_AS(cycle.analyse(), doctest::Contains("row 1"), Error);
  Trace itself;
  itself.add(0, 1, {0});
  CHECK_THROWS_AS(itself.analyse(), Error);
  Trace nowhere;
  nowhere.add(0, 1, {7});
  CHECK_THROWS_WITH_AS(nowhere.analyse(), doctest::Contains("parent 7"), Error);
  Trace negative;
  negative.add(0, 1, {-1});
  CHECK_THROWS_AS(negative.analyse(), Error);
  Trace shorter = diamond();
  shorter.end_ns.pop_back();
  CHECK_THROWS_WITH_AS(shorter.analyse(), doctest::Contains("5 starts"), Error);
  Trace open = diamond();
  open.parents.pop_back();
  CHECK_THROWS_AS(open.analyse(), Error);
}

TEST_CASE("the analysis is kept in JSON, and printed") {
  const TracedSolve solve{"sptrsv/one", false, diamond().analyse()};
  const Json json = trace_json(solve);
  CHECK(json["scheme"] == "sptrsv/one");
  CHECK(json["steps"] == "rows");
  CHECK(json["clock_ns"] == 20);
  CHECK(json["path"] == Json({0, 2, 3}));
  CHECK(json["path_rows"] == 3);
  CHECK(json["handover_ns"]["p90"] == 400);
  CHECK(json["levels"][1]["rows"] == 1);
  std::ostringstream rows, groups;
  print_trace(rows, solve);
  CHECK(rows.str().find("critical path: 3 rows of 3 levels, 0.6 us in all") != std::string::npos);
  print_trace(groups, {"sptrsv/none", true, Trace().analyse()});
  CHECK(groups.str().find("0 groups of 0 levels") != std::string::npos);
}

TEST_CASE("a step needs the steps of what its rows need, and not itself") {
  // A lower triangle with its diagonal: row 1 needs 0, row 2 needs 1, row 3 needs 0 and 2.
  const std::vector<std::int32_t> row_ptr{0, 1, 3, 5, 8}, columns{0, 0, 1, 1, 2, 0, 2, 3};
  const std::vector<std::int64_t> rows{0, 1, 2, 3};
  const StepParents lower = step_parents(row_ptr, columns, false, rows, 4);
  CHECK(lower.begin == std::vector<std::int64_t>{0, 0, 1, 2, 4});
  CHECK(lower.parents == std::vector<std::int32_t>{0, 1, 0, 2});
  const StepParents transposed = step_parents(row_ptr, columns, true, rows, 4);
  CHECK(transposed.begin == std::vector<std::int64_t>{0, 2, 3, 4, 4});
  CHECK(transposed.parents == std::vector<std::int32_t>{1, 3, 2, 3});
  // Rows 1 and 2 are one step.
  const std::vector<std::int64_t> groups{0, 1, 1, 2};
  const StepParents merged = step_parents(row_ptr, columns, false, groups, 3);
  CHECK(merged.begin == std::vector<std::int64_t>{0, 0, 1, 3});
  CHECK(merged.parents == std::vector<std::int32_t>{0, 0, 1});
  const StepParents none = step_parents(std::vector<std::int32_t>{0}, {}, false, {}, 0);
  CHECK(none.begin == std::vector<std::int64_t>{0});
}

}  // namespace heddle::bench
