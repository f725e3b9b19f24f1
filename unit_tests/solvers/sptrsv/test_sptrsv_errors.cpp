// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of triangular solves, their workspaces and loops, and what a solve leaves that was
// refused. plans/ has what all plans promise.
#include <doctest/doctest.h>

#include <heddle/vectors.hpp>
#include <heddle/wavefronts.hpp>
#include <numeric>

#include "../../../solvers/ordered/solved_values.hpp"
#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/moves_only.hpp"
#include "../../support/odd_values.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

using Type = OneTriangleType;
using Exec = Type::Exec;
using Space = Type::Space;
using Plan = Type::Plan<>;
using Vector = Kokkos::View<double*, Space>;
using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

DeviceMatrix<Type> with_values(const Exec& exec, const Pattern& pattern,
                               const std::vector<double>& values) {
  const auto host = make_matrix<double, std::int32_t, std::int32_t>(pattern);
  std::copy(values.begin(), values.end(), host.values().data());
  return to_device<Type>(exec, pattern.name, host);
}

}  // namespace

TEST_CASE("sptrsv: a matrix that is no triangle is an error that names the row") {
  const Exec exec;
  const auto solve = [&](const Pattern& pattern, const std::vector<double>& values,
                         const SptrsvOptions& options = {}) {
    const auto A = with_values(exec, pattern, values);
    return Plan(exec, A.matrix(), options);
  };
  const Pattern outside{"outside", 3, {{0}, {1, 2}, {2}}};
  CHECK_THROWS_WITH(solve(outside, {1, 1, 1, 1}),
                    doctest::Contains("row 1: an entry is above the diagonal"));
  CHECK_NOTHROW(solve(outside, {1, 1, 1, 1}, {.ignore_outside = true}));
  CHECK_NOTHROW(solve(outside, {1, 1, 1, 1}, {.triangle = Triangle::upper}));
  const Pattern missing{"missing", 3, {{0}, {0}, {2}}};
  CHECK_THROWS_WITH(solve(missing, {1, 1, 1}),
                    doctest::Contains("row 1: the diagonal is missing, zero or not finite"));
  CHECK_NOTHROW(solve(missing, {1, 1, 1}, {.diagonal = Diagonal::unit}));
  const Pattern twice{"twice", 2, {{0}, {1, 0, 1}}};
  CHECK_THROWS_WITH(solve(twice, {1, 2, 5, -2}),
                    doctest::Contains("row 1: the diagonal is missing, zero or not finite"));
  CHECK_NOTHROW(solve(twice, {1, 2, 5, -1}));
  CHECK_THROWS_WITH(solve({"not square", 3, {{0}, {1}}}, {1, 1}),
                    doctest::Contains("the matrix of a triangular solve is 2 x 3"));
  CHECK_THROWS_AS(solve({"column", 2, {{0}, {1, 7}}}, {1, 1, 1}), Error);
  CHECK_THROWS_AS(solve(twice, {1, 2, 5, 1}, {.scheme = Scheme("sptrsv", {{"fast"}})}), Error);
  CHECK_THROWS_AS(solve(twice, {1, 2, 5, 1}, {.vectors = {.count = 0}}), Error);
}

TEST_CASE("sptrsv: a row that teams look at is refused like a short one") {
  const Exec exec;
  constexpr int n = 3000;
  std::vector<int> all(n);
  std::iota(all.begin(), all.end(), 0);
  const auto with_row = [&](const std::vector<int>& columns, int at) {
    Pattern pattern{"long row", n, {}};
    for (int i = 0; i < n; ++i) pattern.rows.push_back(i == at ? columns : std::vector{i});
    return pattern;
  };
  const auto solve = [&](const Pattern& pattern, double of_diagonal = 1) {
    std::vector<double> values(static_cast<std::size_t>(pattern.nonzeros()), 1.0);
    values.back() = of_diagonal;
    const auto A = with_values(exec, pattern, values);
    return Plan(exec, A.matrix());
  };
  const char* const bad = "row 2999: the diagonal is missing, zero or not finite";
  CHECK_NOTHROW(solve(with_row(all, n - 1)));
  CHECK_THROWS_WITH(solve(with_row(all, n - 1), 0), doctest::Contains(bad));
  // The diagonal is stored at both ends of the row, and sums to zero.
  auto columns = all;
  columns.insert(columns.begin(), n - 1);
  CHECK_THROWS_WITH(solve(with_row(columns, n - 1), -1), doctest::Contains(bad));
  CHECK_NOTHROW(solve(with_row(columns, n - 1), 2));
  columns = all;
  columns.pop_back();
  CHECK_THROWS_WITH(solve(with_row(columns, n - 1)), doctest::Contains(bad));
  CHECK_THROWS_WITH(solve(with_row(all, 0)),
                    doctest::Contains("row 0: an entry is above the diagonal"));
}

TEST_CASE("sptrsv: vectors that do not fit, or overlap, are errors") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("diagonal"));
  Plan plan(exec, A.matrix());
  const Vector long_one("heddle::test::long", 400), other("heddle::test::other", 300);
  const auto part = [&](int first) {
    return Kokkos::subview(long_one, std::pair(first, first + 300));
  };
  CHECK_THROWS_WITH(plan.apply(exec, 1.0, long_one, other), doctest::Contains("b has 400 rows"));
  CHECK_THROWS_WITH(plan.apply(exec, 1.0, part(0), part(1)), doctest::Contains("overlaps b"));
  CHECK_THROWS_WITH(plan.apply(exec, Op::transpose, 1.0, other, other),
                    doctest::Contains("prepare(exec, op)"));
  const Columns two("heddle::test::two", 300, 2), three("heddle::test::three", 300, 3);
  CHECK_THROWS_WITH(plan.apply(exec, 1.0, two, three), doctest::Contains("2 vectors and x 3"));
  // The vectors b and x alternate in one block: they are interleaved, but do not overlap.
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> pairs("heddle::test::pairs", 300, 2);
  CHECK_NOTHROW(plan.apply(exec, 1.0, Kokkos::subview(pairs, Kokkos::ALL, 0),
                           Kokkos::subview(pairs, Kokkos::ALL, 1)));
  exec.fence("heddle::test::done");
}

TEST_CASE_TEMPLATE("sptrsv: a diagonal that is NaN or infinite is told like one that is zero", T,
                   OneTriangleType, TriangleType<Exec, Kokkos::complex<float>, Indices32>,
                   TriangleType<Portable<Exec>, float, Indices32>) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const Pattern pattern = triangle_named("grid");
  const auto good = triangle_on_device<T>(exec, pattern);
  const SptrsvOptions options{.ops = {Op::transpose}};
  typename T::template Plan<> plan(exec, good.matrix(), options);
  for (const OddValue& odd : odd_values) {
    CAPTURE(std::string(odd.name));
    for (const std::size_t row : {std::size_t{0}, std::size_t{1234}}) {
      const auto host = good.host.template copy_to<Kokkos::HostSpace>(exec);
      exec.fence("heddle::test::copied");
      host.values()(static_cast<std::size_t>(host.row_ptr()(row + 1)) - 1) = make_odd<S>(odd);
      const auto bad = to_device<T>(exec, "bad", host);
      const std::string named =
          "row " + std::to_string(row) + ": the diagonal is missing, zero or not finite";
      CHECK_THROWS_WITH((typename T::template Plan<>(exec, bad.matrix())),
                        doctest::Contains(named.c_str()));
      plan.update_values(exec, bad.matrix());
      CHECK_THROWS_WITH(plan.check_values(exec), doctest::Contains(named.c_str()));
      plan.update_values(exec, good.matrix());
      CHECK_NOTHROW(plan.check_values(exec));
      // A unit diagonal is not read.
      CHECK_NOTHROW(typename T::template Plan<>(exec, bad.matrix(), {.diagonal = Diagonal::unit}));
    }
  }
}

TEST_CASE("sptrsv: a diagonal whose reciprocal overflows is divided by") {
  const Exec exec;
  const double tiny = std::numeric_limits<double>::denorm_min() * 8;
  const auto A = with_values(exec, {"tiny", 2, {{0}, {1}}}, {tiny, 3});
  Plan plan(exec, A.matrix());
  const Vector b("heddle::test::b", 2), x("heddle::test::x", 2);
  Kokkos::deep_copy(b, tiny);
  plan.apply(exec, 1.0, b, x);
  exec.fence("heddle::test::solved");
  CHECK(to_host(x)(0) == 1);
}

TEST_CASE("sptrsv: a copy whose entries and diagonal the offsets do not count is an error") {
  using heddle::detail::ordered::entries_with_diagonal;
  const std::int64_t most = std::numeric_limits<std::int32_t>::max();
  CHECK(entries_with_diagonal<std::int32_t>(most - 7, 7) == static_cast<std::size_t>(most));
  CHECK(entries_with_diagonal<std::int64_t>(most, most) == static_cast<std::size_t>(2 * most));
  CHECK_THROWS_WITH_AS(entries_with_diagonal<std::int32_t>(most - 6, 7),
                       doctest::Contains("2147483648 entries"), Error);
  CHECK_THROWS_WITH_AS(entries_with_diagonal<std::int32_t>(0, 2 * most), doctest::Contains("wider"),
                       Error);
}

TEST_CASE("sptrsv: levels are those of the graph") {
  const Exec exec;
  const auto levels = [&](const Pattern& pattern, Triangle triangle) {
    const auto A = triangle_on_device<Type>(exec, pattern);
    const bool waits = heddle::detail::sptrsv::waits_on_lanes(backends::describe(exec));
    const Scheme scheme("sptrsv", {{waits ? "self-scheduled" : "level-set"}});
    const Plan plan(exec, A.matrix(),
                    {.triangle = triangle, .scheme = scheme, .ops = {Op::transpose}});
    CHECK(plan.levels() == plan.levels(Op::transpose));  // both have one longest path
    return plan.levels();
  };
  for (const auto& [name, count] : levels_of_triangles) {
    CAPTURE(name);
    CHECK(levels(triangle_named(name), Triangle::lower) == count);
    CHECK(levels(reversed(triangle_named(name)), Triangle::upper) == count);
  }
}

namespace {

using heddle::detail::ordered::GpuSolve;
using heddle::detail::ordered::SolvedValues;
using Solve = GpuSolve<Exec, double>;  // has the flags and tickets of a GPU's plan, on any device

struct ReadsNothing {
  template <class Visit>
  KOKKOS_FUNCTION void operator()(int, const Visit&) const {}
};
struct DoesNothing {
  KOKKOS_FUNCTION void operator()(std::int64_t) const {}
};

static_assert(moves_only<SptrsvWorkspace<Exec, double>>);
static_assert(moves_only<SptrsvWorkspace<Portable<Exec>, float>>);
static_assert(moves_only<VectorWorkspace<Exec, double>>);
static_assert(moves_only<Wavefronts<Exec>>);
static_assert(moves_only<Solve>);

}  // namespace

TEST_CASE("sptrsv: an op is not prepared from a pattern with other entries in the triangle") {
  const Exec exec;
  const Pattern band = lower_band("band", 90, {1, 2, 9});
  const auto A = triangle_on_device<Type>(exec, reversed(band));  // an empty lower triangle
  const auto B = triangle_on_device<Type>(exec, band);
  Plan plan(exec, A.matrix(), {.ignore_outside = true, .check_pattern = false});
  plan.update_values(exec, B.matrix());
  CHECK_THROWS_WITH_AS(plan.prepare(exec, Op::transpose),
                       doctest::Contains("make a new SptrsvPlan"), Error);
  CHECK_NOTHROW(plan.update_values(exec, A.matrix()));
  CHECK_NOTHROW(plan.prepare(exec, Op::transpose));
  CHECK_NOTHROW(plan.prepare(Op::transpose));
}

#ifndef HEDDLE_EMULATED  // whose kernels are Heddle's own launches
namespace {

constexpr std::int64_t places = 100;

/// Posts in the set of this solve, and ends it if `ends`. *taken is the number of tickets that were
/// taken before, *found the number of values in both sets before.
void post(const Exec& exec, const SolvedValues<double>& values, const backends::Tickets& tickets,
          bool ends, std::int64_t* taken, int* found) {
  Kokkos::parallel_for(
      "heddle::test::post", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        const int set = values.set();
        *found = 0;
        for (std::int64_t p = 0; p < places; ++p) {
          for (int s = 0; s < 2; ++s) {
            double value = SolvedValues<double>::Mailbox::not_posted();
            values.sets[s].look(p, 0, value);
            *found += SolvedValues<double>::Mailbox::posted(value) ? 1 : 0;
          }
          values.sets[set].post(p, 0, 1.0);
        }
        *taken = tickets.take(7);
        if (ends) values.end(set, 1);
      });
}

}  // namespace

TEST_CASE("sptrsv: a solve that was not queued to its end is cleared away before the next") {
  const Exec exec;
  Solve solve(exec, places, 1);
  const Kokkos::View<std::int64_t*, Exec> taken("heddle::test::taken", 1);
  const Kokkos::View<int*, Exec> found("heddle::test::found", 1);
  const auto run = [&](bool ends, bool refused) {
    solve.run(exec, 1, [&](const auto& values, const auto& tickets) {
      post(exec, values, tickets, ends, taken.data(), found.data());
      if (refused) throw Error("the second launch was refused", "see why");
    });
  };
  CHECK_THROWS_AS(run(false, true), Error);
  run(true, false);
  exec.fence("heddle::test::posted");
  CHECK(to_host(found)(0) == 0);
  CHECK(to_host(taken)(0) == 0);
  // Without a refusal nothing is cleared: this solve empties the second set.
  run(true, false);
  exec.fence("heddle::test::posted");
  CHECK(to_host(found)(0) == places);
  CHECK(to_host(taken)(0) == 1);
}
#endif

TEST_CASE("sptrsv: a workspace that was moved from is refused") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, triangle_named("random"));
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  SptrsvWorkspace<Exec, double> first(exec, A.host.rows());
  SptrsvWorkspace<Exec, double> second = std::move(first);
  CHECK_THROWS_WITH_AS(sptrsv(exec, 1.0, A.matrix(), x, x, first),
                       doctest::Contains("a workspace that was moved from"), Error);
  CHECK_NOTHROW(sptrsv(exec, 1.0, A.matrix(), x, x, second));
  first = SptrsvWorkspace<Exec, double>(exec, A.host.rows());
  CHECK_NOTHROW(sptrsv(exec, 1.0, A.matrix(), x, x, first));
  exec.fence("heddle::test::solved");
}

TEST_CASE("wavefronts: a loop that was moved from names what was called") {
  const Exec exec;
  Wavefronts<Exec> first(exec, 1000, ReadsNothing());
  const Wavefronts<Exec> second = std::move(first);
  CHECK_THROWS_WITH_AS(first.for_each(exec, DoesNothing()),
                       doctest::Contains("Wavefronts::for_each was called on an object that"),
                       Error);
  CHECK_THROWS_WITH(first.for_each_place(exec, "heddle::test::places", DoesNothing()),
                    doctest::Contains("Wavefronts::for_each_place"));
  CHECK_THROWS_WITH((void)first.place_order(), doctest::Contains("Wavefronts::place_order"));
  CHECK_NOTHROW(second.for_each(exec, DoesNothing()));
  first = Wavefronts<Exec>();
  CHECK_NOTHROW(first.for_each(exec, DoesNothing()));
  exec.fence("heddle::test::run");
}

}  // namespace heddle::test
