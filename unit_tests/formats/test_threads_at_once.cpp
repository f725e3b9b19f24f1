// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// More threads than processors: at most as many shares wait for each other as threads run at once,
// and any number gives right results.
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/assumed_processors.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Tested = Formats<Shared<CsrFormat>, Shared<CooFormat>>;
using Type = OnePlanType<Tested>;
using Exec = Type::Exec;

}  // namespace

TEST_CASE("threads at once: products are right, whatever the number when the plan was made") {
  const Exec exec;
  const auto A = to_device<Type>(
      exec, random_pattern("random", 5, 20000, 20000,
                           [](std::int64_t i) { return i % 3000 == 1 ? 9000 : i % 9; }));
  const CheckedProduct<Type> product(A, Op::none, 1.0, 0.0);
  const TestedSchemes<Type> schemes(exec);
  for (const Scheme& scheme : schemes.base()) {
    for (const int then : {1, 2, 1000000}) {
      const AssumedProcessors assumed(then);
      Type::Plan<> plan(exec, A.matrix(), {.scheme = scheme}, Tested());
      CAPTURE(plan.scheme().to_string());
      for (const int now : {1000000, 2, 1}) {
        const AssumedProcessors later(now);
        CHECK(product.problem(exec, plan) == "");
      }
    }
  }
}

TEST_CASE("threads at once: shares and predictions count processors") {
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    if (exec.concurrency() < 2) return;
    const auto A = to_device<Type>(
        exec, random_pattern("random", 5, 20000, 20000, [](std::int64_t) { return 7; }));
    const auto made = [&](int processors, const char* scheme) {
      const AssumedProcessors assumed(processors);
      return Type::Plan<>(exec, A.matrix(), {.scheme = Scheme::parse(scheme)}, Tested()).bytes();
    };
    CHECK(made(1, "csr/merge") < made(2, "csr/merge"));
    CHECK(made(1, "coo") < made(2, "coo"));
    const auto predicted = [&](int processors) {
      const AssumedProcessors assumed(processors);
      return Type::Plan<>(exec, A.matrix(), {}, Tested()).ranking().front().prediction.seconds;
    };
    CHECK(predicted(1) > predicted(2));
  }
}

}  // namespace heddle::test
