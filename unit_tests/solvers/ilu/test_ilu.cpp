// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The promises of incomplete factors, which LU and Cholesky both keep.
#include "../../../solvers/ilu/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Owned = OwnedMatrix<RealFactors>;
using Vector = Kokkos::View<double*, Space>;

/// All schemes of a plan, exact ones and sweeps.
std::vector<Scheme> all_schemes(const char* name) {
  auto schemes = factor_schemes<Exec>(name);
  for (const Scheme& scheme : factor_schemes<Exec>(name, false)) schemes.push_back(scheme);
  return schemes;
}

/// The factors by every exact scheme are those of the sequential program, and the same bits again
/// after new values. Those of an IluPlan have the same bits by every scheme. The reference may have
/// a lower level that has all fill.
template <class F>
void check_factors(const HostRows<typename F::Scalar>& rows, IluOptions options,
                   std::optional<int> reference_level = {}) {
  using S = typename F::Scalar;
  const typename F::Exec exec;
  IluOptions of_reference = options;
  of_reference.fill_level = reference_level.value_or(options.fill_level);
  const auto expected = F::reference(rows, of_reference);
  std::vector<HostRows<S>> inputs{rows};
  if (F::hermitian) {  // only the lower triangle is read
    HostRows<S>& lower = inputs.emplace_back(rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::erase_if(lower[i],
                    [&](const auto& entry) { return entry.first > static_cast<std::int64_t>(i); });
    }
  }
  CAPTURE(F::plan);
  CAPTURE(options.fill_level);
  CAPTURE(options.block_size);
  CAPTURE(options.subdomains);
  std::vector<unsigned char> bits;
  for (const auto& input : inputs) {
    const OwnedMatrix<F> a(input);
    for (const Scheme& scheme : factor_schemes<typename F::Exec>(F::scheme)) {
      CAPTURE(scheme.to_string());
      options.scheme = scheme;
      typename F::Plan plan(exec, a.matrix(), options);
      CHECK(plan.scheme().kernel() == scheme.kernel());
      CHECK(difference(plan.factors(exec), expected) < tolerance<S>());
      CHECK(plan.residual(exec, a.matrix()) < tolerance<S>());
      if (bits.empty() || F::hermitian) bits = bits_of(plan.factors(exec).values());
      CHECK(bits_of(plan.factors(exec).values()) == bits);
      plan.update_values(exec, a.matrix());
      plan.check_values(exec);
      CHECK(bits_of(plan.factors(exec).values()) == bits);
    }
  }
}

template <class T = RealFactors>
void check_both(const HostRows<typename T::Scalar>& hermitian, const IluOptions& options,
                std::optional<int> reference_level = {}) {
  check_factors<Lu<T>>(hermitian, options, reference_level);
  check_factors<Cholesky<T>>(hermitian, options, reference_level);
}

HostRows<double> chain(std::int64_t n, double diagonal) {
  HostRows<double> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    if (i > 0) row.emplace_back(i - 1, -1.0);
    row.emplace_back(i, diagonal);
    if (i + 1 < n) row.emplace_back(i + 1, -1.0);
  }
  return rows;
}

/// A symmetric matrix with an entry for each edge.
HostRows<double> graph(std::int64_t n, const std::vector<std::pair<int, int>>& edges) {
  HostRows<double> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) rows[static_cast<std::size_t>(i)].emplace_back(i, 8.0);
  for (const auto& [i, j] : edges) {
    rows[static_cast<std::size_t>(i)].emplace_back(j, -1.0);
    rows[static_cast<std::size_t>(j)].emplace_back(i, -1.0);
  }
  return ascending(rows);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("factors are those of the sequential program", T, factors) {
  using S = typename T::Scalar;
  for (const int n : {0, 1, 2, emulated ? 40 : 300}) {
    CAPTURE(n);
    const auto any = random_rows<S>(n, n > 2 ? 3 : 0, false, 1);
    const auto hermitian = random_rows<S>(n, n > 2 ? 2 : 0, true, 1);
    for (const int level : {0, 1, 2, 3}) {
      const IluOptions options{.fill_level = level};
      for (const auto& rows : {any, ascending(any)}) check_factors<Lu<T>>(rows, options);
      for (const auto& rows : {hermitian, ascending(hermitian)}) {
        check_factors<Cholesky<T>>(rows, options);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(factors, FactorTypes);

TEST_CASE("a row and a column of all") {
  const std::int64_t n = emulated ? 150 : 1000;
  for (const std::int64_t hub : {std::int64_t{0}, n / 2, n - 1}) {
    CAPTURE(hub);
    check_factors<RealLu>(random_rows<double>(n, 1, false, 2, hub), {});
    check_factors<RealCholesky>(random_rows<double>(n, 1, true, 2, hub), {});
  }
  check_factors<RealLu>(random_rows<double>(emulated ? 60 : 200, 1, false, 2, 30),
                        {.fill_level = 1});
}

TEST_CASE("a chain of rows, each of which waits for the one before") {
  check_both(chain(emulated ? 600 : 5000, 2.5), {});
}

TEST_CASE("blocks and subdomains") {
  const std::int64_t n = emulated ? 31 : 101;
  const auto rows = random_rows<double>(n, 1, true, 3);
  std::vector<int> partition;
  for (std::int64_t i = 0; i < n; ++i) partition.push_back(static_cast<int>(i * 7 % 3));
  for (const int level : {0, 1}) {
    for (const int size : {2, 3, 7}) {
      for (const int subdomains : {1, 4}) {
        check_both(rows, {.fill_level = level, .block_size = size, .subdomains = subdomains});
      }
    }
    check_both(rows, {.fill_level = level, .subdomains = 5});
    check_both(rows, {.fill_level = level, .partition = partition});
    check_factors<RealLu>(random_rows<double>(n, 2, false, 3),
                          {.fill_level = level, .block_size = 3, .subdomains = 4});
  }
}

TEST_CASE("levels end where there can be no more fill") {
  const auto five = graph(5, {{0, 1}, {0, 2}, {1, 3}, {2, 4}});
  const auto grid = random_rows<double>(emulated ? 20 : 60, 1, true, 3);
  for (const int level : {1000000, std::numeric_limits<int>::max()}) {
    check_both(five, {.fill_level = level}, 5);
    check_both(grid, {.fill_level = level}, 60);
    check_both(graph(3, {}), {.fill_level = level}, 0);
  }
}

TEST_CASE("a level without fill may be followed by one with") {
  // 3 - 0 - 2 - 1 - 4: fill of level 1 in (2, 3) and (2, 4), none of level 2, and (3, 4) of
  // level 3.
  const auto rows = graph(5, {{3, 0}, {0, 2}, {2, 1}, {1, 4}});
  for (const int level : {1, 2, 3, 4}) check_both(rows, {.fill_level = level});
}

TEST_CASE("fill beside rows and columns of all") {
  const std::int64_t n = emulated ? 70 : 400;
  for (const std::int64_t hub : {std::int64_t{0}, n / 2, n - 1}) {
    CAPTURE(hub);
    auto rows = random_rows<double>(n, 2, true, 5);
    for (std::int64_t j = 0; j < n; ++j) {
      if (j == hub) continue;
      rows[static_cast<std::size_t>(hub)].emplace_back(j, 1.0 / 1024);
      rows[static_cast<std::size_t>(j)].emplace_back(hub, 1.0 / 1024);
    }
    for (const int level : {1, 2}) check_both(rows, {.fill_level = level});
  }
}

TEST_CASE("updates of rows that are too long, or too many, are searched") {
  if (emulated) return;  // it tests the inspection, and is slow there
  const Exec exec;
  HostRows<double> rows;
  for (std::int64_t i = 0; i < 65600; ++i) rows.push_back({{i, 2.0}});
  for (std::int64_t i = 0; i + 1 < 65600; ++i) rows.back().insert(rows.back().end() - 1, {i, 1.0});
  const Owned long_row(rows);
  RealLu::Plan plan(exec, long_row.matrix());
  CHECK(plan.scheme().value("updates") == "searched");
  CHECK(plan.residual(exec, long_row.matrix()) < 1e-14);
  const Scheme listed(heddle::backends::has_lanes<Exec> ? "ilu/hand-over,updates=listed"
                                                        : "ilu/sequential,updates=listed");
  CHECK_THROWS_WITH_AS(RealLu::Plan(exec, long_row.matrix(), {.scheme = listed}),
                       doctest::Contains("65600 entries"), Error);
  HostRows<double> dense(100);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::int64_t j = 0; j < 100; ++j) {
      dense[i].emplace_back(j, j == static_cast<std::int64_t>(i) ? 100.0 : 0.5);
    }
  }
  const Owned full(dense), small(chain(50, 3.0));
  CHECK(RealLu::Plan(exec, full.matrix()).scheme().value("updates") == "searched");
  CHECK(RealLu::Plan(exec, small.matrix()).scheme().value("updates") == "listed");
}

TEST_CASE("block factors solve with a matrix of full blocks on the diagonal") {
  const Exec exec;
  HostRows<double> rows;
  const std::int64_t size = 3, n = 30;
  for (std::int64_t i = 0; i < n; ++i) {
    rows.emplace_back();
    for (std::int64_t j = i / size * size; j < (i / size + 1) * size; ++j) {
      // Zeros on the diagonal of an invertible block.
      rows.back().emplace_back(j,
                               i == j && i % size > 0 ? 0.0 : 1.0 + static_cast<double>(j % size));
    }
  }
  const Owned a(rows);
  const RealLu::Plan plan(exec, a.matrix(), {.block_size = static_cast<int>(size)});
  CHECK(plan.residual(exec, a.matrix()) < 1e-14);
}

namespace {

/// Solves by factors with all fill, which are exact. Other values are factored first, so that an
/// apply that kept them would fail.
template <class F>
void check_applies(const std::optional<Scheme>& sptrsv_scheme) {
  using S = typename F::Scalar;
  const Exec exec;
  const std::int64_t n = emulated ? 16 : 100;
  const auto rows = random_rows<S>(n, 3, F::hermitian, 5);
  const OwnedMatrix<F> a(rows);
  IluOptions options{.fill_level = static_cast<int>(n),
                     .vectors = {.count = 3},
                     .sptrsv_scheme = sptrsv_scheme,
                     .threads = 3};
  if (!F::hermitian) options.ops = {Op::transpose, Op::conjugate_transpose};
  auto others = rows;
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (auto& [column, value] : others[i]) {
      if (column == static_cast<std::int64_t>(i)) value *= 3;
    }
  }
  const OwnedMatrix<F> before(others);
  typename F::Plan plan(exec, before.matrix(), options);
  plan.update_values(exec, a.matrix());
  plan.check_values(exec);
  const auto b = random_columns<S, Kokkos::LayoutRight>(rows.size(), 3, 1);
  const auto on_device = copy_to<Space>(b);
  const Kokkos::View<S**, Kokkos::LayoutRight, Space> x("heddle::test::x", rows.size(), 3);
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    CAPTURE(F::plan);
    CAPTURE(name(op));
    fill_with_poison(x);
    plan.apply(exec, op, on_device, x);
    exec.fence("heddle::test::applied");
    const auto got = to_host(x);
    double worst = 0;
    for (std::size_t v = 0; v < 3; ++v) {
      std::vector<S> rest(rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) rest[i] = -b(i, v);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& [column, value] : rows[i]) {
          const auto j = static_cast<std::size_t>(column);
          const S entry = conjugates(op) ? Kokkos::conj(value) : value;
          rest[transposes(op) ? j : i] += entry * got(transposes(op) ? i : j, v);
        }
      }
      for (const S& one : rest) {
        const double error = Kokkos::abs(one);
        worst = error <= worst ? worst : error;
      }
    }
    CHECK(worst < 1e-12);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("every op solves with the factors of the last values", F, Lu<ComplexFactors>,
                   Cholesky<ComplexFactors>) {
  check_applies<F>(std::nullopt);
  if (heddle::backends::has_lanes<Exec>) return;
  for (const char* scheme : {"sptrsv/point-to-point,grain=1", "sptrsv/level-set,grain=1"}) {
    CAPTURE(scheme);
    check_applies<F>(Scheme(scheme));
  }
}

TEST_CASE_TEMPLATE("more right-hand sides than room was kept for", F, RealLu, RealCholesky) {
  const Exec exec;
  const auto rows = random_rows<double>(emulated ? 30 : 200, 3, true, 6);
  const auto n = rows.size();
  const Owned a(rows);
  for (const int hint : {1, 3}) {
    CAPTURE(hint);
    for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
      const typename F::Plan plan(exec, a.matrix(),
                                  {.factor_values = values, .vectors = {.count = hint}});
      for (const int count : {2, 5, 70}) {
        CAPTURE(count);
        const auto b = copy_to<Space>(
            random_columns<double, Kokkos::LayoutRight>(n, static_cast<std::size_t>(count), 1));
        const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", n, count);
        fill_with_poison(x);
        plan.apply(exec, b, x);
        exec.fence("heddle::test::applied");
        const auto all = to_host(x);
        double worst = 0;
        for (const int v : {0, 1, count - 1}) {
          const Vector of_b("heddle::test::b", n), of_x("heddle::test::x", n);
          Kokkos::deep_copy(of_b, Kokkos::subview(b, Kokkos::ALL, v));
          plan.apply(exec, of_b, of_x);
          exec.fence("heddle::test::applied");
          const auto one = to_host(of_x);
          for (std::size_t i = 0; i < n; ++i) {
            const double error = std::fabs(all(i, static_cast<std::size_t>(v)) - one(i));
            worst = error <= worst ? worst : error;
          }
        }
        CHECK(worst < 1e-12);
      }
    }
  }
}

TEST_CASE_TEMPLATE("factors are made in double and stored in float", F, RealLu, RealCholesky) {
  const Exec exec;
  const auto rows = random_rows<double>(emulated ? 40 : 300, 3, F::hermitian, 6);
  const Owned a(rows);
  const typename F::Plan plan(exec, a.matrix(), {.factor_values = FactorValues::single_precision});
  const typename F::Plan in_double(exec, a.matrix());
  const auto kept_factors = plan.factors(exec);
  const auto made_factors = in_double.factors(exec);
  const auto kept = to_host(kept_factors.values());
  const auto made = to_host(made_factors.values());
  REQUIRE(kept.extent(0) == made.extent(0));
  for (std::size_t k = 0; k < kept.extent(0); ++k) CHECK(kept(k) == static_cast<float>(made(k)));
  CHECK(plan.residual(exec, a.matrix()) < 1e-14);
  const std::size_t n = rows.size();
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Vector x("heddle::test::x", n), y("heddle::test::y", n);
  plan.apply(exec, b, x);
  in_double.apply(exec, b, y);
  exec.fence("heddle::test::applied");
  const auto in_float = to_host(x), exact = to_host(y);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(in_float(i) - exact(i)));
  CHECK(worst > 0);
  CHECK(worst < 1e-5);
}

TEST_CASE_TEMPLATE("sweeps come nearer to the factors, and reach them", F, RealLu, RealCholesky) {
  const Exec exec;
  const auto rows = chain(emulated ? 60 : 400, 2.05);
  const Owned a(rows);
  const auto plan_of = [&](std::size_t sweeps) {
    const auto scheme = F::scheme + std::string("/sweeps,count=") + std::to_string(sweeps);
    return typename F::Plan(exec, a.matrix(), {.scheme = Scheme(scheme)});
  };
  double before = 1;
  for (const std::size_t sweeps : {1, 2, 4, 8}) {
    CAPTURE(sweeps);
    auto plan = plan_of(sweeps);
    CHECK(plan.symmetric() == F::hermitian);
    const double residual = plan.residual(exec, a.matrix());
    CHECK(residual < before / 2);
    before = residual;
    const auto bits = bits_of(plan.factors(exec).values());
    plan.update_values(exec, a.matrix());
    exec.fence("heddle::test::factored");
    CHECK(bits_of(plan.factors(exec).values()) == bits);
  }
  // The longest chain of entries that need each other.
  CHECK(difference(plan_of(rows.size()).factors(exec), F::reference(rows, {})) < 1e-14);
}

TEST_CASE_TEMPLATE("factoring and applying are quiet", F, RealLu, RealCholesky) {
  const Exec exec;
  const Owned a(random_rows<double>(50, 2, true, 8));
  auto schemes = factor_schemes<Exec>(F::scheme);
  schemes.emplace_back(F::scheme + std::string("/sweeps"));
  for (const Scheme& scheme : schemes) {
    CAPTURE(scheme.to_string());
    for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
      typename F::Plan plan(
          exec, a.matrix(),
          {.fill_level = 1, .factor_values = values, .scheme = scheme, .check_pattern = false});
      const auto b = copy_to<Space>(random_vector<double>(50, 1));
      const Vector x("heddle::test::x", 50);
      plan.update_values(exec, a.matrix());  // a first launch may allocate a thread's scratch
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      check_quiet(exec, [&] {
        plan.update_values(exec, a.matrix());
        plan.apply(exec, b, x);
      });
    }
  }
}

namespace {

/// A diagonal and one full row, with descending columns on request: the same number of entries
/// wherever the row is.
HostRows<double> one_long_row(bool last, bool descending) {
  const std::int64_t n = emulated ? 40 : 300;
  HostRows<double> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    if (i != (last ? n - 1 : 0)) {
      row.emplace_back(i, 2.0);
      continue;
    }
    for (std::int64_t j = 0; j < n; ++j) row.emplace_back(j, i == j ? 2.0 : 1.0 / 1024);
    if (descending) std::reverse(row.begin(), row.end());
  }
  return rows;
}

}  // namespace

TEST_CASE_TEMPLATE("values of another pattern with as many entries are written within the factors",
                   F, RealLu, RealCholesky) {
  const Exec exec;
  for (const bool descending : {false, true}) {
    const Owned first(one_long_row(false, descending)), last(one_long_row(true, descending));
    for (const Owned* inspected : {&first, &last}) {
      const Owned& other = inspected == &first ? last : first;
      for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
        for (const int level : {0, 1}) {
          for (const Scheme& scheme : all_schemes(F::scheme)) {
            CAPTURE(descending);
            CAPTURE(level);
            CAPTURE(scheme.to_string());
            typename F::Plan plan(exec, inspected->matrix(),
                                  {.fill_level = level,
                                   .factor_values = values,
                                   .scheme = scheme,
                                   .check_pattern = false});
            const auto before = bits_of(plan.factors(exec).values());
            plan.update_values(exec, other.matrix());  // the values do not matter
            plan.update_values(exec, inspected->matrix());
            plan.check_values(exec);
            CHECK(bits_of(plan.factors(exec).values()) == before);
          }
        }
      }
    }
  }
}

TEST_CASE_TEMPLATE("another pattern is an error where it is compared", F, RealLu, RealCholesky) {
  const Exec exec;
  const Owned first(one_long_row(false, false)), last(one_long_row(true, false));
  typename F::Plan plan(exec, first.matrix(), {.check_pattern = true});
  plan.update_values(exec, first.matrix());
  CHECK_THROWS_WITH_AS(plan.update_values(exec, last.matrix()), doctest::Contains(F::plan), Error);
  CHECK_THROWS_WITH_AS(plan.update_values(exec, last.matrix()),
                       doctest::Contains("pattern changes"), Error);
  CHECK_THROWS_WITH_AS(plan.residual(exec, last.matrix()), doctest::Contains(F::plan), Error);
  plan.update_values(exec, first.matrix());
  plan.check_values(exec);
}

/// Every row of factors has this number of entries.
struct LongRows {
  std::int64_t entries;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t) const { return entries; }
};

TEST_CASE("factors of more entries than offsets count are refused before they are allocated") {
  const Exec exec;
  using Stored = heddle::detail::ilu::StoredPattern<Exec, std::int32_t, std::int32_t>;
  const auto factors_of = [&](std::int64_t entries) {
    return Stored(exec, 4, false, LongRows{entries});
  };
  CHECK(factors_of(3).entries() == 12);
  CHECK_THROWS_WITH_AS(factors_of(std::int64_t{1} << 29),
                       doctest::Contains("the factors have 2147483648 entries, more than offsets "
                                         "of 32 bits count"),
                       Error);
}

TEST_CASE_TEMPLATE("an empty plan names what was called, and takes one that was made", F, RealLu,
                   RealCholesky) {
  using Plan = typename F::Plan;
  const Exec exec;
  const Owned a(random_rows<double>(10, 2, true, 1));
  Plan plan;
  const Vector x("heddle::test::x", 10), y("heddle::test::y", 10);
  const auto empty = [&](const char* called, const auto& call) {
    const std::string text =
        std::string(F::plan) + "::" + called + " was called on an object that is empty";
    CHECK_THROWS_WITH_AS(call(), doctest::Contains(text.c_str()), Error);
  };
  empty("apply", [&] { plan.apply(exec, x, x); });
  empty("update_values", [&] { plan.update_values(exec, a.matrix()); });
  empty("bad_row", [&] { plan.bad_row(); });
  empty("check_values", [&] { plan.check_values(exec); });
  empty("residual", [&] { plan.residual(exec, a.matrix()); });
  empty("factors", [&] { plan.factors(exec); });
  empty("diagonal_growth", [&] { plan.diagonal_growth(); });
  empty("scheme", [&] { plan.scheme(); });
  empty("setup_seconds", [&] { plan.setup_seconds(); });
  empty("bytes", [&] { plan.bytes(); });
  plan = Plan(exec, a.matrix());
  Kokkos::deep_copy(x, 1.0);
  plan.apply(exec, x, y);
  exec.fence("heddle::test::applied");
  const auto bits = bits_of(y);
  plan = Plan();
  empty("apply", [&] { plan.apply(exec, x, y); });
  // Updates on the default instance, of a plan whose type is deduced.
  plan = Plan(a.matrix(), {.check_pattern = false});
  plan.update_values(a.matrix());
  for (const bool with_op : {false, true}) {
    Kokkos::deep_copy(y, 0.0);
    with_op ? plan.apply(Op::none, x, y) : plan.apply(x, y);
    Exec{}.fence("heddle::test::applied");
    CHECK((bits_of(y) == bits));
  }
  Plan moved = std::move(plan);
  moved.apply(exec, x, y);
  exec.fence("heddle::test::applied");
  CHECK_THROWS_WITH_AS(plan.apply(exec, x, y), doctest::Contains("moved from"), Error);
}

static_assert(std::same_as<decltype(IluPlan(Exec(), std::declval<Owned>().matrix(), IluOptions())),
                           RealLu::Plan>);
static_assert(std::same_as<decltype(IcPlan(Exec(), std::declval<Owned>().matrix(), IluOptions())),
                           RealCholesky::Plan>);

TEST_CASE_TEMPLATE("wrong input is an error that names the row", F, RealLu, RealCholesky) {
  using Plan = typename F::Plan;
  const Exec exec;
  const auto rows = random_rows<double>(10, 2, true, 1);
  const Owned a(rows);
  const auto refuses = [&](const Owned::Matrix& matrix, const char* text,
                           const IluOptions& options = {}) {
    CHECK_THROWS_WITH_AS(Plan(exec, matrix, options), doctest::Contains(text), Error);
  };
  const std::pair<IluOptions, const char*> wrong[] = {
      {{.fill_level = -1}, "options.fill_level is -1"},
      {{.pivot_floor = std::nan("")}, "options.pivot_floor"},
      {{.retries = -1}, "options.retries"},
      {{.retries = 65}, "options.retries"},
      {{.block_size = 0}, "options.block_size is 0"},
      {{.subdomains = 0}, "options.subdomains is 0"},
      {{.partition = {0, 1}}, "2 entries for 10 rows"},
      {{.subdomains = 2, .partition = std::vector<int>(10)}, "both given"},
      {{.vectors = {.count = 0}}, "options.vectors.count is 0"},
      {{.expected_applies = -1}, "options.expected_applies is -1"},
      {{.scheme = Scheme("csr/scalar")}, "csr/scalar"},
      {{.threads = -1}, "options.threads"}};
  for (const auto& [options, text] : wrong) refuses(a.matrix(), text, options);
  for (const bool whole : {false, true}) {
    auto without = rows;  // a diagonal, or a full row
    std::erase_if(without[6], [&](const auto& entry) { return whole || entry.first == 6; });
    const Owned holed(without);
    refuses(holed.matrix(), "row 6: there is no diagonal");
  }
  auto outside = rows;
  outside[3].emplace_back(10, 1.0);
  const Owned wide(outside);
  refuses(wide.matrix(), "row 3");
  const Kokkos::View<int*, Space> row_ptr("heddle::test::row_ptr", 6);
  refuses(Owned::Matrix(5, 10, 0, row_ptr.data(), nullptr, nullptr), "5 x 10");
  Plan plan(exec, a.matrix());
  const Owned larger(random_rows<double>(11, 2, true, 1));
  CHECK_THROWS_WITH_AS(plan.update_values(exec, larger.matrix()),
                       doctest::Contains("a matrix of 11 x 11"), Error);
  const Vector x("heddle::test::x", 10), longer("heddle::test::y", 11);
  CHECK_THROWS_AS(plan.apply(exec, longer, x), Error);
  if (!F::hermitian) {
    CHECK_THROWS_WITH_AS(plan.apply(exec, Op::transpose, x, x), doctest::Contains("not prepared"),
                         Error);
  }
}

}  // namespace heddle::test
