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
using Owned = OwnedMatrix<RealFactors>;
using Ilu = RealLu::Plan;
using Ic = RealCholesky::Plan;

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

TEST_CASE_TEMPLATE("pivots that go bad are reported by their lowest row, and good values heal them",
                   F, RealLu, RealCholesky) {
  using Plan = typename F::Plan;
  const Exec exec;
  const auto rows = ascending(random_rows<double>(40, 2, true, 1));
  const auto check_factors_of = [&](Plan& plan, const HostRows<double>& of) {
    plan.check_values(exec);
    CHECK(bad_word(plan) == 0);
    CHECK(difference(plan.factors(exec), F::reference(of, {})) < 1e-14);
  };
  const Owned a(rows);
  Plan plan(exec, a.matrix());
  const auto before = plan.version();
  check_factors_of(plan, rows);
  auto other = rows;
  for (auto& row : other) {
    for (auto& entry : row) entry.second *= 1.5;
  }
  const Owned of_other(other);
  plan.update_values(exec, of_other.matrix());
  CHECK(plan.version() != before);
  check_factors_of(plan, other);
  std::vector<double> bad_pivots{0, std::nan("")};
  if (F::hermitian) bad_pivots.push_back(-1);
  for (const double pivot : bad_pivots) {
    CAPTURE(pivot);
    // Rows 11 and 17 have a diagonal alone, which no update changes.
    auto changed = rows;
    for (const std::size_t i : {std::size_t{11}, std::size_t{17}}) {
      for (auto& [column, value] : changed[i]) {
        value = column == static_cast<std::int64_t>(i) ? pivot : 0.0;
      }
    }
    const Owned bad(changed);
    for (int repeat = 0; repeat < 2; ++repeat) {
      plan.update_values(exec, bad.matrix());
      exec.fence("heddle::test::factored");
      CHECK(bad_word(plan) == 12);
      CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 11"), Error);
      CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix()), doctest::Contains("row 11"), Error);
      if (F::hermitian) {
        CHECK_THROWS_WITH_AS(Plan(exec, bad.matrix()), doctest::Contains("not positive"), Error);
      }
      plan.update_values(exec, a.matrix());
      check_factors_of(plan, rows);
    }
  }
}

TEST_CASE("a pivot floor lifts small pivots of LU, and keeps their sign or phase") {
  using S = ComplexFactors::Scalar;
  const Exec exec;
  const HostRows<S> rows = {
      {{0, S(0)}}, {{1, S(-0.01)}}, {{2, S(0, 0.001)}}, {{3, S(-3)}}, {{4, S(0.03, -0.04)}}};
  const OwnedMatrix<ComplexFactors> a(rows);
  const Lu<ComplexFactors>::Plan plan(exec, a.matrix(), {.pivot_floor = 0.5});
  plan.check_values(exec);
  const auto factors = plan.factors(exec);
  const auto pivots = to_host(factors.values());
  const S expected[] = {S(0.5), S(-0.5), S(0, 0.5), S(-3), S(0.3, -0.4)};
  for (std::size_t i = 0; i < 5; ++i) CHECK(Kokkos::abs(pivots(i) - expected[i]) < 1e-15);
  CHECK(plan.residual(exec, a.matrix()) > 0.1);
}

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
  using S = ComplexFactors::Scalar;
  using Plan = Cholesky<ComplexFactors>::Plan;
  const Exec exec;
  const HostRows<S> rows = ascending(random_rows<S>(20, 2, true, 4));
  const auto with_imaginary = [&](std::initializer_list<std::size_t> which, double part) {
    auto changed = rows;
    for (const std::size_t i : which) {
      for (auto& [column, value] : changed[i]) {
        if (column == static_cast<std::int64_t>(i)) value += S(0, part);
      }
    }
    return OwnedMatrix<ComplexFactors>(changed);
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

}  // namespace heddle::test
