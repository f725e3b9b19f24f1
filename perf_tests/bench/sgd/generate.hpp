// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <heddle/sgd.hpp>
#include <vector>

#include "../../../testing/random.hpp"

namespace heddle::bench {

/// Random ratings like MovieLens: 138,493 users and 26,744 items at 20 million, both growing with
/// the square root of `count`; power laws by which then the most popular item has 67,000 and the
/// busiest user 9,000; values in half stars, of factors of rank four and noise. Places may repeat.
inline Ratings<float, int, Kokkos::HostSpace> generated_ratings(std::int64_t count,
                                                                std::uint64_t seed) {
  const double size = std::sqrt(static_cast<double>(count) / 20e6);
  const auto rows = std::max<std::int64_t>(4, static_cast<std::int64_t>(138493 * size));
  const auto columns = std::max<std::int64_t>(4, static_cast<std::int64_t>(26744 * size));
  test::Random random(seed);
  const auto popular = [&](std::int64_t extent, double power, double shift) {
    // Inverse of the running sum of (place + shift)^-power, as an integral.
    const double e = 1 - power, low = std::pow(shift, e),
                 high = std::pow(static_cast<double>(extent) + shift, e);
    const double place = std::pow(low + random.unit() * (high - low), 1 / e) - shift;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, extent - 1);
  };
  const auto scattered = [&](std::int64_t extent) {
    std::vector<int> number(static_cast<std::size_t>(extent));
    for (std::int64_t i = 0; i < extent; ++i) {
      const std::int64_t j = random.below(i + 1);
      number[static_cast<std::size_t>(i)] = number[static_cast<std::size_t>(j)];
      number[static_cast<std::size_t>(j)] = static_cast<int>(i);
    }
    return number;
  };
  const auto of_rows = scattered(rows), of_columns = scattered(columns);
  constexpr int rank = 4;
  std::vector<double> p(static_cast<std::size_t>(rows) * rank),
      q(static_cast<std::size_t>(columns) * rank);
  for (double& entry : p) entry = 0.5 + random.unit();
  for (double& entry : q) entry = 0.4 + random.unit();
  const auto n = static_cast<std::size_t>(count);
  const Kokkos::View<int*, Kokkos::HostSpace> row("heddle::bench::row", n),
      column("heddle::bench::column", n);
  const Kokkos::View<float*, Kokkos::HostSpace> value("heddle::bench::value", n);
  for (std::size_t k = 0; k < n; ++k) {
    row(k) = of_rows[static_cast<std::size_t>(popular(rows, 0.75, 30))];
    column(k) = of_columns[static_cast<std::size_t>(popular(columns, 0.95, 30))];
    double sum = 0.3 * (random.unit() + random.unit() - 1);
    for (int i = 0; i < rank; ++i) {
      sum += p[static_cast<std::size_t>(row(k) * rank + i)] *
             q[static_cast<std::size_t>(column(k) * rank + i)];
    }
    value(k) = static_cast<float>(std::clamp(std::round(2 * sum) / 2, 0.5, 5.0));
  }
  return {rows, columns, row, column, value};
}

}  // namespace heddle::bench
