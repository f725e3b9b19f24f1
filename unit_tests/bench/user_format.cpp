// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle-bench verifies a user's own format as it verifies the library's.
#include "../../testing/user_format.hpp"

#include <doctest/doctest.h>

#include "../../perf_tests/bench/spmv/run.hpp"

namespace heddle::bench {

namespace {

MatrixResult run(const std::string& generated) {
  SpmvRequest request;
  request.repetitions = 1;
  request.schemes = {"all", "auto"};
  request.baselines = {"none"};
  Progress progress;
  using List = Formats<CsrFormat, user::DenseFormat>;
  return SpmvRun<double, std::int32_t, List>(request, {generated, true}, progress).run();
}

const ContestantResult& contestant(const MatrixResult& result, const std::string& name) {
  for (const ContestantResult& one : result.contestants) {
    if (one.name == name) return one;
  }
  FAIL("there is no contestant ", name);
  return result.contestants.front();
}

}  // namespace

TEST_CASE("a user's format is verified, timed and chosen") {
  const MatrixResult result = run("grid2d:6");
  CHECK(result.chosen_scheme == "dense");
  for (const char* name : {"dense", "auto", "csr/scalar"}) {
    CHECK(contestant(result, name).verdict == Verdict::ok);
    CHECK(contestant(result, name).timed());
  }
  CHECK(contestant(result, "auto").scheme == "dense");
}

TEST_CASE("what a user's format refuses is told, and the others run") {
  const MatrixResult result = run("grid2d:60");
  CHECK(contestant(result, "dense").verdict == Verdict::unsupported);
  CHECK(contestant(result, "dense").note.find("more than a megabyte") != std::string::npos);
  CHECK(contestant(result, "auto").verdict == Verdict::ok);
}

}  // namespace heddle::bench
