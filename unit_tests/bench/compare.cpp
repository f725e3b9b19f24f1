// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <sstream>

#include "../../core/error.hpp"
#include "../../perf_tests/bench/common/json.hpp"
#include "../../perf_tests/bench/common/results.hpp"
#include "../../perf_tests/bench/compare/comparison.hpp"
#include "../support/temporary.hpp"

using namespace heddle::bench;
using files_test::TemporaryFile;

namespace {

KeptRun run_of(const std::vector<KeptMatrix>& matrices) {
  KeptRun run;
  run.operation = "spmv";
  run.matrices = matrices;
  return run;
}

constexpr const char* document = R"({
  "schema_version": 2, "operation": "spmv", "date": "2026-01-01T00:00:00Z", "commit": "abc",
  "machine": {"device": "none"}, "settings": {"scalar": "double", "columns": 1},
  "matrices": [{"name": "a, b", "apply_bytes": 1000, "prepare_seconds": 0.5,
    "chosen_scheme": "csr/merge", "choice_reason": "says \"why\"", "contestants": [
      {"name": "auto", "kind": "scheme", "chosen": true, "verdict": "ok", "note": "csr/merge",
       "scheme": "csr/merge", "error_over_bound": 0.25, "bytes": 8, "moved_bytes": null,
       "setup_seconds": {"median": 0.002},
       "time_seconds": {"median": 2.5e-6, "min": 2e-6, "max": 4e-6, "spread": 0.125}},
      {"name": "ell", "kind": "scheme", "chosen": false, "verdict": "unsupported", "note": "too wide",
       "scheme": null, "error_over_bound": null, "bytes": 0, "moved_bytes": null,
       "setup_seconds": null, "time_seconds": null},
      {"name": "peer", "kind": "baseline", "chosen": false, "verdict": "unverified", "note": "",
       "scheme": null, "error_over_bound": null, "bytes": 0, "moved_bytes": null,
       "setup_seconds": null, "time_seconds": {"median": 3.0, "min": 2.0, "max": 5.0}}]}]})";

}  // namespace

TEST_CASE("a difference counts beyond the larger spread of both, and beyond the least") {
  const KeptRun before = run_of(
      {{"a", {{"auto", 1.0, 0.01}, {"ell", 1.0, 0.2}, {"csr", 1.0, 0.0}, {"gone", 1.0, 0.0}}},
       {"b", {{"auto", 1.0, 0.0}}}});
  const KeptRun after =
      run_of({{"a", {{"auto", 1.1, 0.05}, {"ell", 1.1, 0.0}, {"csr", 0.9, 0.0}, {"new", 1.0, 0.0}}},
              {"c", {{"auto", 1.0, 0.0}}}});
  const Comparison all = compare(before, after, {}, 0.02);
  REQUIRE(all.changes.size() == 3);
  CHECK(all.changes[0].slower());
  CHECK(all.changes[0].margin == 0.05);
  CHECK(!all.changes[1].slower());
  CHECK(all.changes[2].faster());
  CHECK(all.any_slower());
  CHECK(all.lost == std::vector<std::string>{"a: gone", "b"});
  CHECK(all.added == std::vector<std::string>{"a: new", "c"});
  CHECK(!compare(before, after, {}, 0.1001).any_slower());
  const Comparison one = compare(before, after, {"csr"}, 0.02);
  CHECK(one.changes.size() == 1);
  CHECK(!one.any_slower());

  std::ostringstream out;
  print(out, all, false);
  CHECK(out.str().find("slower") != std::string::npos);
  CHECK(out.str().find("only before: a: gone, b") != std::string::npos);
}

TEST_CASE("JSON and the CSV made of it are read alike") {
  const Json json = Json::parse(document);
  const std::string text = csv_text(json);
  const TemporaryFile as_json(".json", document), as_csv(".csv", text);
  for (const std::string& path : {as_json.path(), as_csv.path()}) {
    const KeptRun run = read_run(path);
    CHECK(run.settings == "scalar double, columns 1");
    REQUIRE(run.matrices.size() == 1);
    CHECK(run.matrices[0].name == "a, b");
    REQUIRE(run.matrices[0].times.size() == 2);
    CHECK(run.matrices[0].times[0].seconds == doctest::Approx(2.5e-6));
    CHECK(run.matrices[0].times[0].spread == 0.125);
    CHECK(run.matrices[0].times[1].seconds == doctest::Approx(3.0));
    CHECK(run.matrices[0].times[1].spread == doctest::Approx(0.5));
  }
  CHECK(text.find("\"a, b\",scheme,auto,1,ok,csr/merge,=,0.25,2.5,2,4,0.125,2000,") !=
        std::string::npos);
  CHECK(text.find("says 'why'") != std::string::npos);
}

TEST_CASE("solves beside busy threads are of other work than those beside none") {
  const auto settings_with = [](const char* busy) {
    std::string text = document;
    const std::string columns = "\"columns\": 1";
    text.insert(text.find(columns) + columns.size(), busy);
    const TemporaryFile file(".json", text);
    return read_run(file.path()).settings;
  };
  CHECK(settings_with("") == "scalar double, columns 1");
  CHECK(settings_with(", \"busy\": 0") == "scalar double, columns 1");
  CHECK(settings_with(", \"busy\": 2") == "scalar double, columns 1, busy 2");
}

TEST_CASE("what holds no results is told with its name") {
  const TemporaryFile other(".json", "[]"), cut(".csv", "matrix,kind\n");
  CHECK_THROWS_WITH_AS(read_run(other.path()), doctest::Contains(other.path().c_str()),
                       heddle::Error);
  CHECK_THROWS_WITH_AS(read_run(cut.path()), doctest::Contains(cut.path().c_str()), heddle::Error);
  CHECK_THROWS_WITH_AS(read_run("/nowhere/x.json"), doctest::Contains("cannot be read"),
                       heddle::Error);
}

TEST_CASE("fields in double quotes hold commas") {
  CHECK(csv_fields("a,\"b,c\",,d\r") == std::vector<std::string>{"a", "b,c", "", "d"});
  CHECK(csv_fields("") == std::vector<std::string>{""});
}

TEST_CASE("the error of a median falls with the samples, and is unknown of a few") {
  CHECK(Samples{{1, 2, 3, 4, 5}}.median_error() == std::numeric_limits<double>::infinity());
  Samples few, many;
  for (int i = 0; i < 10; ++i) few.seconds.push_back(1.0 + 0.01 * (i % 10));
  for (int i = 0; i < 1000; ++i) many.seconds.push_back(1.0 + 0.01 * (i % 10));
  CHECK(few.median_error() > 0.02);
  CHECK(many.median_error() < 0.01);
  CHECK(Samples{{2, 2, 2, 2, 2, 2}}.median_error() == 0);
}
