// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <heddle/sgd.hpp>

#include "../../../core/hash.hpp"
#include "../../../testing/backends.hpp"
#include "../../../testing/events.hpp"
#include "../../../testing/random.hpp"

namespace heddle::test {

namespace {

template <class S>
struct HostRatings {
  int rows, columns;
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

/// Ratings that a product of factors of rank two gives, some twice, most of few rows and columns.
template <class S>
HostRatings<S> some_ratings(int rows, int columns, int count) {
  HostRatings<S> ratings{rows, columns, {}, {}, {}};
  Random random(5);
  for (int k = 0; k < count; ++k) {
    const int i = static_cast<int>(random.below(1 + random.below(rows)));
    const int j = static_cast<int>(random.below(1 + random.below(columns)));
    ratings.row.push_back(i);
    ratings.column.push_back(j);
    ratings.value.push_back(static_cast<S>(1 + (i % 7) * 0.3 + (j % 5) * 0.2));
  }
  return ratings;
}

std::vector<int> shuffled(int n, std::uint64_t seed) {
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

/// As `lanes` lanes add up products.
template <class S>
S dot(const HostFactor<S>& p, int i, const HostFactor<S>& q, int j, int lanes) {
  std::vector<S> sums(static_cast<std::size_t>(lanes));
  for (std::size_t k = 0; k < p.extent(1); ++k) {
    sums[k % sums.size()] += p(i, k) * q(j, k);
  }
  for (std::size_t half = sums.size() / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) sums[l] += sums[l + half];
  }
  return sums[0];
}

/// One after the other, in the order that the schedule has on paper.
template <class S>
void reference_epoch(const HostRatings<S>& ratings, const SgdOptions& options, int lanes,
                     const HostFactor<S>& p, const HostFactor<S>& q, S rate, S lambda) {
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
    const S error = ratings.value[k] - dot(p, i, q, j, lanes);
    for (std::size_t l = 0; l < p.extent(1); ++l) {
      const S a = p(i, l), b = q(j, l);
      p(i, l) = a + rate * (error * b - lambda * a);
      q(j, l) = b + rate * (error * a - lambda * b);
    }
  }
}

#ifdef FP_FAST_FMA  // compilers contract what they like
constexpr bool rounds_alike = false;
#else
constexpr bool rounds_alike = true;
#endif

template <class Exec, class S>
struct Factors {
  template <class T>
  using View = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
  View<S> p, q;
  HostFactor<S> host_p, host_q;

  Factors(const HostRatings<S>& ratings, int rank)
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

template <class S>
int differing(const HostFactor<S>& a, const HostFactor<S>& b) {
  const double bound = rounds_alike ? 0 : 1e4 * std::numeric_limits<S>::epsilon();
  int count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a.data()[i], y = b.data()[i];
    count += !(std::abs(x - y) <= bound * std::abs(y));
  }
  return count;
}

template <class Exec, class S>
void check_epochs(const HostRatings<S>& ratings, const SgdOptions& given) {
  CAPTURE(ratings.rows);
  CAPTURE(given.rank);
  CAPTURE(given.seed);
  CAPTURE(name(given.schedule));
  const Exec exec;
  SgdPlan<Exec, S> plan(exec, ratings.template on<typename Exec::memory_space>(), given);
  const int rank = given.rank;
  const int lanes = rank == 16 || rank == 32 ? rank : backends::has_lanes<Exec> ? 32 : 1;
  Factors<Exec, S> factors(ratings, rank), expected(ratings, rank);
  plan.start(exec, factors.p, factors.q);
  plan.start(exec, expected.p, expected.q);
  exec.fence("heddle::test::started");
  expected.copy_back();
  for (int epoch = 0; epoch < 2; ++epoch) {
    plan.epoch(exec, factors.p, factors.q, 0.05, 0.01);
    reference_epoch<S>(ratings, plan.options(), lanes, expected.host_p, expected.host_q, S(0.05),
                       S(0.01));
  }
  exec.fence("heddle::test::epochs");
  factors.copy_back();
  CHECK(differing(factors.host_p, expected.host_p) == 0);
  CHECK(differing(factors.host_q, expected.host_q) == 0);
  double squares = 0;
  for (std::size_t k = 0; k < ratings.value.size(); ++k) {
    const double error = ratings.value[k] - dot(expected.host_p, ratings.row[k], expected.host_q,
                                                ratings.column[k], 1);
    squares += error * error;
  }
  const auto count = std::max<double>(1, static_cast<double>(ratings.value.size()));
  CHECK(plan.rmse(exec, factors.p, factors.q) ==
        doctest::Approx(std::sqrt(squares / count)).epsilon(1e-4));
}

using Backend = DefaultDevice;
#if defined(HEDDLE_FULL_TESTS)
using SgdBackends = AllBackends;
using SgdTypes = Every<std::tuple<float, double>, UsualIndices, SgdBackends>;
#elif defined(HEDDLE_EMULATED) || defined(HEDDLE_SANITIZED_TESTS)
using SgdTypes = Every<std::tuple<float>, UsualIndices, std::tuple<Backend>>;
#else
using SgdTypes = JoinTuples<Every<std::tuple<float, double>, UsualIndices, std::tuple<Backend>>,
                            Every<std::tuple<float>, UsualIndices, std::tuple<Portable<Backend>>>>;
#endif

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("an epoch is the loop in the order of its schedule, bit by bit", T,
                          epochs) {
  using S = typename T::Scalar;
  const auto ratings = some_ratings<S>(37, 23, emulated ? 150 : 400);
  for (const int rank : {1, 5, 16, 32, 33}) {
    for (const std::uint64_t seed : {0, 3}) {
      check_epochs<typename T::Exec, S>(ratings, {.rank = rank, .seed = seed});
      check_epochs<typename T::Exec, S>(
          ratings, {.rank = rank, .block_rows = 4, .block_columns = 3, .seed = seed});
      check_epochs<typename T::Exec, S>(
          ratings, {.rank = rank, .schedule = SgdSchedule::diagonals, .seed = seed});
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(epochs, SgdTypes);

TEST_CASE("no rating, one row, one column, one place many times, blocks of all") {
  const HostRatings<float> none{4, 6, {}, {}, {}}, nothing{0, 0, {}, {}, {}};
  const auto row = some_ratings<float>(1, 9, 40), column = some_ratings<float>(9, 1, 40),
             place = some_ratings<float>(1, 1, 10), both = some_ratings<float>(12, 40, 100);
  for (const auto* ratings : {&none, &nothing, &row, &column, &place, &both}) {
    for (const int rank : {3, 16}) {
      check_epochs<Backend, float>(*ratings, {.rank = rank});
      check_epochs<Backend, float>(*ratings, {.rank = rank, .schedule = SgdSchedule::diagonals});
      check_epochs<Backend, float>(*ratings,
                                   {.rank = rank, .block_rows = 100, .block_columns = 100});
    }
  }
}

TEST_CASE("ratings of rank two are found again, by every schedule") {
  const auto ratings = some_ratings<double>(40, 30, 1500);
  const Backend exec;
  for (const SgdSchedule schedule :
       {SgdSchedule::block_diagonals, SgdSchedule::diagonals, SgdSchedule::atomic}) {
    CAPTURE(name(schedule));
    SgdPlan plan(exec, ratings.on<Backend::memory_space>(), {.rank = 16, .schedule = schedule});
    Factors<Backend, double> factors(ratings, 16);
    plan.start(exec, factors.p, factors.q);
    const double before = plan.rmse(exec, factors.p, factors.q);
    for (int epoch = 0; epoch < (emulated ? 5 : 30); ++epoch) {
      plan.epoch(exec, factors.p, factors.q, 0.03, 0.0);
    }
    const double after = plan.rmse(exec, factors.p, factors.q);
    CAPTURE(before);
    CAPTURE(after);
    CHECK(after < (emulated ? 0.8 : 0.15) * before);
  }
}

TEST_CASE("an epoch is a launch a wave, and nothing else") {
  const auto ratings = some_ratings<float>(40, 30, 200);
  const Backend exec;
  for (const SgdSchedule schedule :
       {SgdSchedule::block_diagonals, SgdSchedule::diagonals, SgdSchedule::atomic}) {
    SgdPlan plan(exec, ratings.on<Backend::memory_space>(), {.rank = 4, .schedule = schedule});
    Factors<Backend, float> factors(ratings, 4);
    plan.start(exec, factors.p, factors.q);
    const auto seen =
        only_launches(exec, [&] { plan.epoch(exec, factors.p, factors.q, 0.01, 0.02); });
    CHECK(static_cast<std::int64_t>(seen.size()) == plan.waves());
    CHECK(plan.waves() <= 40);
  }
}

TEST_CASE("strides between rows, schemes, moves") {
  const auto ratings = some_ratings<float>(12, 11, 60);
  const Backend exec;
  SgdPlan plan(exec, ratings.on<Backend::memory_space>(),
               {.rank = 16, .block_rows = 3, .block_columns = 4});
  CHECK(plan.scheme().to_string() == "sgd/block-diagonals,rows=3,columns=4");
  CHECK(plan.ratings() == 60);
  Factors<Backend, float> factors(ratings, 16), wide(ratings, 20);
  const auto p = Kokkos::subview(wide.p, Kokkos::ALL, std::pair(0, 16));
  const auto q = Kokkos::subview(wide.q, Kokkos::ALL, std::pair(0, 16));
  plan.start(exec, factors.p, factors.q);
  plan.epoch(exec, factors.p, factors.q, 0.05, 0.01);
  SgdPlan moved = std::move(plan);
  moved.start(exec, p, q);
  moved.epoch(exec, p, q, 0.05, 0.01);
  CHECK(moved.rmse(exec, p, q) == moved.rmse(exec, factors.p, factors.q));
  CHECK_THROWS_AS(plan.epoch(exec, p, q, 0.05, 0.01), Error);
}

TEST_CASE("wrong input is an Error that says what") {
  const Backend exec;
  auto ratings = some_ratings<float>(12, 11, 60);
  const auto make = [&](const SgdOptions& options = {}) {
    return SgdPlan<Backend, float>(exec, ratings.on<Backend::memory_space>(), options);
  };
  CHECK_THROWS_AS(make({.rank = 0}), Error);
  CHECK_THROWS_AS(make({.block_rows = -1}), Error);
  CHECK_THROWS_AS(make({.schedule = SgdSchedule::diagonals, .block_rows = 2}), Error);
  const auto plan = make({.rank = 4});
  Factors<Backend, float> factors(ratings, 5);
  CHECK_THROWS_AS(plan.epoch(exec, factors.p, factors.q, 0.1, 0), Error);
  for (const int wrong : {12, -1}) {
    ratings.row[17] = wrong;
    CHECK_THROWS_WITH_AS(make(), doctest::Contains("entry 17"), Error);
  }
  ratings.row[17] = 0;
  ratings.value[9] = std::numeric_limits<float>::infinity();
  CHECK_THROWS_WITH_AS(make(), doctest::Contains("entry 9"), Error);
  ratings.value.pop_back();
  CHECK_THROWS_AS(make(), Error);
}

TEST_CASE("ratings are read, with times or without, and wrong lines named") {
  const auto ratings =
      parse_ratings<float>("# user item rating time\n3 1 4.5 881250949\n\n0\t7\t1\r\n3 1 2");
  CHECK(ratings.rows == 4);
  CHECK(ratings.columns == 8);
  REQUIRE(ratings.count() == 3);
  CHECK(ratings.row(1) == 0);
  CHECK(ratings.column(1) == 7);
  CHECK(ratings.value(0) == 4.5f);
  CHECK(ratings.value(2) == 2.0f);
  CHECK(parse_ratings<double>("").count() == 0);
  for (const char* wrong :
       {"1 2 3\n1 2\n", "1 2 3\n-1 2 3\n", "1 2 3\n1 x 3\n", "1 2 3\n1 2 3 4 5", "1 2 3\n1 2 three",
        "1 2 3\n1 99999999999 3", "1 2 3\n1,2,3", "1 2 3\n1"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(parse_ratings<float>(wrong, "ratings"), doctest::Contains("ratings:2"),
                         Error);
  }
  CHECK_THROWS_AS(read_ratings("there is no such file"), Error);
}

}  // namespace heddle::test
