// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Promises of the user: checked on request, relied on otherwise.
#include "../../formats/inspect/definitions.hpp"
#include "../../formats/inspect/recipe/compact_and_pad.hpp"
#include "../../testing/events.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/error_of.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using List = Formats<Shared<CsrFormat>, Shared<BlockedEllFormat>, Shared<DiaFormat>>;
using Type = OnePlanType<List>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

constexpr Promises both{true, true};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("promises: each that is broken is named, with row and entry", T,
                          promises_broken) {
  const typename T::Exec exec;
  const auto says = [&](const Pattern& pattern, const Promises& promises, const char* promise,
                        std::int64_t row, std::int64_t entry) {
    const auto A = to_device<T>(exec, pattern);
    const Error error = error_of([&] { check_promises(exec, A.matrix(), promises); });
    CAPTURE(pattern.name);
    CHECK(error.problem().find(std::string("promises.") + promise + " is broken") == 0);
    CHECK(error.where().row == row);
    CHECK(error.where().entry == entry);
    CHECK(error.remedy().find("do not make the promise") != std::string::npos);
  };
  const Pattern outside{"outside", 5, {{0, 1}, {}, {2, 5}}};
  says(outside, {.in_range = true}, "in_range", 2, 3);
  const Pattern below{"below", 5, {{0, 1}, {-1, 2}}};
  says(below, {.in_range = true}, "in_range", 1, 2);
  const Pattern unsorted{"unsorted", 5, {{}, {4}, {0, 0, 1}, {2, 4, 3}, {1, 0}}};
  says(unsorted, {.sorted = true}, "sorted", 3, 6);
  const Pattern apart{"apart", 5, {{3, 1}, {4, 0, 4}}};
  says(apart, both, "sorted", 0, 1);
  const auto keeps = [&](const Pattern& pattern, const Promises& promises) {
    const auto A = to_device<T>(exec, pattern);
    CHECK_NOTHROW(check_promises(exec, A.matrix(), promises));
  };
  keeps(outside, {.sorted = true});
  keeps(apart, {.in_range = true});
  keeps({"repeated", 5, {{1, 1, 2}}}, both);
  for (const char* name : {"0 x 0", "0 x 7", "7 x 0", "one huge row", "power law", "dense"}) {
    keeps(pattern_named(name), both);
  }
}
TEST_CASE_TEMPLATE_APPLY(promises_broken, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE("promises: a plan holds the user to them, if asked to") {
  const Exec exec;
  const auto bad = make_matrix<double, int, int>(pattern_named("wide"));
  bad.col_idx()(static_cast<std::size_t>(bad.row_ptr()(5))) = bad.columns();
  const auto outside = to_device<Type>(exec, "bad", bad),
             unsorted = to_device<Type>(exec, pattern_named("unsorted columns with duplicates"));
  const auto plan_of = [&](const DeviceMatrix<Type>& A, const Promises& promises, bool checks) {
    return Plan(exec, A.matrix(),
                {.scheme = "csr/scalar", .promises = promises, .check_promises = checks});
  };
  const auto error_with = [&](const DeviceMatrix<Type>& A, const Promises& promises, bool checks) {
    return error_of([&] { plan_of(A, promises, checks); });
  };
  CHECK(error_with(unsorted, {.sorted = true}, true).problem().find("promises.sorted") == 0);
  CHECK_NOTHROW(plan_of(unsorted, {.in_range = true}, true));
  // CSR relies on no promise.
  Plan plan = plan_of(unsorted, both, false);
  CHECK(apply_and_compare(exec, plan, unsorted, Op::none, 1.0, 0.0) == "");

  const Error error = error_with(outside, {.in_range = true}, true);
  CHECK(error.problem().find("promises.in_range") == 0);
  CHECK(error.where().row == 5);
  CHECK_NOTHROW(plan_of(outside, {.in_range = true}, false));
  CHECK(error_with(outside, {}, false).where().row == 5);
}

TEST_CASE("promises: what is vouched for is not looked at, and the bits are the same") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("five-point, rectangular"));
  for (const char* text : {"dia", "blocked-ell", "csr/adaptive"}) {
    const auto bits = [&](const SpmvOptions& options, std::vector<Event>& seen) {
      const Recording recording;
      Plan plan(exec, A.matrix(), options);
      seen = recording.seen();
      const Kokkos::View<double*, Type::Space> x("x", A.rows_of_x()), y("y", A.rows_of_y());
      Kokkos::deep_copy(x, random_vector<double>(A.rows_of_x(), 3));
      plan.apply(exec, 1.0, x, 0.0, y);
      exec.fence("heddle::test::applied");
      return to_host(y);
    };
    CAPTURE(text);
    std::vector<Event> looked, trusted, held, unchecked;
    const SpmvOptions plain{.scheme = Scheme::parse(text), .ops = {Op::transpose}};
    SpmvOptions promised = plain;
    promised.promises = both;
    promised.check_promises = false;
    SpmvOptions checked = promised;
    checked.check_promises = true;
    SpmvOptions careless = plain;
    careless.check = false;
    const auto expected = bits(plain, looked);
    CHECK(same_bits(expected, bits(promised, trusted)));
    CHECK(same_bits(expected, bits(checked, held)));
    CHECK(same_bits(expected, bits(careless, unchecked)));
    CHECK(count(trusted, Event::kernel) == count(looked, Event::kernel));
    CHECK(count(held, Event::kernel) == count(trusted, Event::kernel) + 2);
    // The rows of A and of its transpose are inspected once each; without a promise about columns,
    // A's once more before the pattern is.
    const std::string rows = "heddle::features::rows";
    const bool is_dia = std::string(text) == "dia";  // it transposes natively
    CHECK(count(trusted, rows) == (is_dia ? 1 : 2));
    CHECK(count(looked, rows) == (is_dia ? 1 : 2));
    CHECK(count(unchecked, rows) == 2);
  }
}

TEST_CASE("promises: of sorted columns the first and the last of a row are looked at") {
  const Exec exec;
  using Shape = recipe::PanelShape<int>;
  const auto A = to_device<Type>(exec, Pattern{"not kept", 90, {{5, 80, 7}, {}, {6, 2, 9}, {4}}});
  const auto shapes_of = [&](bool sorted) {
    const Kokkos::View<Shape*, Type::Space> shapes("shapes", 2);
    recipe::panel_shapes(exec, A.matrix().row_ptr().data(), A.matrix().col_idx().data(), 4, 2,
                         static_cast<const int*>(nullptr), shapes.data(), sorted);
    exec.fence("heddle::test::looked");
    std::vector<int> all;
    const auto host = to_host(shapes);
    for (std::size_t i = 0; i < 2; ++i) {
      all.insert(all.end(), {static_cast<int>(host(i).width), host(i).lowest, host(i).highest});
    }
    return all;
  };
  CHECK(shapes_of(false) == std::vector<int>{3, 5, 80, 3, 2, 9});
  CHECK(shapes_of(true) == std::vector<int>{3, 5, 7, 3, 4, 9});
}

}  // namespace heddle::test
