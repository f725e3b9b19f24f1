// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../perf_tests/bench/common/table.hpp"

#include <doctest/doctest.h>

#include <sstream>

using namespace heddle::bench;

namespace {

MatrixResult two_contestants() {
  MatrixResult result;
  result.apply_bytes = 48000;
  ContestantResult scheme, peer;
  scheme.name = "csr/scalar";
  scheme.is_scheme = true;
  peer.name = "kk-native";
  for (ContestantResult* c : {&scheme, &peer}) {
    c->verdict = Verdict::ok;
    c->setup.seconds = {1e-3};
    c->time.seconds.assign(10, c->is_scheme ? 1e-6 : 2e-6);
  }
  result.contestants = {scheme, peer};
  return result;
}

std::string table_of(const MatrixResult& result) {
  std::ostringstream out;
  print_rows(out, result,
             {setup_column(), time_column(), moved_column(),
              peer_column([&](const auto&) { return result.best_baseline(); })});
  return out.str();
}

}  // namespace

TEST_CASE(
    "what an apply really moves is a column where somebody knows it, and who did not run says "
    "why") {
  MatrixResult result = two_contestants();
  CHECK(table_of(result).find("moved") == std::string::npos);
  result.contestants[0].moved_bytes = 52300;
  CHECK(table_of(result).find("moved") != std::string::npos);
  CHECK(table_of(result).find("52.3 KB    2.00x  ok\n") != std::string::npos);

  result.contestants[1].time.seconds.clear();
  result.contestants[1].note = "too large";
  CHECK(table_of(result).find("not run: too large\n") != std::string::npos);
  CHECK(table_of(result).find("-  ok\n") != std::string::npos);
}
