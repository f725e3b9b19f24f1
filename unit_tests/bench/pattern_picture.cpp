// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <numeric>

#include "../../perf_tests/bench/common/results.hpp"
#include "../../testing/generate.hpp"
#include "../../testing/matrices.hpp"

using heddle::bench::PatternPicture;
using heddle::bench::picture_of;

namespace {

PatternPicture picture(const char* text) {
  const auto storage = heddle::test::make_matrix<double, std::int32_t, std::int64_t>(
      heddle::test::generate(text, 1));
  return picture_of(storage.matrix());
}

}  // namespace

TEST_CASE("a small matrix is its own picture") {
  CHECK(picture("diagonal:3").lines == std::vector<std::string>{"9  ", " 9 ", "  9"});
  CHECK(picture("dense:2,5").lines == std::vector<std::string>{"99999", "99999"});
  CHECK(picture("grid2d:2").lines == std::vector<std::string>{"999 ", "99 9", "9 99", " 999"});
}

TEST_CASE("a large one is 64 cells each way, shaded by what they hold") {
  const PatternPicture one = picture("diagonal:6400");
  REQUIRE(one.lines.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) {
    REQUIRE(one.lines[i].size() == 64);
    for (std::size_t j = 0; j < 64; ++j) {
      // 100 of 10,000 places: the density is lower by a factor of 4^3, not of 4^4.
      CHECK(one.lines[i][j] == (i == j ? '6' : ' '));
    }
  }
  CHECK(picture("dense:1,1000").lines == std::vector<std::string>{std::string(64, '9')});
  CHECK(picture("hypersparse:100,0").lines == std::vector<std::string>(64, std::string(64, ' ')));
  CHECK(picture("random:0,0,7").lines.empty());
}

TEST_CASE("rows are counted by their lengths, in bins that double") {
  CHECK(picture("grid2d:10").row_lengths == std::vector<std::int64_t>{0, 0, 4, 96});
  CHECK(picture("dense:3,8").row_lengths == std::vector<std::int64_t>{0, 0, 0, 0, 3});
  CHECK(picture("hypersparse:100,0").row_lengths == std::vector<std::int64_t>{100});
  const auto lengths = picture("hub:2000").row_lengths;
  CHECK(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}) == 2000);
  CHECK(lengths.back() > 0);
}
