// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plan: its options and its errors. testing/format_suite.hpp tests the contract of every
// format, plans/ that of every plan.
#include <cmath>

#include "../../backends/algorithms/overlap.hpp"
#include "../../backends/algorithms/team_sums.hpp"
#include "../../backends/device.hpp"
#include "../../core/operator.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

namespace heddle::test {

using Csr = Formats<Shared<CsrFormat>>;
using Type = OnePlanType<Csr>;
using Exec = Type::Exec;
using Plan = Type::Plan<>;

namespace {

template <class F>
Error error_of(const F& call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  FAIL("nothing was thrown");
  return Error("", "");
}

bool mentions(const Error& error, const std::string& text) {
  return std::string(error.what()).find(text) != std::string::npos;
}

const Scheme scalar("csr", {{"scalar"}});

}  // namespace

TEST_CASE("plan: wrong matrices are errors that say where") {
  const Exec exec;
  const auto bad = make_matrix<double, int, int>(pattern_named("wide"));
  const auto plan_of_it = [&](const SpmvOptions& options = {}) {
    const auto device = to_device<Type>(exec, "bad", bad);
    Plan(exec, device.matrix(), options);
  };
  const auto entry = static_cast<std::size_t>(bad.row_ptr()(5));
  bad.col_idx()(entry) = bad.columns();
  Error error = error_of([&] { plan_of_it(); });
  CHECK(error.where().row == 5);
  CHECK(error.where().entry == static_cast<std::int64_t>(entry));
  // Without checks a plan does not notice a column out of range, but a bad row pointer.
  CHECK_NOTHROW(plan_of_it({.check = false}));
  bad.col_idx()(entry) = -1;
  CHECK(error_of([&] { plan_of_it(); }).where().row == 5);
  bad.row_ptr()(6) = bad.row_ptr()(5) - 1;
  CHECK(error_of([&] { plan_of_it(); }).where().row == 5);
  CHECK(error_of([&] { plan_of_it({.check = false}); }).where().row == 5);
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
  const auto error_with = [&](const SpmvOptions& options) {
    return error_of([&] { Plan(exec, A.matrix(), options); });
  };
  for (const char* text : {"csr/merg", "cs/merge", "csr/subwarp=3", "csr", "csr/subwarp=128"}) {
    CHECK(mentions(error_with({.scheme = Scheme::parse(text)}), "csr"));
  }
  CHECK(Plan(exec, A.matrix(), {.scheme = "csr/merge"}).scheme().has("merge"));
  CHECK(mentions(error_with({.scheme = Scheme::parse("csr/merg")}), "csr/adaptive"));
  CHECK(mentions(error_with({.vectors = {0}}), "options.vectors.count is 0"));
  CHECK(mentions(error_with({.expected_applies = -1}), "options.expected_applies is -1"));
  CHECK_NOTHROW(Plan(exec, A.matrix(), {.expected_applies = 0}));
  CHECK(mentions(error_with({.bytes_per_second = -1e9}), "options.bytes_per_second is -1"));
  CHECK(mentions(error_with({.bytes_per_second = std::nan("")}), "options.bytes_per_second is"));
  CHECK(mentions(error_with({.transposed_scheme = Scheme("cs"), .ops = {Op::transpose}}), "csr"));
}

TEST_CASE("plan: vectors that do not fit are errors") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("wide"));
  Plan plan(exec, A.matrix());
  using Vector = Kokkos::View<double*, Type::Space>;
  using Several = Kokkos::View<double**, Type::Space>;
  const Vector x("x", A.rows_of_x()), y("y", A.rows_of_y());
  const auto apply = [&](const auto& from, const auto& to, Op op = Op::none) {
    plan.apply(exec, op, 1.0, from, 0.0, to);
  };
  CHECK(mentions(error_of([&] { apply(y, y); }), "x has"));
  CHECK(mentions(error_of([&] { apply(x, x); }), "y has"));
  CHECK(mentions(error_of([&] { apply(x, y, Op::transpose); }), "transpose"));
  const Several x2("x", A.rows_of_x(), 2), y3("y", A.rows_of_y(), 3);
  CHECK(mentions(error_of([&] { apply(x2, y3); }), "x holds 2 vectors and y 3"));
  CHECK_NOTHROW(apply(Several("x", A.rows_of_x(), 0), Several("y", A.rows_of_y(), 0)));
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

TEST_CASE("plan: x and y that overlap are an error") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  REQUIRE(A.rows_of_x() == A.rows_of_y());
  const std::size_t n = A.rows_of_x();
  const auto all = Kokkos::ALL;
  Plan plan(exec, A.matrix());
  const Kokkos::View<double*, Type::Space> long_one("x", 2 * n);
  const Kokkos::View<double**, Kokkos::LayoutRight, Type::Space> beside("x", n, 4);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Type::Space> apart("x", n, 4);
  const auto from = [&](std::size_t first) {
    return Kokkos::subview(long_one, std::pair(first, first + n));
  };
  const auto overlaps = [&](const auto& x, const auto& y) {
    const auto plan_says = error_of([&] { plan.apply(exec, 1.0, x, 0.0, y); });
    const auto spmv_says = error_of([&] { spmv(exec, 1.0, A.matrix(), x, 0.0, y); });
    return mentions(plan_says, "x and y overlap") && mentions(spmv_says, "x and y overlap");
  };
  CHECK(overlaps(from(0), from(0)));
  CHECK(overlaps(from(0), from(n - 1)));
  CHECK(overlaps(beside, beside));
  CHECK(overlaps(Kokkos::subview(beside, all, 1), Kokkos::subview(beside, all, 1)));
  CHECK(overlaps(Kokkos::subview(apart, all, std::pair(0, 2)),
                 Kokkos::subview(apart, all, std::pair(1, 3))));
  const auto fine = [&](const auto& x, const auto& y) {
    CHECK_NOTHROW(plan.apply(exec, 1.0, x, 0.0, y));
    CHECK_NOTHROW(spmv(exec, 1.0, A.matrix(), x, 0.0, y));
  };
  fine(from(0), from(n));
  fine(from(n), from(0));
  fine(Kokkos::subview(beside, all, 1), Kokkos::subview(beside, all, 2));
  fine(Kokkos::subview(beside, all, std::pair(0, 2)),
       Kokkos::subview(beside, all, std::pair(2, 4)));
  fine(Kokkos::subview(apart, all, std::pair(0, 2)), Kokkos::subview(apart, all, std::pair(2, 4)));
  fine(Kokkos::subview(beside, all, 0), Kokkos::subview(apart, all, 0));
  // An empty vector shares nothing, whatever its address.
  const auto none = to_device<Type>(exec, Pattern{"no rows", 3, {}});
  Plan of_none(exec, none.matrix());
  CHECK_NOTHROW(of_none.apply(exec, 1.0, Kokkos::subview(long_one, std::pair(0, 3)), 0.0,
                              Kokkos::subview(long_one, std::pair(1, 1))));
}

TEST_CASE("plan: views of rank 2, in either layout and mixed with rank 1") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix());
  const auto x = random_columns<double, Kokkos::LayoutRight>(A.rows_of_x(), 3, 3);
  const auto y = random_columns<double, Kokkos::LayoutLeft>(A.rows_of_y(), 3, 4);
  const auto x_device = copy_to<Type::Space>(x);
  const auto y_device = copy_to<Type::Space>(y);
  plan.apply(exec, 2.0, x_device, -1.0, y_device);
  exec.fence();
  CHECK(mismatch(reference_spmv(Op::none, 2.0, A.host.matrix(), x, -1.0, y), to_host(y_device)) ==
        "");
  const auto one = Kokkos::subview(y_device, Kokkos::ALL, 1);
  plan.apply(exec, 1.0, Kokkos::subview(x_device, Kokkos::ALL, std::pair(2, 3)), 0.0, one);
  exec.fence();
  CHECK(mismatch(reference_spmv(A.host.matrix(), Kokkos::subview(x, Kokkos::ALL, 2),
                                Kokkos::subview(y, Kokkos::ALL, 1)),
                 Kokkos::subview(to_host(y_device), Kokkos::ALL, 1)) == "");
}

TEST_CASE("plan: ops are prepared with it, later, or an error") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.scheme = scalar});
  const auto transposed = [&] { return apply_and_compare(exec, plan, A, Op::transpose, 1.0, 0.0); };
  CHECK(mentions(error_of(transposed), "SpmvOptions::ops"));
  CHECK(mentions(error_of(transposed), "prepare(exec, op)"));
  for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
    CHECK(mentions(error_of([&] { (void)plan.scheme(op); }), "prepare(exec, op)"));
    CHECK(mentions(error_of([&] { (void)plan.moved_bytes(op); }), "prepare(exec, op)"));
  }
  const double before = plan.setup_seconds();
  plan.prepare(exec, Op::conjugate_transpose);  // one stored transpose for both ops
  CHECK(plan.setup_seconds() > before);
  CHECK(transposed() == "");
  CHECK(plan.scheme() == Plan(exec, A.matrix(), {.scheme = scalar}).scheme());

  Plan both(exec, A.matrix(), {.transposed_scheme = scalar, .ops = {Op::transpose}});
  CHECK(both.scheme(Op::transpose).has("scalar"));
  CHECK(both.ranking(Op::transpose).empty());
  CHECK(!both.ranking().empty());
  CHECK(both.bytes() > A.host.bytes());
  CHECK(apply_and_compare(exec, both, A, Op::conjugate_transpose, 1.0, 0.0) == "");
}

TEST_CASE("plan: values in place leave no room for a stored transpose") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.values_in_place = true});
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  CHECK(mentions(error_of([&] { plan.prepare(exec, Op::transpose); }), "transpose=atomics"));
  Plan native(exec, A.matrix(),
              {.scheme = Scheme::parse("csr/scalar,transpose=atomics"),
               .ops = {Op::transpose},
               .values_in_place = true});
  CHECK(apply_and_compare(exec, native, A, Op::transpose, 1.0, 0.0) == "");
  CHECK(native.bytes() == 0);
}

TEST_CASE("plan: values in place and an op that transposes are both had") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("power law"));
  Plan plan(exec, A.matrix(), {.ops = {Op::transpose}, .values_in_place = true});
  CHECK(plan.scheme().has("transpose"));
  CHECK(plan.scheme(Op::transpose) == plan.scheme());
  CHECK(apply_and_compare(exec, plan, A, Op::none, 1.0, 0.0) == "");
  CHECK(apply_and_compare(exec, plan, A, Op::transpose, 1.0, 0.0) == "");
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

TEST_CASE("plan: a matrix of raw pointers is as good as one of Views") {
  const Exec exec;
  const auto A = to_device<Type>(exec, pattern_named("every length to 80"));
  const Type::Matrix raw(A.host.rows(), A.host.columns(), A.host.nonzeros(),
                         A.matrix().row_ptr().data(), A.matrix().col_idx().data(),
                         A.matrix().values().data());
  SpmvPlan plan(exec, raw, {}, Csr());
  static_assert(std::same_as<decltype(plan), Plan>);
  CHECK(apply_and_compare(exec, plan, A, Op::none, 2.0, -1.0) == "");

  const Kokkos::View<std::size_t*, Type::Space> row_ptr("heddle::test::row_ptr", 4);
  const Kokkos::View<int*, Type::Space> col_idx("heddle::test::col_idx", 0);
  const Kokkos::View<float*, Type::Space> values("heddle::test::values", 0);
  const CsrMatrix from_views(3, 5, row_ptr, col_idx, values);
  static_assert(
      std::same_as<decltype(from_views), const CsrMatrix<float, int, std::size_t, Type::Space>>);
  CHECK(from_views.rows() == 3);
  CHECK(from_views.nonzeros() == 0);
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

}  // namespace heddle::test
