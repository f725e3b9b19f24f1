// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan: its options and its errors, formats of a user beside the library's, and more threads
// than processors: at most as many shares wait for each other as threads run at once, and any
// number gives right results. testing/format_suite.hpp tests the contract of every format, plans/
// that of every plan.
#include <cmath>

#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/device.hpp"
#include "../../backends/host/one_thread.hpp"
#include "../../core/operator.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../../testing/user_format.hpp"
#include "../support/assumed_processors.hpp"
#include "../support/error_of.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using Csr = Formats<Shared<CsrFormat>>;
using Type = OnePlanType<Csr>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

namespace {

const Scheme scalar("csr", {{"scalar"}});

/// A format that only notes whether its last product was to run on one thread.
bool noted_one_thread = false;
template <class E, class Matrix, class V, class Acc>
struct NotedExecutor final : SpmvExecutor<E, Matrix, V, Acc> {
  Scheme name{"noted"};
  const Scheme& scheme() const override { return name; }
  std::size_t bytes() const override { return 0; }
  double moved_bytes(Op, int, bool) const override { return 0; }
  void apply(const E&, Op, Acc, const Multivector<const V>&, Acc, const Multivector<V>&) override {
    noted_one_thread = backends::OneThread::is_wanted();
  }
  void update_values(const E&, const Matrix&) override {}
};
struct NotedFormat {
  static constexpr const char* name = "noted";
  static SchemeGrammar grammar(const Device&) { return {name, {}}; }
  static std::vector<Scheme> candidates(const Features&, const Device&) { return {Scheme(name)}; }
  static bool applies(Op, const Scheme&) { return true; }
  static Prediction predict(const Scheme&, const Features&, const Device&, const Sizes&) {
    return {1e-6, 1e-6, 0, 0, false, "it does nothing"};
  }
  template <Scalar V, Scalar Acc, ExecutionSpace E, class Matrix>
  static std::unique_ptr<SpmvExecutor<E, Matrix, V, Acc>> inspect(const Inspection<E, Matrix>&,
                                                                  const Scheme&) {
    return std::make_unique<NotedExecutor<E, Matrix, V, Acc>>();
  }
};

}  // namespace

TEST_CASE("plan: a small product takes one thread of a CPU, a large one all") {
  const Exec exec;
  const bool before = backends::let_small_plans_take_one_thread(true);
  const auto takes_one = [&](std::int64_t rows, std::size_t vectors) {
    const auto A = to_device<Type>(exec, banded_pattern("tridiagonal", rows, rows, {-1, 0, 1}));
    const auto size = static_cast<std::size_t>(rows);
    const Vectors<double, Type::Space> x(size, vectors, true), y(size, vectors, true);
    SpmvPlan<Exec, Type::Matrix, double, double, Formats<NotedFormat>> plan(exec, A.matrix());
    plan.apply(exec, 1.0, x.view(), 0.0, y.view());
    CHECK(!backends::OneThread::is_wanted());
    return noted_one_thread;
  };
  const bool on_host = backends::runs_on_host<Exec>;
  const bool alone = on_host && exec.concurrency() == 1;
  CHECK(takes_one(300, 1) == on_host);
  CHECK(takes_one(300, 100) == alone);
  CHECK(takes_one(100000, 1) == alone);
  backends::let_small_plans_take_one_thread(false);
  CHECK(!takes_one(300, 1));
  backends::let_small_plans_take_one_thread(before);
}

TEST_CASE("plan: a column out of range is noticed by checks alone, a bad row pointer always") {
  const Exec exec;
  const auto bad = make_matrix<double, int, int>(pattern_named("wide"));
  const auto row_of_error = [&](const SpmvOptions& options) {
    const auto device = to_device<Type>(exec, "bad", bad);
    return error_of([&] { Plan(exec, device.matrix(), options); }).where().row;
  };
  bad.col_idx()(static_cast<std::size_t>(bad.row_ptr()(5))) = -1;
  CHECK(row_of_error({}) == 5);
  const auto device = to_device<Type>(exec, "bad", bad);
  CHECK_NOTHROW(Plan(exec, device.matrix(), {.check = false}));
  bad.row_ptr()(6) = bad.row_ptr()(5) - 1;
  for (const bool check : {true, false}) CHECK(row_of_error({.check = check}) == 5);
}

TEST_CASE("plan: offsets are as wide as ordinals, or wider") {
  using Space = Type::Space;
  static_assert(counts_own_ordinals<CsrMatrix<double, int, int, Space>>);
  static_assert(counts_own_ordinals<CsrMatrix<double, int, std::size_t, Space>>);
  static_assert(counts_own_ordinals<CsrMatrix<double, std::int64_t, std::int64_t, Space>>);
  static_assert(!counts_own_ordinals<CsrMatrix<double, std::int64_t, int, Space>>);
}

TEST_CASE("plan: wrong options are errors that say what is right") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("wide"));
  const std::pair<SpmvOptions, const char*> wrong[] = {
      {{.scheme = Scheme::parse("csr/merg")}, "csr/adaptive"},
      {{.scheme = Scheme::parse("cs/merge")}, "csr"},
      {{.scheme = Scheme::parse("csr/subwarp=3")}, "csr"},
      {{.scheme = Scheme::parse("csr")}, "csr"},
      {{.scheme = Scheme::parse("csr/subwarp=128")}, "csr"},
      {{.vectors = {0}}, "options.vectors.count is 0"},
      {{.expected_applies = -1}, "options.expected_applies is -1"},
      {{.bytes_per_second = -1e9}, "options.bytes_per_second is -1"},
      {{.bytes_per_second = std::nan("")}, "options.bytes_per_second is"},
      {{.transposed_scheme = Scheme("cs"), .ops = {Op::transpose}}, "csr"}};
  for (const auto& [options, why] : wrong) {
    CHECK_THROWS_WITH_AS(Plan(exec, A.matrix(), options), doctest::Contains(why), Error);
  }
  CHECK(Plan(exec, A.matrix(), {.scheme = "csr/merge"}).scheme().has("merge"));
  CHECK_NOTHROW(Plan(exec, A.matrix(), {.expected_applies = 0}));
}

TEST_CASE("plan: a dot beside a product is of one vector, and zero of none") {
  const Exec exec;
  const Kokkos::View<double, Type::Space> result("heddle::test::dot");
  const VectorWorkspace<Exec, double> workspace(exec, 1, 100);
  const auto number = [&] {
    double host = 0;
    exec.fence("heddle::test::dot");
    Kokkos::deep_copy(host, result);
    return host;
  };
  const auto A = to_device<Type>(exec, pattern_named("wide"));
  const std::size_t rows = A.rows_of_y(), columns = A.rows_of_x();
  Plan plan(exec, A.matrix(), {.scheme = scalar});
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", columns),
      y("heddle::test::y", rows);
  CHECK(mentions(error_of([&] { plan.apply_dot(exec, x, y, workspace, result); }),
                 "x has " + std::to_string(columns) + " rows and y "));
  Kokkos::deep_copy(y, 2.0);
  plan.apply_dot(exec, Op::none, 0.0, x, 3.0, y, workspace, result, true);  // A is not read
  CHECK(number() == doctest::Approx(36.0 * static_cast<double>(rows)));
  const Kokkos::View<double**, Type::Space> two("heddle::test::two", columns, 2),
      of_two("heddle::test::of_two", rows, 2);
  CHECK(mentions(error_of([&] { plan.apply_dot(exec, two, of_two, workspace, result, true); }),
                 "apply_dot is given 2 vectors"));
  const auto none = to_device<Type>(exec, pattern_named("0 x 7"));
  Plan of_none(exec, none.matrix());
  const Kokkos::View<double*, Type::Space> of_x("heddle::test::of_x", none.rows_of_x()),
      of_y("heddle::test::of_y", 0);
  of_none.apply_dot(exec, of_x, of_y, workspace, result, true);
  CHECK(number() == 0);
}

TEST_CASE("plan: x and y are named where they do not fit, also by spmv()") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  REQUIRE(A.rows_of_x() == A.rows_of_y());
  const std::size_t n = A.rows_of_x();
  Plan plan(exec, A.matrix());
  const Kokkos::View<double**, Kokkos::LayoutRight, Type::Space> beside("x", n, 4);
  const auto columns = [&](int from, int to) {
    return Kokkos::subview(beside, Kokkos::ALL, std::pair(from, to));
  };
  const auto refuses = [&](const auto& x, const auto& y, const char* why) {
    CHECK_THROWS_WITH_AS(plan.apply(exec, x, y), doctest::Contains(why), Error);
    CHECK_THROWS_WITH_AS(spmv(exec, 1.0, A.matrix(), x, 0.0, y), doctest::Contains(why), Error);
  };
  refuses(columns(0, 2), columns(1, 3), "x and y overlap");
  refuses(columns(0, 2), columns(2, 3), "x holds 2 vectors and y 1");
  plan.apply(exec, columns(0, 2), columns(2, 4));
  spmv(exec, 1.0, A.matrix(), columns(0, 2), 0.0, columns(2, 4));
  exec.fence("heddle::test::applied");
  // An empty vector shares nothing, whatever its address.
  const auto none = to_device<Type>(exec, Pattern{"no rows", 3, {}});
  Plan of_none(exec, none.matrix());
  const auto column = Kokkos::subview(beside, Kokkos::ALL, 0);
  CHECK_NOTHROW(of_none.apply(exec, Kokkos::subview(column, std::pair(0, 3)),
                              Kokkos::subview(column, std::pair(1, 1))));
}

TEST_CASE("plan: a vector of rank 1 and one of rank 2") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix());
  const auto x = random_columns<double, Kokkos::LayoutRight>(A.rows_of_x(), 3, 3);
  const auto y = random_vector<double>(A.rows_of_y(), 4);
  const auto x_device = copy_to<Type::Space>(x);
  const auto y_device = copy_to<Type::Space>(y);
  plan.apply(exec, 2.0, Kokkos::subview(x_device, Kokkos::ALL, std::pair(2, 3)), -1.0, y_device);
  exec.fence("heddle::test::applied");
  CHECK(mismatch(reference_spmv(Op::none, 2.0, A.host.matrix(), Kokkos::subview(x, Kokkos::ALL, 2),
                                -1.0, y),
                 to_host(y_device)) == "");
}

TEST_CASE("plan: ops are prepared with it, later, or an error") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.scheme = scalar});
  const auto transposed = [&](Plan& by) {
    return apply_and_compare(exec, by, A, Op::conjugate_transpose, 1.0, 0.0);
  };
  CHECK(mentions(error_of([&] { transposed(plan); }), "SpmvOptions::ops"));
  CHECK(mentions(error_of([&] { (void)plan.moved_bytes(Op::transpose); }), "prepare(exec, op)"));
  plan.prepare(exec, Op::transpose);  // one stored transpose for both ops
  CHECK(transposed(plan) == "");
  CHECK(plan.scheme() == Plan(exec, A.matrix(), {.scheme = scalar}).scheme());

  Plan both(exec, A.matrix(), {.transposed_scheme = scalar, .ops = {Op::transpose}});
  CHECK(both.scheme(Op::transpose).has("scalar"));
  CHECK(both.ranking(Op::transpose).empty());
  CHECK(!both.ranking().empty());
  CHECK(both.bytes() > A.host.bytes());
  CHECK(transposed(both) == "");
}

TEST_CASE("plan: values in place leave room for a native transpose alone") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.values_in_place = true});
  CHECK(mentions(error_of([&] { plan.prepare(exec, Op::transpose); }), "transpose=atomics"));
  const Scheme atomics = "csr/scalar,transpose=atomics";
  Plan native(exec, A.matrix(),
              {.scheme = atomics, .ops = {Op::transpose}, .values_in_place = true});
  CHECK(native.bytes() == 0);
  Plan chosen(exec, A.matrix(), {.ops = {Op::transpose}, .values_in_place = true});
  CHECK(chosen.scheme().has("transpose"));
  CHECK(chosen.scheme(Op::transpose) == chosen.scheme());
  for (Plan* const one : {&plan, &native, &chosen}) {
    CHECK(apply_and_compare(exec, *one, A, Op::none, 1.0, 0.0) == "");
    if (one == &plan) continue;
    CHECK(apply_and_compare(exec, *one, A, Op::transpose, 1.0, 0.0) == "");
  }
}

namespace {

/// y = 2 x, one vector at a time.
struct Doubles {
  int size;
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    static_assert(X::rank() == 1);
    Kokkos::deep_copy(kokkos_space(exec), y, x);
    const auto values = y;
    Kokkos::parallel_for(
        "heddle::test::doubles",
        Kokkos::RangePolicy<KokkosSpace<Exec>>(kokkos_space(exec), 0, size),
        KOKKOS_LAMBDA(int i) { values(i) *= 2; });
  }
  int rows() const { return size; }
  int columns() const { return size; }
};

}  // namespace

TEST_CASE("operator: a plan or a function as one type gives what that gives") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  const auto n = A.rows_of_x();
  using Any = Operator<double, Exec>;
  Plan plan(exec, A.matrix());
  const Any borrowed(plan), owned(Plan(exec, A.matrix())), function(Doubles{static_cast<int>(n)});
  CHECK(borrowed.rows() == plan.rows());
  CHECK(borrowed.columns() == plan.columns());
  CHECK(borrowed.capturable());
  CHECK(!function.capturable());
  CHECK(borrowed.version() == plan.version());
  plan.update_values(exec, A.matrix());
  CHECK(borrowed.version() == plan.version());
  CHECK(!(function.version() == function.version()));

  const auto check_alike = [&](const auto& x, const auto& y, const auto& expected) {
    Kokkos::deep_copy(kokkos_space(exec), x, 1.5);
    plan.apply(exec, x, expected);
    for (const Any& any : {borrowed, owned}) {
      Kokkos::deep_copy(kokkos_space(exec), y, 0.0);
      any.apply(exec, x, y);
      const auto ours = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      const auto theirs = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
      for (std::size_t k = 0; k < ours.span(); ++k) CHECK(ours.data()[k] == theirs.data()[k]);
    }
  };
  using Left = Kokkos::View<double**, Kokkos::LayoutLeft, Type::Space>;
  using Right = Kokkos::View<double**, Kokkos::LayoutRight, Type::Space>;
  check_alike(Left("x", n, 3), Left("y", n, 3), Left("z", n, 3));
  check_alike(Right("x", n, 3), Right("y", n, 3), Right("z", n, 3));
  using Vector = Kokkos::View<double*, Type::Space>;
  check_alike(Vector("x", n), Vector("y", n), Vector("z", n));

  const Left x("x", n, 2), y("y", n, 2);
  Kokkos::deep_copy(kokkos_space(exec), x, 1.5);
  function.apply(exec, x, y);
  const auto doubled = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  CHECK(doubled(0, 0) == 3);
  CHECK(doubled(n - 1, 1) == 3);
  const Right rows("x", n, 2);
  CHECK(mentions(error_of([&] { function.apply(exec, rows, rows); }), "contiguous"));
}

TEST_CASE("plan: what is pinned is not ranked, what is chosen is") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  const Plan pinned(exec, A.matrix(), {.scheme = scalar});
  CHECK(pinned.reason() == "pinned by the caller");
  CHECK(pinned.ranking().empty());
  const Plan chosen(exec, A.matrix());
  CHECK(chosen.ranking().size() >= 3);
  CHECK(chosen.reason() == chosen.ranking().front().prediction.reason);
  CHECK(chosen.ranking().front().scheme.kernel() == chosen.scheme().kernel());
}

TEST_CASE("plan: predictions take the speed of memory that options give") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  const auto seconds = [&](double bytes_per_second) {
    const Plan plan(exec, A.matrix(), {.bytes_per_second = bytes_per_second});
    return plan.ranking().front().prediction.seconds;
  };
  const Device device = backends::describe(exec);
  CHECK(seconds(0) == seconds(estimated_bytes_per_second(device)));
  // Memory so slow that nothing else counts.
  CHECK(seconds(1e3) / seconds(1e2) == doctest::Approx(0.1).epsilon(0.01));
}

TEST_CASE("plan: applies that overlap are found") {
  const Kokkos::DefaultHostExecutionSpace host;
  const heddle::detail::OverlapCheck<Kokkos::DefaultHostExecutionSpace> check(host, true);
  check.enter(host);
  check.leave(host);
  check.enter(host);
  CHECK_THROWS_AS(check.enter(host), Error);
  check.leave(host);
  CHECK_NOTHROW(check.enter(host));
  check.leave(host);
  // An apply that throws has ended too.
  using Apply = heddle::detail::OverlapCheck<Kokkos::DefaultHostExecutionSpace>::Apply;
  try {
    const Apply apply(check, host);
    CHECK_THROWS_AS(Apply(check, host), Error);
    throw std::runtime_error("of the apply");
  } catch (const std::runtime_error&) {
  }
  CHECK_NOTHROW(Apply(check, host));
  // Without the check it launches nothing and finds nothing.
  const heddle::detail::OverlapCheck<Kokkos::DefaultHostExecutionSpace> off(host, false);
  off.enter(host);
  CHECK_NOTHROW(off.enter(host));
}

namespace {

using WithUsers = Formats<Shared<CsrFormat>, user::DenseFormat>;

auto plan_with_users(const DeviceMatrix<Type>& A, const SpmvOptions& options) {
  return SpmvPlan(Exec(), A.matrix(), options, WithUsers());
}

}  // namespace

TEST_CASE("a user's format is chosen or pinned as the library's, and transposes by itself") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("dense"));
  auto plan = plan_with_users(A, {});
  CHECK(plan.scheme().to_string() == "dense");
  CHECK(plan.reason() == "the matrix is small, and no index is read");
  CHECK(plan.ranking().back().scheme.format() == "csr");
  for (const Op op : {Op::none, Op::transpose, Op::conjugate_transpose}) {
    CHECK(plan.scheme(op) == plan.scheme());
    CHECK(apply_and_compare(exec, plan, A, op, 2.0, -1.0) == "");
  }
  CHECK(plan.bytes() == 8 * 33 * 65);
  CHECK_THROWS_WITH_AS(plan_with_users(A, {.scheme = Scheme("dence")}),
                       doctest::Contains("did you mean 'dense'? give one of: csr, dense"), Error);
  // The stored transpose of a csr plan may be dense.
  auto csr = plan_with_users(
      A, {.scheme = "csr/merge", .transposed_scheme = Scheme("dense"), .ops = {Op::transpose}});
  CHECK(csr.scheme(Op::transpose).to_string() == "dense");
  CHECK(apply_and_compare(exec, csr, A, Op::transpose, 1.0, 0.0) == "");
}

TEST_CASE("what a user's format refuses, another holds") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("tridiagonal"));
  auto plan = plan_with_users(A, {});
  CHECK(plan.scheme().format() == "csr");
  CHECK(plan.ranking().back().scheme.to_string() == "dense");
  CHECK(plan.ranking().back().prediction.refusal == "it would hold more than a megabyte");
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  CHECK_THROWS_AS(plan_with_users(A, {.scheme = Scheme("dense")}), Refusal);
  const auto alone = [&] { SpmvPlan(exec, A.matrix(), {}, Formats<user::DenseFormat>()); };
  CHECK_THROWS_WITH_AS(alone(), doctest::Contains("more than a megabyte"), Refusal);
  CHECK_THROWS_WITH_AS(heddle::detail::throw_no_executor(Scheme("dense")),
                       doctest::Contains("no format made an executor for scheme 'dense'"), Error);
}

/// Formats whose shares wait for each other.
using SharesType = OnePlanType<Formats<Shared<CsrFormat>, Shared<CooFormat>>>;

TEST_CASE("threads at once: products are right, whatever the number when the plan was made") {
  const Exec exec;
  const auto A = to_device<SharesType>(
      exec, random_pattern("random", 5, 20000, 20000,
                           [](std::int64_t i) { return i % 3000 == 1 ? 9000 : i % 9; }));
  const CheckedProduct<SharesType> product(A, Op::none, 1.0, 0.0);
  const TestedSchemes<SharesType> schemes(exec);
  for (const Scheme& scheme : schemes.base()) {
    for (const int then : {1, 2, 1000000}) {
      const AssumedProcessors assumed(then);
      SharesType::Plan<> plan(exec, A.matrix(), {.scheme = scheme});
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
    const auto A = to_device<SharesType>(
        exec, random_pattern("random", 5, 20000, 20000, [](std::int64_t) { return 7; }));
    const auto made = [&](int processors, const char* scheme) {
      const AssumedProcessors assumed(processors);
      return SharesType::Plan<>(exec, A.matrix(), {.scheme = Scheme::parse(scheme)}).bytes();
    };
    CHECK(made(1, "csr/merge") < made(2, "csr/merge"));
    CHECK(made(1, "coo") < made(2, "coo"));
    const auto predicted = [&](int processors) {
      const AssumedProcessors assumed(processors);
      return SharesType::Plan<>(exec, A.matrix(), {}).ranking().front().prediction.seconds;
    };
    CHECK(predicted(1) > predicted(2));
  }
}

}  // namespace heddle::test
