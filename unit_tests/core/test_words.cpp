// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Words of enumerators.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "../../core/files/matrix_market_header.hpp"
#include "../../core/types.hpp"
#include "../../solvers/gauss_seidel/options.hpp"
#include "../../solvers/ilu/options.hpp"
#include "../../solvers/krylov/options.hpp"
#include "../../solvers/lobpcg/options.hpp"
#include "../../solvers/multigrid/options.hpp"
#include "../../solvers/ordered/sweep.hpp"
#include "../../solvers/sgd/options.hpp"
#include "../../solvers/triangle/triangle.hpp"

namespace {

using heddle::Error;
using namespace heddle::detail;

/// Whether an enum has an enumerator of this value: compilers print any other value as a cast.
template <auto value>
bool is_enumerator() {
  const std::string_view text = __PRETTY_FUNCTION__;
  const auto at = text.find("value = ");
  REQUIRE(at != std::string_view::npos);
  return text[at + 8] != '(';
}

TEST_CASE_TEMPLATE("every enumerator has a word, by which it is found again", E, heddle::Op,
                   heddle::Symmetry, heddle::SweepDirection, heddle::ReadsAhead, heddle::Triangle,
                   heddle::Diagonal, heddle::GaussSeidelOrder, heddle::FactorValues,
                   heddle::MultigridKind, heddle::MultigridCycle, heddle::MultigridSmoother,
                   heddle::MultigridMeasure, heddle::MultigridValues, heddle::RelativeTo,
                   heddle::KrylovBasis, heddle::Outcome, heddle::Wanted, heddle::EigenRelativeTo,
                   heddle::EigenOutcome, heddle::SgdSchedule, heddle::MatrixMarketFormat,
                   heddle::MatrixMarketField, heddle::MatrixMarketSymmetry) {
  constexpr int count = std::size(words<E>);
  for (int i = 0; i < count; ++i) {
    const auto& [value, word] = words<E>[i];
    CHECK(value == static_cast<E>(i));
    CHECK(heddle::name(value) == std::string(word));
    CHECK(value_of<E>("options.option", word) == value);
  }
  CHECK(is_enumerator<static_cast<E>(count - 1)>());
  CHECK_FALSE(is_enumerator<static_cast<E>(count)>());
  CHECK_THROWS_WITH_AS(value_of<E>("options.option", "sideways"),
                       doctest::Contains("options.option is 'sideways'; give '"), Error);
  CHECK(heddle::name(static_cast<E>(count)) == std::string("?"));
}

TEST_CASE("an unknown word is an error that lists the known ones") {
  CHECK_THROWS_WITH_AS(value_of<heddle::SweepDirection>("--sweep", "up"),
                       "heddle: --sweep is 'up'; give 'forward', 'backward' or 'symmetric'", Error);
  CHECK(word_list<heddle::Triangle>() == std::vector<std::string>{"lower", "upper"});
}

}  // namespace
