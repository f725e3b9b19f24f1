// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Part of format_suite.hpp: infinities and NaNs reach the rows they belong to, and no others.
#pragma once

#include "make_plans.hpp"
#include "patterns.hpp"

namespace heddle::test {

template <Scalar S>
bool is_finite(const S& value) {
  if constexpr (is_complex<S>) {
    return std::isfinite(value.real()) && std::isfinite(value.imag());
  } else {
    return std::isfinite(value);
  }
}

TEST_CASE_TEMPLATE_DEFINE("a sum that is not a number arrives, and nothing hangs", T,
                          suite_nan_sums) {
  using S = typename T::Scalar;
  using Real = RealOf<S>;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  // The NaN that means "no sum yet" in a mailbox, and ordinary ones.
  Real strange;
  if constexpr (sizeof(Real) == 4) {
    const std::uint32_t payload = 0x7fc0c5a1u;
    std::memcpy(&strange, &payload, sizeof(strange));
  } else {
    const std::uint64_t payload = 0x7ff8c5a1c5a1c5a1u;
    std::memcpy(&strange, &payload, sizeof(strange));
  }
  using Limits = std::numeric_limits<Real>;
  for (const Pattern& pattern :
       {pattern_named("huge first and last row"), pattern_named("dense")}) {
    const auto A = to_device<T>(exec, pattern);
    for (const Real bad : {strange, Limits::quiet_NaN(), Limits::infinity()}) {
      const Kokkos::View<S*, typename T::Space> x("heddle::test::x", A.rows_of_x());
      const Kokkos::View<S*, typename T::Space> y("heddle::test::y", A.rows_of_y());
      Kokkos::deep_copy(x, S(bad));
      for (const Scheme& scheme : schemes.in_turn(0, 2)) {
        auto plan = make(A, {.scheme = scheme});
        if (!plan) continue;
        for (int run = 0; run < 2; ++run) plan->apply(exec, S(1), x, S(0), y);
        exec.fence("heddle::test::applied");
        const auto result = to_host(y);
        CHECK(!is_finite(result(0)));
        CHECK(!is_finite(result(result.extent(0) - 1)));
      }
    }
  }
}

/// Every seventh row begins with an infinite entry, which must make that row infinite and no other.
template <class T>
void infinity_stays(PlanMaker<T>& make, const DeviceMatrix<T>& A,
                    const std::vector<Scheme>& schemes, int vectors, bool apart) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto infinite = [&](std::size_t i) {
    return i % 7 == 0 && A.host.row_ptr()(i) < A.host.row_ptr()(i + 1);
  };
  const auto count = static_cast<std::size_t>(vectors);
  const Vectors<S, typename T::Space> x(A.rows_of_x(), count, apart);
  const Vectors<S, typename T::Space> y(A.rows_of_y(), count, apart);
  Kokkos::deep_copy(x.data(), S(1));
  for (const Scheme& scheme : schemes) {
    for (const int expected : {1, vectors}) {
      auto plan = make(A, {.scheme = scheme, .vectors = {expected}});
      if (!plan) continue;
      plan->apply(exec, S(1), x.view(), S(0), y.view());
      exec.fence("heddle::test::applied");
      const auto result = y.template in<Kokkos::HostSpace>();
      bool stays = true;
      for (std::size_t i = 0; i < A.rows_of_y(); ++i) {
        for (std::size_t c = 0; c < count; ++c) {
          stays = stays && is_finite(result.view()(i, c)) != infinite(i);
        }
      }
      CHECK_MESSAGE(stays, A.name, ", ", plan->scheme().to_string(), ", ", vectors, " vectors, ",
                    expected, " expected");
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("an infinite entry stays in its row", T, suite_infinite_entries) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  const Pattern patterns[] = {
      random_pattern("irregular", 3, emulated ? 120 : 700, 900,
                     [](std::int64_t i) { return i == 70 ? 800 : i % 60; }),
      random_pattern("small", 4, 50, 40, [](std::int64_t i) { return i == 7 ? 40 : i % 9; }),
      random_pattern("rows of like length", 5, emulated ? 100 : 300, 200,
                     [](std::int64_t i) { return 5 + i % 4; }),
      diagonals_with_holes()};
  for (const Pattern& pattern : patterns) {
    const auto host = make_matrix<S, typename T::Ordinal, typename T::Offset>(pattern);
    for (std::size_t i = 0; i < pattern.rows.size(); i += 7) {
      if (pattern.rows[i].empty()) continue;
      host.values()(host.row_ptr()(i)) = S(std::numeric_limits<RealOf<S>>::infinity());
    }
    const auto A = to_device<T>(exec, pattern.name, host);
    std::size_t turn = 0;
    for (const int vectors : {1, 3, 8, 12, 40}) {
      if (emulated && (vectors == 8 || vectors == 12)) continue;
      for (const bool apart : {true, false}) {
        infinity_stays(make, A, schemes.in_turn(turn++, 4), vectors, apart);
      }
    }
  }
}

TEST_CASE_TEMPLATE_DEFINE("an infinite entry of x is felt by the rows that hold its column", T,
                          suite_infinite_x) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const TestedSchemes<T> schemes(exec);
  PlanMaker<T> make(exec);
  for (const std::int64_t rows : {cut(3000), std::int64_t{60}}) {
    // Row i has column i alone, or a few more: its neighbours in memory belong to other rows.
    Pattern pattern{"few to a row", rows, {}};
    for (std::int64_t i = 0; i < rows; ++i) {
      std::vector<std::int64_t> row{i};
      for (std::int64_t j = 1; j < i % 7 && i + j < rows; ++j) row.push_back(i + j);
      pattern.rows.push_back(row);
    }
    const auto A = to_device<T>(exec, pattern);
    for (const Scheme& scheme : schemes.in_turn(0, 1)) {
      auto plan = make(A, {.scheme = scheme});
      if (!plan) continue;
      for (const std::int64_t infinite : {std::int64_t{0}, std::int64_t{5}, rows / 2, rows - 1}) {
        auto x = random_vector<S>(A.rows_of_x(), 3);
        x(static_cast<std::size_t>(infinite)) = S(std::numeric_limits<RealOf<S>>::infinity());
        const auto x_device = copy_to<typename T::Space>(x);
        const Kokkos::View<S*, typename T::Space> y("heddle::test::y", A.rows_of_y());
        plan->apply(exec, S(1), x_device, S(0), y);
        exec.fence("heddle::test::applied");
        const auto result = to_host(y);
        std::int64_t wrong = -1;
        for (std::int64_t i = rows - 1; i >= 0; --i) {
          const auto& row = pattern.rows[static_cast<std::size_t>(i)];
          const bool holds = std::find(row.begin(), row.end(), infinite) != row.end();
          if (is_finite(result(static_cast<std::size_t>(i))) == holds) wrong = i;
        }
        CHECK_MESSAGE(wrong == -1, plan->scheme().to_string(), ", row ", wrong, ", x(", infinite,
                      ") infinite");
      }
    }
  }
}

}  // namespace heddle::test
