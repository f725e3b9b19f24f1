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
using Plan = IcPlan<Exec, Owned::Matrix>;

template <class T>
void check_factors(const HostRows<typename T::Scalar>& rows, IcOptions options) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  using M = typename OwnedMatrix<T>::Matrix;
  const E exec;
  const auto expected = reference_cholesky(rows, options);
  // Only the lower triangle is read.
  HostRows<S> lower(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& entry : rows[i]) {
      if (entry.first <= static_cast<std::int64_t>(i)) lower[i].push_back(entry);
    }
  }
  for (const OwnedMatrix<T>& a : {OwnedMatrix<T>(rows), OwnedMatrix<T>(lower)}) {
    for (const Scheme& scheme : factor_schemes<E>("ic")) {
      CAPTURE(scheme.to_string());
      options.scheme = scheme;
      IcPlan<E, M> plan(exec, a.matrix(), options);
      CHECK(plan.scheme().kernel() == scheme.kernel());
      CHECK(difference(plan.factors(exec), expected) < tolerance<S>());
      CHECK(plan.residual(exec, a.matrix()) < tolerance<S>());
      const auto bits = bits_of(plan.factors(exec).values());
      plan.update_values(exec, a.matrix());
      plan.check_values(exec);
      CHECK(bits_of(plan.factors(exec).values()) == bits);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("Cholesky factors are those of the sequential program", T, factors) {
  using S = typename T::Scalar;
  for (const int n : {0, 1, 2, emulated ? 40 : 300}) {
    const auto rows = random_rows<S>(n, n > 2 ? 2 : 0, true, 1);
    for (const int level : {0, 1, 2}) {
      CAPTURE(n);
      CAPTURE(level);
      IcOptions options;
      options.fill_level = level;
      check_factors<T>(rows, options);
      check_factors<T>(ascending(rows), options);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(factors, FactorTypes);

TEST_CASE("blocks, subdomains and a row of all") {
  const std::int64_t n = emulated ? 31 : 101;
  const auto rows = random_rows<double>(n, 1, true, 3);
  for (const int level : {0, 1}) {
    IcOptions options;
    options.fill_level = level;
    options.subdomains = 5;
    check_factors<Default>(rows, options);
    options.block_size = 3;
    check_factors<Default>(rows, options);
  }
  const std::int64_t many = emulated ? 150 : 1000;
  check_factors<Default>(random_rows<double>(many, 1, true, 2, many / 2), {});
}

namespace {

/// Factors other values first, so that an apply that kept them would fail.
void check_applies(std::optional<Scheme> sptrsv_scheme) {
  using S = Kokkos::complex<double>;
  using T = Types<Exec, S, Indices<std::int32_t, std::int32_t>>;
  const Exec exec;
  // A full matrix: its pattern has all fill, so its factor is exact.
  const std::int64_t n = emulated ? 12 : 40;
  const auto rows = random_rows<S>(n, static_cast<int>(n), true, 5);
  const OwnedMatrix<T> a(rows);
  IcOptions options;
  options.fill_level = static_cast<int>(n);
  options.sptrsv_scheme = sptrsv_scheme;
  options.threads = 3;
  auto others = rows;
  for (std::size_t i = 0; i < others.size(); ++i) {
    for (auto& [column, value] : others[i]) {
      if (column == static_cast<std::int64_t>(i)) value *= 3;
    }
  }
  const OwnedMatrix<T> before(others);
  IcPlan<Exec, OwnedMatrix<T>::Matrix> plan(exec, before.matrix(), options);
  plan.update_values(exec, a.matrix());
  plan.check_values(exec);
  const auto b = random_vector<S>(static_cast<std::size_t>(n), 1);
  const auto on_device = copy_to<Exec::memory_space>(b);
  const Kokkos::View<S*, Exec::memory_space> x("heddle::test::x", b.extent(0));
  for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
    CAPTURE(name(op));
    fill_with_poison(x);
    plan.apply(exec, op, on_device, x);
    exec.fence("heddle::test::applied");
    const auto got = to_host(x);
    double worst = 0;
    const bool conjugated = op == Op::transpose || op == Op::conjugate;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      S rest = -b(i);
      for (const auto& [column, value] : rows[i]) {
        rest += (conjugated ? Kokkos::conj(value) : value) * got(static_cast<std::size_t>(column));
      }
      const double error = Kokkos::abs(rest);
      worst = error <= worst ? worst : error;
    }
    CHECK(worst < 1e-12);
  }
}

}  // namespace

TEST_CASE("applies solve with L and its conjugate transpose") {
  check_applies(std::nullopt);
  if (heddle::backends::has_lanes<Exec>) return;
  for (const char* scheme : {"sptrsv/point-to-point,grain=1", "sptrsv/level-set,grain=1"}) {
    CAPTURE(scheme);
    check_applies(Scheme(scheme));
  }
}

TEST_CASE("an indefinite matrix is told") {
  const Exec exec;
  auto rows = ascending(random_rows<double>(20, 2, true, 4));
  const Owned good(rows);
  for (auto& [column, value] : rows[7]) {
    if (column == 7) value = -value;
  }
  const Owned bad(rows);
  CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix()), doctest::Contains("row 7"), Error);
  CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix()), doctest::Contains("not positive"), Error);
  Plan plan(exec, good.matrix());
  for (const bool is_bad : {true, false, true}) {
    plan.update_values(exec, (is_bad ? bad : good).matrix());
    std::int64_t word = -1;
    Kokkos::deep_copy(word, plan.bad_row());
    CHECK(word == (is_bad ? 8 : 0));
  }
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 7"), Error);
}

TEST_CASE("sweeps reach the factor") {
  const Exec exec;
  const auto rows = random_rows<double>(emulated ? 50 : 300, 2, true, 7);
  const Owned a(rows);
  double before = 1;
  for (const char* scheme : {"ic/sweeps,count=2", "ic/sweeps,count=4", "ic/sweeps"}) {
    CAPTURE(scheme);
    Plan plan(exec, a.matrix(), {.scheme = Scheme(scheme)});
    const double residual = plan.residual(exec, a.matrix());
    CHECK(residual < before);
    before = residual;
  }
  Plan plan(exec, a.matrix(), {.scheme = Scheme("ic/sweeps,count=300")});
  CHECK(difference(plan.factors(exec), reference_cholesky(rows, {})) < 1e-14);
}

TEST_CASE("factoring and applying are quiet") {
  const Exec exec;
  const Owned a(random_rows<double>(50, 2, true, 8));
  Plan plan(exec, a.matrix(), {.fill_level = 1, .check_pattern = false});
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

}  // namespace heddle::test
