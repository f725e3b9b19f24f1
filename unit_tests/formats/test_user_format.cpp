// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A user's own format and one of the library's; testing/format_suite.hpp tests the contract of
// every format.
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../../testing/user_format.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using List = Formats<Shared<CsrFormat>, user::DenseFormat>;
using UserType = OnePlanType<List>;

TEST_CASE("a user's format is chosen, and transposes by itself") {
  const UserType::Exec exec;
  const auto A = to_device<UserType>(exec, pattern_named("dense"));
  SpmvPlan plan(exec, A.matrix(), {}, List());
  CHECK(plan.scheme().to_string() == "dense");
  CHECK(plan.reason() == "the matrix is small, and no index is read");
  CHECK(plan.ranking().back().scheme.format() == "csr");
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    CHECK(plan.scheme(op) == plan.scheme());
    CHECK(apply_and_compare(exec, plan, A, op, 2.0, -1.0) == "");
  }
  CHECK(plan.bytes() == 8 * 33 * 65);
}

TEST_CASE("a user's format and the library's are pinned alike") {
  const UserType::Exec exec;
  const auto A = to_device<UserType>(exec, pattern_named("dense"));
  for (const char* text : {"dense", "csr/merge", "csr/scalar"}) {
    SpmvPlan plan(exec, A.matrix(), {.scheme = Scheme::parse(text)}, List());
    CHECK(plan.scheme().format() == Scheme::parse(text).format());
    CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  }
  CHECK_THROWS_WITH_AS(SpmvPlan(exec, A.matrix(), {.scheme = Scheme("dence")}, List()),
                       doctest::Contains("did you mean 'dense'? give one of: csr, dense"), Error);
  // The stored transpose of a csr plan may be dense.
  SpmvPlan plan(exec, A.matrix(),
                {.scheme = Scheme::parse("csr/merge"),
                 .transposed_scheme = Scheme("dense"),
                 .ops = {Op::transpose}},
                List());
  CHECK(plan.scheme(Op::transpose).to_string() == "dense");
  CHECK(apply_and_compare(exec, plan, A, Op::transpose, 1.0, 0.0) == "");
}

TEST_CASE("a format that makes no executor is an error that names the scheme") {
  CHECK_THROWS_WITH_AS(heddle::detail::throw_no_executor(Scheme("dense")),
                       doctest::Contains("no format made an executor for scheme 'dense'"), Error);
}

TEST_CASE("what a user's format refuses, another holds") {
  const UserType::Exec exec;
  const auto A = to_device<UserType>(exec, pattern_named("tridiagonal"));
  SpmvPlan plan(exec, A.matrix(), {}, List());
  CHECK(plan.scheme().format() == "csr");
  CHECK(plan.ranking().back().scheme.to_string() == "dense");
  CHECK(plan.ranking().back().prediction.refusal == "it would hold more than a megabyte");
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  CHECK_THROWS_AS(SpmvPlan(exec, A.matrix(), {.scheme = Scheme("dense")}, List()), Refusal);
  const auto alone = [&] { SpmvPlan(exec, A.matrix(), {}, Formats<user::DenseFormat>()); };
  CHECK_THROWS_WITH_AS(alone(), doctest::Contains("more than a megabyte"), Refusal);
}

TEST_CASE("a format that copies values is not chosen where they are to be read in place") {
  const UserType::Exec exec;
  const auto A = to_device<UserType>(exec, pattern_named("dense"));
  SpmvPlan plan(exec, A.matrix(), {.values_in_place = true}, List());
  CHECK(plan.scheme().format() == "csr");
  CHECK(plan.ranking().back().scheme.to_string() == "dense");
  CHECK(plan.ranking().back().prediction.refusal.find("copies the values") != std::string::npos);
}

}  // namespace heddle::test
