// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factors of a matrix whose pattern is not the plan's.
#include "../../../solvers/ilu/pattern.hpp"
#include "../../../testing/vectors_check.hpp"
#include "../../support/incomplete.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Default = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Exec = DefaultDevice;
using Owned = OwnedMatrix<Default>;

constexpr std::int64_t n = emulated ? 40 : 300;

/// A diagonal and one full row, with descending columns on request: the same number of entries
/// wherever the row is.
HostRows<double> one_long_row(std::int64_t which, bool descending) {
  HostRows<double> rows(n);
  for (std::int64_t i = 0; i < n; ++i) {
    auto& row = rows[static_cast<std::size_t>(i)];
    if (i != which) {
      row.emplace_back(i, 2.0);
      continue;
    }
    for (std::int64_t j = 0; j < n; ++j) row.emplace_back(j, i == j ? 2.0 : 1.0 / 1024);
    if (descending) std::reverse(row.begin(), row.end());
  }
  return rows;
}

/// The schemes of a plan, exact ones and sweeps.
std::vector<Scheme> all_schemes(const char* name) {
  auto schemes = factor_schemes<Exec>(name);
  for (const Scheme& scheme : factor_schemes<Exec>(name, false)) schemes.push_back(scheme);
  return schemes;
}

template <class Plan>
void factors_another(const char* name, FactorValues factor_values) {
  const Exec exec;
  for (const bool descending : {false, true}) {
    const Owned first(one_long_row(0, descending)), last(one_long_row(n - 1, descending));
    for (const Owned* inspected : {&first, &last}) {
      const Owned& other = inspected == &first ? last : first;
      for (const int level : {0, 1}) {
        for (const Scheme& scheme : all_schemes(name)) {
          CAPTURE(descending);
          CAPTURE(level);
          CAPTURE(scheme.to_string());
          IluOptions options;
          options.factor_values = factor_values;
          options.scheme = scheme;
          options.fill_level = level;
          options.check_pattern = false;
          Plan plan(exec, inspected->matrix(), options);
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

template <class Plan>
void says_another(const char* plan_name) {
  const Exec exec;
  const Owned first(one_long_row(0, false)), last(one_long_row(n - 1, false));
  Plan plan(exec, first.matrix(), {.check_pattern = true});
  plan.update_values(exec, first.matrix());
  CHECK_THROWS_WITH_AS(plan.update_values(exec, last.matrix()), doctest::Contains(plan_name),
                       Error);
  CHECK_THROWS_WITH_AS(plan.update_values(exec, last.matrix()),
                       doctest::Contains("pattern changes"), Error);
  CHECK_THROWS_WITH_AS(plan.residual(exec, last.matrix()), doctest::Contains(plan_name), Error);
  plan.update_values(exec, first.matrix());
  plan.check_values(exec);
}

}  // namespace

TEST_CASE("values of another pattern with as many entries are written within the factors") {
  for (const FactorValues values : {FactorValues::same, FactorValues::single_precision}) {
    factors_another<IluPlan<Exec, Owned::Matrix>>("ilu", values);
    factors_another<IcPlan<Exec, Owned::Matrix>>("ic", values);
  }
}

TEST_CASE("another pattern is an error where it is compared") {
  says_another<IluPlan<Exec, Owned::Matrix>>("IluPlan");
  says_another<IcPlan<Exec, Owned::Matrix>>("IcPlan");
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

}  // namespace heddle::test
