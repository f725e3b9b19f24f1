// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of the fields of options; that of every struct is checked where it is included.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "../../formats/plan/fields.hpp"
#include "../../solvers/gauss_seidel/fields.hpp"
#include "../../solvers/ilu/fields.hpp"
#include "../../solvers/krylov/fields.hpp"
#include "../../solvers/lobpcg/fields.hpp"
#include "../../solvers/multigrid/fields.hpp"
#include "../../solvers/sgd/fields.hpp"
#include "../../solvers/sptrsv/fields.hpp"
#include "../../solvers/wavefronts/fields.hpp"

namespace {

using heddle::Error;
using namespace heddle::detail;

struct Some {
  int number = 1;
  std::optional<double> ratio = std::nullopt;
  heddle::ExpectedVectors vectors = {};
  std::string text = {};
};

template <class... Fields>
constexpr bool all_of_some(const Fields&... of) {
  return are_all_fields(std::tuple{of...});
}

constexpr auto number = field("number", &Some::number, "a number", within(0, 64));
constexpr auto ratio = field("ratio", &Some::ratio, "a ratio", between(0, 2));
constexpr auto vectors = field("vectors", &Some::vectors, "vectors", at_least(1));
constexpr auto text = field("text", &Some::text, "a text");

TEST_CASE("a table that lacks a field, or has it elsewhere, does not compile") {
  CHECK(all_of_some(number, ratio, vectors, text));
  CHECK_FALSE(all_of_some(number, ratio, vectors));
  CHECK_FALSE(all_of_some(ratio, vectors, text));
  CHECK_FALSE(all_of_some(number, vectors, ratio, text));
}

}  // namespace

template <>
inline constexpr auto heddle::detail::fields<Some> = std::tuple{number, ratio, vectors, text};

namespace {

TEST_CASE("a number out of its range is an error that says what to give") {
  const double nan = std::nan("");
  const std::pair<Some, const char*> wrong[] = {
      {{.number = 65}, "heddle: options.number is 65; give 0 to 64: a number"},
      {{.number = -1}, "heddle: options.number is -1; give 0 to 64: a number"},
      {{.ratio = 2.0},
       "heddle: options.ratio is 2; give a number of more than 0 and less than 2: a ratio"},
      {{.ratio = nan},
       "heddle: options.ratio is nan; give a number of more than 0 and less than 2: a ratio"},
      {{.vectors = {.count = 0}}, "heddle: options.vectors.count is 0; give 1 or more: vectors"}};
  for (const auto& [options, why] : wrong) {
    CHECK_THROWS_WITH_AS(check_fields(options), why, Error);
  }
  CHECK_NOTHROW(check_fields(Some{.number = 64, .ratio = 1.999}));
  CHECK_NOTHROW(check_fields(Some{.number = 0}));
}

TEST_CASE("ranges") {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const struct {
    Range range;
    double in, out;
    const char* remedy;
  } rows[] = {{at_least(0), infinity, nan, "give 0 or more"},
              {at_least(-1), -1, -2, "give -1 or more"},
              {above(1), 1.5, 1, "give a number above 1"},
              {above(1), infinity, nan, "give a number above 1"},
              {finite_from(0), 1e300, infinity, "give a finite number, 0 or more"},
              {within(0, 1 << 30), 1 << 30, 2e9, "give 0 to 1073741824"}};
  for (const auto& [range, in, out, remedy] : rows) {
    CHECK(range.has(in));
    CHECK_FALSE(range.has(out));
    CHECK(remedy_of(range) == std::string(remedy));
  }
  CHECK(Range().has(nan));
}

}  // namespace
