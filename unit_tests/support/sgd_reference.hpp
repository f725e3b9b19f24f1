// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix factorization, one rating after another, in the documented order of a schedule.
#pragma once

#include <array>
#include <cmath>
#include <heddle/sgd.hpp>
#include <string>

#include "../../core/hash.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/random.hpp"

namespace heddle::test {

template <class S>
struct HostRatings {
  int rows = 0, columns = 0;
  std::vector<int> row, column;
  std::vector<S> value;

  template <class Space>
  Ratings<S, int, Space> on() const {
    const auto view = [](const auto& from) {
      using T = typename std::decay_t<decltype(from)>::value_type;
      return copy_to<Space>(Kokkos::View<const T*, Kokkos::HostSpace>(from.data(), from.size()));
    };
    return {rows, columns, view(row), view(column), view(value)};
  }
};

/// Ratings from factors of rank two, some of them twice, most of them in few rows and columns.
template <class S>
HostRatings<S> some_ratings(int rows, int columns, int count, std::uint64_t seed = 5) {
  HostRatings<S> ratings{rows, columns, {}, {}, {}};
  Random random(seed);
  for (int k = 0; k < count; ++k) {
    const int i = static_cast<int>(random.below(1 + random.below(rows)));
    const int j = static_cast<int>(random.below(1 + random.below(columns)));
    ratings.row.push_back(i);
    ratings.column.push_back(j);
    ratings.value.push_back(static_cast<S>(1 + (i % 7) * 0.3 + (j % 5) * 0.2));
  }
  return ratings;
}

inline std::vector<int> shuffled(int n, std::uint64_t seed) {
  std::vector<int> order(static_cast<std::size_t>(n)), place(order.size());
  for (int i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  if (seed == 0) return order;
  const auto key = [&](int i) {
    return heddle::detail::hash_of(heddle::detail::hash_of(seed) + static_cast<std::uint64_t>(i)) >>
           33;
  };
  std::stable_sort(order.begin(), order.end(), [&](int i, int j) { return key(i) < key(j); });
  for (int p = 0; p < n; ++p) {
    place[static_cast<std::size_t>(order[static_cast<std::size_t>(p)])] = p;
  }
  return place;
}

template <class S>
using HostFactor = Kokkos::View<S**, Kokkos::LayoutRight, Kokkos::HostSpace>;

/// a b + c, rounded once or twice: devices, and hosts that have the instruction, may contract it.
template <class S>
S multiply_add(S a, S b, S c, bool fused) {
  if (fused) return std::fma(a, b, c);
  const S product = a * b;
  return product + c;
}

/// A dot product in the order of `lanes` lanes.
template <class S>
S dot(const HostFactor<S>& p, int i, const HostFactor<S>& q, int j, int lanes, bool fused = false) {
  std::vector<S> sums(static_cast<std::size_t>(lanes));
  for (std::size_t k = 0; k < p.extent(1); ++k) {
    S& sum = sums[k % sums.size()];
    sum = multiply_add(p(i, k), q(j, k), sum, fused);
  }
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

/// An epoch, one rating after another, in the documented order of the schedule.
template <class S>
void reference_epoch(const HostRatings<S>& ratings, const SgdOptions& options, int lanes,
                     const HostFactor<S>& p, const HostFactor<S>& q, S rate, S lambda,
                     bool fused = false) {
  const auto row_place = shuffled(ratings.rows, options.seed);
  const auto column_place = shuffled(ratings.columns, ~options.seed * (options.seed != 0));
  const auto r = options.block_rows, c = options.block_columns;
  const std::int64_t waves = std::max((ratings.rows + r - 1) / r, (ratings.columns + c - 1) / c);
  std::vector<std::array<std::int64_t, 3>> key;
  std::vector<std::size_t> order;
  for (std::size_t k = 0; k < ratings.value.size(); ++k) {
    const std::int64_t i = row_place[static_cast<std::size_t>(ratings.row[k])];
    const std::int64_t j = column_place[static_cast<std::size_t>(ratings.column[k])];
    key.push_back({(j / c - i / r + waves) % waves, i / r, i});
    order.push_back(k);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return key[a] < key[b]; });
  for (const std::size_t k : order) {
    const int i = ratings.row[k], j = ratings.column[k];
    const S error = ratings.value[k] - dot(p, i, q, j, lanes, fused);
    for (std::size_t l = 0; l < p.extent(1); ++l) {
      const S a = p(i, l), b = q(j, l);
      p(i, l) = multiply_add(rate, multiply_add(error, b, -(lambda * a), fused), a, fused);
      q(j, l) = multiply_add(rate, multiply_add(error, a, -(lambda * b), fused), b, fused);
    }
  }
}

/// Whether a plan on `Exec` rounds as the reference does. Bits are guaranteed on one device.
template <class Exec>
constexpr bool rounds_alike =
#ifdef FP_FAST_FMA
    false;
#else
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, typename Exec::memory_space>::accessible;
#endif

template <class Exec, class S>
struct SgdFactors {
  template <class T>
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
  View<S> p, q;
  HostFactor<S> host_p, host_q;

  SgdFactors(const HostRatings<S>& ratings, int rank)
      : p("heddle::test::p", static_cast<std::size_t>(ratings.rows),
          static_cast<std::size_t>(rank)),
        q("heddle::test::q", static_cast<std::size_t>(ratings.columns),
          static_cast<std::size_t>(rank)) {}
  void copy_back() {
    host_p = HostFactor<S>("heddle::test::host_p", p.extent(0), p.extent(1));
    host_q = HostFactor<S>("heddle::test::host_q", q.extent(0), q.extent(1));
    Kokkos::deep_copy(host_p, p);
    Kokkos::deep_copy(host_q, q);
  }
};

/// The largest number of updates of a row or a column in an epoch.
template <class S>
int most_updates(const HostRatings<S>& ratings) {
  std::vector<int> of_row(static_cast<std::size_t>(ratings.rows)),
      of_column(static_cast<std::size_t>(ratings.columns));
  int most = 0;
  for (std::size_t k = 0; k < ratings.value.size(); ++k) {
    most = std::max({most, ++of_row[static_cast<std::size_t>(ratings.row[k])],
                     ++of_column[static_cast<std::size_t>(ratings.column[k])]});
  }
  return most;
}

/// The largest difference of two factors relative to the largest entry, in units of the rounding
/// error of `updates` updates.
template <class S>
double off_by(const HostFactor<S>& a, const HostFactor<S>& b, int updates) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double y = b.data()[i], off = std::abs(a.data()[i] - y);
    largest = std::max(largest, std::abs(y));
    if (off > difference || std::isnan(off)) difference = off;
  }
  if (difference == 0) return 0;
  return difference / (updates * static_cast<double>(std::numeric_limits<S>::epsilon()) * largest);
}

/// The error of some epochs of a plan: other factors than those of the loop, other bits on
/// `other`, or a wrong root mean square error; "" if nothing.
template <class Exec, class S>
std::string wrong_epochs(const Exec& exec, const Exec& other, const SgdPlan<Exec, S>& plan,
                         const HostRatings<S>& ratings, int epochs) {
  constexpr S rate(0.05), lambda(0.01);
  const int rank = plan.options().rank;
  const int lanes = rank == 16 || rank == 32 ? rank : backends::has_lanes<Exec> ? 32 : 1;
  const auto run = [&](const Exec& on, int count) {
    SgdFactors<Exec, S> factors(ratings, rank);
    plan.start(on, factors.p, factors.q);
    for (int epoch = 0; epoch < count; ++epoch) {
      plan.epoch(on, factors.p, factors.q, rate, lambda);
    }
    on.fence("heddle::test::epochs");
    factors.copy_back();
    return factors;
  };
  const auto factors = run(exec, epochs), again = run(other, epochs), expected = run(exec, 0);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    reference_epoch<S>(ratings, plan.options(), lanes, expected.host_p, expected.host_q, rate,
                       lambda);
  }
  const int updates = epochs * most_updates(ratings);
  const auto off = [&](const auto& a, const auto& b) {
    const double p = off_by(a.host_p, b.host_p, updates), q = off_by(a.host_q, b.host_q, updates);
    return std::isnan(q) || q > p ? q : p;
  };
  if (!(off(factors, expected) <= (rounds_alike<Exec> ? 0 : 1))) {
    return "not the factors of the loop";
  }
  if (!(off(again, factors) <= 0)) return "other bits the second time";
  double squares = 0;
  for (std::size_t k = 0; k < ratings.value.size(); ++k) {
    const double error = ratings.value[k] - dot(expected.host_p, ratings.row[k], expected.host_q,
                                                ratings.column[k], 1);
    squares += error * error;
  }
  const double rmse = plan.rmse(exec, factors.p, factors.q);
  const auto count = std::max<double>(1, static_cast<double>(ratings.value.size()));
  const double right = std::sqrt(squares / count);
  if (std::abs(rmse - right) <= 1e-4 * (1 + right)) return "";
  return "an error of " + std::to_string(right) + " is said to be " + std::to_string(rmse);
}

}  // namespace heddle::test
