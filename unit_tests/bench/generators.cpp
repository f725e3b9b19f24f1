// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <heddle/core/error.hpp>

using heddle::bench::generate;
using heddle::bench::generators;
using heddle::bench::Pattern;

namespace {

std::int64_t longest_row(const Pattern& pattern) {
  std::int64_t longest = 0;
  for (std::int64_t i = 0; i < pattern.rows; ++i) {
    longest = std::max(longest, pattern.row_ptr[i + 1] - pattern.row_ptr[i]);
  }
  return longest;
}

void check_csr(const Pattern& pattern) {
  REQUIRE(pattern.row_ptr.size() == static_cast<std::size_t>(pattern.rows) + 1);
  REQUIRE(pattern.row_ptr.front() == 0);
  REQUIRE(pattern.nonzeros() == static_cast<std::int64_t>(pattern.col_idx.size()));
  for (std::int64_t i = 0; i < pattern.rows; ++i) {
    for (std::int64_t k = pattern.row_ptr[i]; k < pattern.row_ptr[i + 1]; ++k) {
      REQUIRE(pattern.col_idx[k] >= 0);
      REQUIRE(pattern.col_idx[k] < pattern.columns);
      if (k > pattern.row_ptr[i]) REQUIRE(pattern.col_idx[k - 1] < pattern.col_idx[k]);
    }
  }
}

}  // namespace

TEST_CASE("every generator makes sorted CSR, the same from the same seed") {
  const char* texts[] = {"grid2d:7",    "grid2d:7,9",           "grid3d:4",
                         "grid3d:4,27", "banded:50,5,4",        "diagonal:40,3",
                         "random:30,4", "random:30,4,100",      "rmat:6,4",
                         "hub:200,3",   "rectangular:9,500,40", "hypersparse:300,20",
                         "dense:6,9",   "hypersparse:10,0",     "rmat:0"};
  for (const char* text : texts) {
    CAPTURE(text);
    const Pattern pattern = generate(text, 5);
    check_csr(pattern);
    const Pattern again = generate(text, 5);
    CHECK(pattern.row_ptr == again.row_ptr);
    CHECK(pattern.col_idx == again.col_idx);
  }
  for (const char* text : {"banded:50,5,4", "random:30,4", "rmat:6,4", "hub:200,3"}) {
    CHECK(generate(text, 1).col_idx != generate(text, 2).col_idx);
  }
}

TEST_CASE("grids have the nonzeros of their stencils") {
  CHECK(generate("grid2d:10", 1).nonzeros() == 5 * 100 - 4 * 10);
  CHECK(generate("grid2d:10,9", 1).nonzeros() == 28 * 28);
  CHECK(generate("grid3d:5", 1).nonzeros() == 7 * 125 - 6 * 25);
  CHECK(generate("grid3d:5,27", 1).nonzeros() == 13 * 13 * 13);
  CHECK(generate("grid2d:1", 1).nonzeros() == 1);
}

TEST_CASE("the irregular ones are irregular") {
  const Pattern hub = generate("hub:2000", 1);
  CHECK(longest_row(hub) > 500);
  CHECK(hub.nonzeros() < 10 * hub.rows + 2000);
  const Pattern power = generate("rmat:10,8", 1);
  CHECK(longest_row(power) > 10 * power.nonzeros() / power.rows);
  const Pattern program = generate("rectangular:200,10000,100", 1);
  CHECK(longest_row(program) > 500);
}

TEST_CASE("what cannot be made says how it is written") {
  const auto remedy = [](const char* text) -> std::string {
    try {
      generate(text, 1);
    } catch (const heddle::Error& error) {
      return error.remedy();
    }
    return "no error";
  };
  CHECK(remedy("grid4d:3").find("grid2d") != std::string::npos);
  CHECK(remedy("grid2d:3,7") == "write grid2d:N[,5|9]");
  CHECK(remedy("grid2d:x") == "write grid2d:N[,5|9]");
  CHECK(remedy("grid2d:3,5,1") == "write grid2d:N[,5|9]");
  CHECK(remedy("grid2d:1e30") == "write grid2d:N[,5|9]");
  CHECK(remedy("rmat:-1") == "write rmat:SCALE[,PER_ROW]");
  CHECK(remedy("banded:1.5,2,3") == "write banded:ROWS,HALF,PER_ROW");
  CHECK(generators().size() == 10);
}
