// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pivots that break down, and remedies.
#include "../../../solvers/ilu/definitions.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;
using Default = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Owned = OwnedMatrix<Default>;
using Ilu = IluPlan<Exec, Owned::Matrix>;
using Ic = IcPlan<Exec, Owned::Matrix>;

/// A positive definite matrix; its IC(0) has the pivots 3, 5/3, 3/5 and -5.
/// Source: D. Kershaw, "The incomplete Cholesky-conjugate gradient method for the iterative
/// solution of systems of linear equations", J. Comput. Phys. 26 (1978).
const HostRows<double> kershaw = {{{0, 3.0}, {1, -2.0}, {3, 2.0}},
                                  {{0, -2.0}, {1, 3.0}, {2, -2.0}},
                                  {{1, -2.0}, {2, 3.0}, {3, -2.0}},
                                  {{0, 2.0}, {2, -2.0}, {3, 3.0}}};
const HostRows<double> nearly_definite = {{{0, 1.0}, {1, 2.0}}, {{0, 2.0}, {1, 3.999}}};

HostRows<double> with_grown_diagonal(HostRows<double> rows, double growth) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (auto& [column, value] : rows[i]) {
      if (column == static_cast<std::int64_t>(i)) value *= 1 + growth;
    }
  }
  return rows;
}

template <class Plan>
std::int64_t bad_word(const Plan& plan) {
  std::int64_t word = -1;
  Kokkos::deep_copy(word, plan.bad_row());
  return word;
}

template <class Plan>
double last_value(const Plan& plan) {
  const auto factors = plan.factors(Exec());
  const auto values = to_host(factors.values());
  return static_cast<double>(values(values.extent(0) - 1));
}

}  // namespace

TEST_CASE("a pivot floor lifts a negative pivot of a Cholesky factorization") {
  const Exec exec;
  const Owned first(kershaw), second(nearly_definite);
  for (const Owned* a : {&first, &second}) {
    CHECK_THROWS_WITH_AS(Ic(exec, a->matrix()), doctest::Contains("options.pivot_floor"), Error);
    CHECK_THROWS_WITH_AS(Ic(exec, a->matrix()), doctest::Contains("options.retries"), Error);
    for (const Scheme& scheme : factor_schemes<Exec>("ic")) {
      CAPTURE(scheme.to_string());
      Ic plan(exec, a->matrix(), {.pivot_floor = 0.25, .scheme = scheme});
      plan.check_values(exec);
      CHECK(last_value(plan) == 0.5);
    }
    const Ic in_float(exec, a->matrix(),
                      {.pivot_floor = 0.25, .factor_values = FactorValues::single_precision});
    CHECK(last_value(in_float) == 0.5);
  }
  auto infinite = nearly_definite;
  infinite[1][1].second = -std::numeric_limits<double>::infinity();
  const Owned of_infinite(infinite);
  CHECK_THROWS_WITH_AS(Ic(exec, of_infinite.matrix(), {.pivot_floor = 0.25}),
                       doctest::Contains("row 1"), Error);
}

TEST_CASE("the diagonal grows until the Cholesky factor stands") {
  const Exec exec;
  const Owned a(kershaw);
  const Owned definite(with_grown_diagonal(kershaw, 1));
  double growth = 1e-3;
  int tries = 1;
  for (; !(reference_cholesky(with_grown_diagonal(kershaw, growth), {})[3].at(3) > 0); ++tries) {
    growth *= 2;
  }
  REQUIRE(tries > 3);
  const auto expected = reference_cholesky(with_grown_diagonal(kershaw, growth), {});
  const auto check = [&](auto plan, double near) {
    CHECK(plan.diagonal_growth() == growth);
    CHECK(difference(plan.factors(exec), expected) < near);
    plan.update_values(exec, definite.matrix());
    CHECK(plan.diagonal_growth() == 0);
    CHECK(bad_word(plan) == 0);
    CHECK(plan.residual(exec, definite.matrix()) < near);
    plan.update_values(exec, a.matrix());
    CHECK(plan.diagonal_growth() == growth);
    CHECK(bad_word(plan) == 0);
    CHECK(difference(plan.factors(exec), expected) < near);
    CHECK(plan.residual(exec, a.matrix()) > 0.01);
  };
  for (const Scheme& scheme : factor_schemes<Exec>("ic")) {
    CAPTURE(scheme.to_string());
    check(Ic(exec, a.matrix(), {.retries = tries, .scheme = scheme}), 1e-14);
  }
  check(Ic(exec, a.matrix(), {.retries = tries, .scheme = Scheme("ic/sweeps,count=4")}), 1e-14);
  check(Ic(exec, a.matrix(), {.retries = tries, .factor_values = FactorValues::single_precision}),
        1e-6);

  const std::string too_few = std::to_string(tries - 1) + " retries";
  CHECK_THROWS_WITH_AS(Ic(exec, a.matrix(), {.retries = tries - 1}),
                       doctest::Contains(too_few.c_str()), Error);
  Ic plan(exec, definite.matrix(), {.retries = tries - 1});
  plan.update_values(exec, a.matrix());
  CHECK(bad_word(plan) == 4);
  CHECK(plan.diagonal_growth() == growth / 2);
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains(too_few.c_str()), Error);
  CHECK_THROWS_WITH_AS(Ic(exec, a.matrix(), {.retries = -1}), doctest::Contains("options.retries"),
                       Error);
  CHECK_THROWS_WITH_AS(Ic(exec, a.matrix(), {.retries = 65}), doctest::Contains("options.retries"),
                       Error);
}

TEST_CASE("the diagonal grows until LU factors stand") {
  const Exec exec;
  const HostRows<double> rows = {{{0, 1.0}, {1, 1.0}}, {{0, 1.0}, {1, 1.0}}};
  const Owned a(rows);
  CHECK_THROWS_WITH_AS(Ilu(exec, a.matrix()), doctest::Contains("options.retries"), Error);
  for (const Scheme& scheme : factor_schemes<Exec>("ilu")) {
    CAPTURE(scheme.to_string());
    Ilu plan(exec, a.matrix(), {.retries = 1, .scheme = scheme});
    CHECK(plan.diagonal_growth() == 1e-3);
    CHECK(difference(plan.factors(exec), reference_lu(with_grown_diagonal(rows, 1e-3), {})) <
          1e-14);
  }
}

TEST_CASE("of a pivot that is bad and one that is bad once rounded the lower row is reported") {
  const Exec exec;
  HostRows<double> rows(12), bad;
  for (std::int64_t i = 0; i < 12; ++i) rows[static_cast<std::size_t>(i)].emplace_back(i, 2.0);
  const Owned good(rows);
  Ilu plan(exec, good.matrix(), {.factor_values = FactorValues::single_precision});
  for (const auto& [zero, large] : {std::pair(9, 3), std::pair(3, 9)}) {
    bad = rows;
    bad[static_cast<std::size_t>(zero)][0].second = 0;
    bad[static_cast<std::size_t>(large)][0].second = 1e60;
    const Owned of_bad(bad);
    plan.update_values(exec, of_bad.matrix());
    exec.fence("heddle::test::factored");
    CHECK(bad_word(plan) == 4);
    plan.update_values(exec, good.matrix());
    exec.fence("heddle::test::factored");
    CHECK(bad_word(plan) == 0);
  }
}

TEST_CASE("with a pivot floor no old pivot is reported, nor a negative one") {
  const Exec exec;
  Random random(7);
  const auto trial = [&](FactorValues factor_values, const char* scheme, int trials) {
    const std::int64_t n = 12;
    auto rows = ascending(random_rows<double>(n, 2, true, 11));
    std::optional<Ic> plan;
    for (int count = 0; count < trials; ++count) {
      const bool not_a_number = count % 3 == 1;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        for (auto& [column, value] : rows[i]) {
          value = column == static_cast<std::int64_t>(i) ? random.scalar<double>() + 0.5
                                                         : random.scalar<double>();
        }
      }
      if (not_a_number) rows[5].back().second = rows[5].front().second = std::nan("");
      const Owned a(rows);
      if (!plan) {
        plan.emplace(
            exec, a.matrix(),
            IcOptions{
                .pivot_floor = 0.1, .factor_values = factor_values, .scheme = Scheme(scheme)});
      }
      plan->update_values(exec, a.matrix());
      exec.fence("heddle::test::factored");
      CHECK((bad_word(*plan) != 0) == not_a_number);
    }
  };
  const int trials = emulated ? 20 : 300;
  for (const Scheme& scheme : factor_schemes<Exec>("ic")) {
    CAPTURE(scheme.to_string());
    for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
      trial(values, scheme.to_string().c_str(), trials);
    }
  }
}

TEST_CASE("an imaginary part on the diagonal of a Hermitian matrix is an error") {
  using S = Kokkos::complex<double>;
  using T = Types<DefaultDevice, S, Indices<std::int32_t, std::int32_t>>;
  using Plan = IcPlan<Exec, OwnedMatrix<T>::Matrix>;
  const Exec exec;
  const HostRows<S> rows = ascending(random_rows<S>(20, 2, true, 4));
  const auto with_imaginary = [&](std::initializer_list<std::size_t> which, double part) {
    auto changed = rows;
    for (const std::size_t i : which) {
      for (auto& [column, value] : changed[i]) {
        if (column == static_cast<std::int64_t>(i)) value += S(0, part);
      }
    }
    return OwnedMatrix<T>(changed);
  };
  const auto good = with_imaginary({}, 0), rounded = with_imaginary({3}, 1e-15);
  const auto bad = with_imaginary({7, 9}, 0.25);
  CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix()), doctest::Contains("row 7"), Error);
  CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix(), {.pivot_floor = 1, .retries = 3}),
                       doctest::Contains("imaginary part"), Error);
  for (const Scheme& scheme : factor_schemes<Exec>("ic")) {
    CAPTURE(scheme.to_string());
    Plan plan(exec, good.matrix(), {.pivot_floor = 1e-3, .scheme = scheme});
    plan.update_values(exec, bad.matrix());
    exec.fence("heddle::test::factored");
    CHECK(bad_word(plan) == 8);
    CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("imaginary"), Error);
    plan.update_values(exec, rounded.matrix());
    plan.check_values(exec);
  }
}

TEST_CASE("more right-hand sides than room was kept for") {
  const Exec exec;
  const auto rows = random_rows<double>(emulated ? 30 : 200, 3, true, 6);
  const auto n = rows.size();
  const Owned a(rows);
  const auto check = [&](auto plan) {
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
        const Kokkos::View<double*, Space> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
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
  };
  for (const int hint : {1, 3}) {
    CAPTURE(hint);
    IluOptions options{.vectors = {.count = hint}};
    check(Ilu(exec, a.matrix(), options));
    check(Ic(exec, a.matrix(), options));
    options.factor_values = FactorValues::single_precision;
    check(Ilu(exec, a.matrix(), options));
  }
}

}  // namespace heddle::test
