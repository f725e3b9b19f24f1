// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>

#include "../../perf_tests/bench/common/table.hpp"

using namespace heddle::bench;

namespace {

/// Times of a quiet machine, and of one that others use half of the time.
const Samples quiet{{1.00, 1.02, 0.99, 1.01, 1.00, 1.03, 1.00, 30.0}};
const Samples busy{{1.0, 9.0, 1.1, 26.0, 1.0, 8.0, 1.2, 12.0}};

MatrixResult two_contestants(const Samples& first, const Samples& second,
                             const Samples& reference) {
  MatrixResult result;
  result.apply_bytes = 1000;
  result.reference = reference;
  for (const auto& [name, samples] : {std::pair("auto", first), std::pair("csr/merge", second)}) {
    ContestantResult c;
    c.name = name;
    c.is_scheme = true;
    c.verdict = Verdict::ok;
    c.setup.seconds = {1};
    c.time = samples;
    result.contestants.push_back(c);
  }
  return result;
}

}  // namespace

TEST_CASE("quantiles lie between neighbours, and the median is the middle one") {
  const Samples odd{{3, 1, 2}}, even{{4, 1, 3, 2}};
  CHECK(odd.median() == 2);
  CHECK(even.median() == 2.5);
  CHECK(even.quantile(0) == 1);
  CHECK(even.quantile(1) == 4);
  CHECK(even.quantile(0.25) == 1.75);
  CHECK(Samples{{7}}.median() == 7);
}

TEST_CASE("the spread is that of the middle half: one bad repetition does not count") {
  CHECK(Samples{{1, 2, 3, 4, 5}}.spread() == doctest::Approx(2.0 / 3));
  CHECK(quiet.spread() < 0.03);
  CHECK(busy.spread() > 1);
  CHECK(Samples{}.spread() == 0);
  CHECK(Samples{{1, 9}}.spread() == 0);  // too few times
  CHECK(Samples{{0, 0, 0}}.spread() == 0);
}

TEST_CASE("what is steady is not warned of") {
  const MatrixResult result = two_contestants(quiet, quiet, quiet);
  CHECK(steadiness_warning(result) == "");
  CHECK(unsteady_contestants(result).empty());
  CHECK(!unsteady_machine(result));
  std::ostringstream out;
  print_steadiness(out, result);
  CHECK(out.str() == "");
}

TEST_CASE("a warning is one line, and names the reference and those contestants that spread") {
  const MatrixResult one = two_contestants(quiet, busy, quiet);
  CHECK(unsteady_contestants(one).size() == 1);
  CHECK(!unsteady_machine(one));
  const std::string of_one = steadiness_warning(one);
  CHECK(of_one.starts_with("unsteady: the times of csr/merge ("));
  CHECK(of_one.find("auto") == std::string::npos);
  CHECK(of_one.find("reference") == std::string::npos);

  const MatrixResult all = two_contestants(busy, busy, busy);
  std::ostringstream out;
  print_steadiness(out, all);
  const std::string text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);  // an empty line, and the text
  CHECK(text.find("the reference operation (" + spread_of(busy) + "), auto (") !=
        std::string::npos);
}

TEST_CASE("of many unsteady contestants six are named, and the others counted") {
  MatrixResult result = two_contestants(quiet, busy, quiet);
  for (int i = 0; i < 8; ++i) result.contestants.push_back(result.contestants[1]);
  CHECK(unsteady_contestants(result).size() == 9);
  CHECK(steadiness_warning(result).find(") and 3 others spread by more") != std::string::npos);
}

TEST_CASE("a contestant that was not timed is not unsteady, and two times say nothing") {
  MatrixResult result = two_contestants({}, Samples{{1, 9}}, {});
  CHECK(steadiness_warning(result) == "");
  CHECK(spread_of(result.contestants[1].time) == "-");
  CHECK(spread_of(quiet) == "2%");
}
