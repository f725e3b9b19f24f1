// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../../solvers/ilu/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Default = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Exec = DefaultDevice;
using Owned = OwnedMatrix<Default>;
using Plan = IluPlan<Exec, Owned::Matrix>;

/// Checks the factors of rows, in any type.
template <class T>
void check_factors(const HostRows<typename T::Scalar>& rows, IluOptions options) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  using M = typename OwnedMatrix<T>::Matrix;
  const E exec;
  const OwnedMatrix<T> a(rows);
  const auto expected = reference_lu(rows, options);
  std::vector<unsigned char> bits;
  for (const Scheme& scheme : factor_schemes<E>("ilu")) {
    CAPTURE(scheme.to_string());
    options.scheme = scheme;
    IluPlan<E, M> plan(exec, a.matrix(), options);
    CHECK(plan.scheme().kernel() == scheme.kernel());
    CHECK(difference(plan.factors(exec), expected) < tolerance<S>());
    CHECK(plan.residual(exec, a.matrix()) < tolerance<S>());
    if (bits.empty()) bits = bits_of(plan.factors(exec).values());
    CHECK(bits_of(plan.factors(exec).values()) == bits);
    plan.update_values(exec, a.matrix());
    plan.check_values(exec);
    CHECK(bits_of(plan.factors(exec).values()) == bits);
  }
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

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("factors are those of the sequential program", T, factors) {
  using S = typename T::Scalar;
  for (const int n : {0, 1, 2, emulated ? 40 : 300}) {
    const auto rows = random_rows<S>(n, n > 2 ? 3 : 0, false, 1);
    for (const int level : {0, 1, 2, 3}) {
      CAPTURE(n);
      CAPTURE(level);
      IluOptions options;
      options.fill_level = level;
      check_factors<T>(rows, options);
      check_factors<T>(ascending(rows), options);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(factors, FactorTypes);

TEST_CASE("a row and a column of all") {
  const std::int64_t n = emulated ? 150 : 2000;
  for (const std::int64_t hub : {std::int64_t{0}, n / 2, n - 1}) {
    CAPTURE(hub);
    check_factors<Default>(random_rows<double>(n, 1, false, 2, hub), {});
  }
  IluOptions filled;
  filled.fill_level = 1;
  check_factors<Default>(random_rows<double>(emulated ? 60 : 200, 1, false, 2, 30), filled);
}

TEST_CASE("a chain of rows, each of which waits for the one before") {
  check_factors<Default>(chain(emulated ? 600 : 5000, 2.5), {});
}

TEST_CASE("updates of rows that are too long, or too many, are searched") {
  if (emulated) return;  // it tests the inspection, and is slow there
  const Exec exec;
  HostRows<double> rows;
  for (std::int64_t i = 0; i < 65600; ++i) rows.push_back({{i, 2.0}});
  for (std::int64_t i = 0; i + 1 < 65600; ++i) rows.back().insert(rows.back().end() - 1, {i, 1.0});
  const Owned long_row(rows);
  Plan plan(exec, long_row.matrix());
  CHECK(plan.scheme().value("updates") == "searched");
  CHECK(plan.residual(exec, long_row.matrix()) < 1e-14);
  const Scheme listed(heddle::backends::has_lanes<Exec> ? "ilu/hand-over,updates=listed"
                                                        : "ilu/sequential,updates=listed");
  CHECK_THROWS_WITH_AS(Plan(exec, long_row.matrix(), {.scheme = listed}),
                       doctest::Contains("65600 entries"), Error);
  HostRows<double> dense(100);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::int64_t j = 0; j < 100; ++j) {
      dense[i].emplace_back(j, j == static_cast<std::int64_t>(i) ? 100.0 : 0.5);
    }
  }
  const Owned full(dense), small(chain(50, 3.0));
  CHECK(Plan(exec, full.matrix()).scheme().value("updates") == "searched");
  CHECK(Plan(exec, small.matrix()).scheme().value("updates") == "listed");
}

TEST_CASE("blocks and subdomains") {
  const std::int64_t n = emulated ? 31 : 101;
  const auto rows = random_rows<double>(n, 2, false, 3);
  for (const int level : {0, 1}) {
    for (const int size : {2, 3, 7}) {
      CAPTURE(level);
      CAPTURE(size);
      IluOptions options;
      options.fill_level = level;
      options.block_size = size;
      check_factors<Default>(rows, options);
      options.subdomains = 4;
      check_factors<Default>(rows, options);
    }
    IluOptions options;
    options.fill_level = level;
    options.subdomains = 5;
    check_factors<Default>(rows, options);
    options.subdomains = 1;
    for (std::int64_t i = 0; i < n; ++i) options.partition.push_back(static_cast<int>(i * 7 % 3));
    check_factors<Default>(rows, options);
  }
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
  IluOptions options;
  options.block_size = static_cast<int>(size);
  Plan plan(exec, a.matrix(), options);
  CHECK(plan.residual(exec, a.matrix()) < 1e-14);
}

namespace {

/// Factors other values first, so that an apply that kept them would fail.
void check_applies(std::optional<Scheme> sptrsv_scheme) {
  using S = Kokkos::complex<double>;
  using T = Types<Exec, S, Indices<std::int32_t, std::int32_t>>;
  const Exec exec;
  const auto rows = random_rows<S>(emulated ? 30 : 200, 3, false, 5);
  const std::size_t n = rows.size();
  const OwnedMatrix<T> a(rows);
  IluOptions options;
  options.fill_level = 1;
  options.ops = {Op::transpose, Op::conjugate_transpose};
  options.vectors.count = 3;
  options.sptrsv_scheme = sptrsv_scheme;
  options.threads = 3;
  auto others = rows;
  for (auto& row : others) {
    for (auto& [column, value] : row) value *= static_cast<double>(1 + column % 3);
  }
  const OwnedMatrix<T> before(others);
  IluPlan<Exec, OwnedMatrix<T>::Matrix> plan(exec, before.matrix(), options);
  plan.update_values(exec, a.matrix());
  CHECK(difference(plan.factors(exec), reference_lu(rows, options)) < tolerance<S>());
  const auto factors = reference_lu(rows, options);
  const auto b = random_columns<S, Kokkos::LayoutRight>(n, 3, 1);
  const auto on_device = copy_to<Exec::memory_space>(b);
  const Kokkos::View<S**, Kokkos::LayoutRight, Exec::memory_space> x("heddle::test::x", n, 3);
  const auto entry = [&](std::size_t i, std::size_t j, bool upper) {
    if (!upper && i == j) return S(1);
    const bool there = upper ? i <= j : i > j;
    const auto at = factors[i].find(static_cast<std::int64_t>(j));
    return there && at != factors[i].end() ? at->second : S(0);
  };
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    CAPTURE(name(op));
    fill_with_poison(x);
    plan.apply(exec, op, on_device, x);
    exec.fence("heddle::test::applied");
    const auto got = to_host(x);
    double worst = 0;
    for (std::size_t v = 0; v < 3; ++v) {
      // op(LU) x is b.
      std::vector<S> y(n), z(n);
      for (const bool first : {true, false}) {
        for (std::size_t i = 0; i < n; ++i) {
          S sum(0);
          for (std::size_t j = 0; j < n; ++j) {
            const bool upper = first != transposes(op);
            S value = transposes(op) ? entry(j, i, upper) : entry(i, j, upper);
            if (conjugates(op)) value = Kokkos::conj(value);
            sum += value * (first ? got(j, v) : y[j]);
          }
          (first ? y : z)[i] = sum;
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        const double error = Kokkos::abs(z[i] - b(i, v));
        worst = error <= worst ? worst : error;
      }
    }
    CHECK(worst < 1e-12);
  }
}

}  // namespace

TEST_CASE("applies solve with the factors, with every op and several vectors") {
  check_applies(std::nullopt);
  if (heddle::backends::has_lanes<Exec>) return;
  for (const char* scheme : {"sptrsv/point-to-point,grain=1", "sptrsv/level-set,grain=1"}) {
    CAPTURE(scheme);
    check_applies(Scheme(scheme));
  }
}

TEST_CASE("factors are made in double and stored in float") {
  const Exec exec;
  const auto rows = random_rows<double>(emulated ? 40 : 300, 3, false, 6);
  const Owned a(rows);
  Plan plan(exec, a.matrix(), {.factor_values = FactorValues::single_precision});
  Plan in_double(exec, a.matrix());
  const auto kept_factors = plan.factors(exec);
  const auto made_factors = in_double.factors(exec);
  const auto kept = to_host(kept_factors.values());
  const auto made = to_host(made_factors.values());
  REQUIRE(kept.extent(0) == made.extent(0));
  for (std::size_t k = 0; k < kept.extent(0); ++k) CHECK(kept(k) == static_cast<float>(made(k)));
  CHECK(plan.residual(exec, a.matrix()) < 1e-14);
  const std::size_t n = rows.size();
  const auto b = copy_to<Exec::memory_space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Exec::memory_space> x("heddle::test::x", n), y("heddle::test::y", n);
  plan.apply(exec, b, x);
  in_double.apply(exec, b, y);
  exec.fence("heddle::test::applied");
  const auto in_float = to_host(x), exact = to_host(y);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i) worst = std::max(worst, std::fabs(in_float(i) - exact(i)));
  CHECK(worst > 0);
  CHECK(worst < 1e-5);
}

TEST_CASE("sweeps come nearer to the factors, and reach them") {
  const Exec exec;
  const auto rows = chain(emulated ? 60 : 400, 2.05);
  const Owned a(rows);
  const auto expected = reference_lu(rows, {});
  double before = 1;
  for (const int sweeps : {1, 2, 4, 8}) {
    CAPTURE(sweeps);
    IluOptions options;
    options.scheme = Scheme("ilu/sweeps,count=" + std::to_string(sweeps));
    Plan plan(exec, a.matrix(), options);
    CHECK(!plan.symmetric());
    const double residual = plan.residual(exec, a.matrix());
    CHECK(residual < before / 2);
    before = residual;
    const auto bits = bits_of(plan.factors(exec).values());
    plan.update_values(exec, a.matrix());
    exec.fence("heddle::test::factored");
    CHECK(bits_of(plan.factors(exec).values()) == bits);
  }
  IluOptions options;
  options.scheme = Scheme("ilu/sweeps,count=" + std::to_string(rows.size()));  // longest chain
  Plan plan(exec, a.matrix(), options);
  CHECK(difference(plan.factors(exec), expected) < 1e-14);
}

TEST_CASE("factoring and applying are quiet") {
  const Exec exec;
  const Owned a(random_rows<double>(50, 3, false, 8));
  for (const Scheme& scheme : factor_schemes<Exec>("ilu")) {
    for (const bool sweeps : {false, true}) {
      IluOptions options;
      options.scheme = sweeps ? Scheme("ilu/sweeps") : scheme;
      CAPTURE(options.scheme->to_string());
      options.fill_level = 1;
      options.check_pattern = false;
      options.factor_values = FactorValues::single_precision;
      Plan plan(exec, a.matrix(), options);
      const auto b = copy_to<Exec::memory_space>(random_vector<double>(50, 1));
      const Kokkos::View<double*, Exec::memory_space> x("heddle::test::x", 50);
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

}  // namespace heddle::test
