// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../../testing/events.hpp"
#include "../../support/sgd_reference.hpp"

namespace heddle::test {

namespace {

template <class Exec, class S>
void check_epochs(const HostRatings<S>& ratings, const SgdOptions& given) {
  CAPTURE(ratings.rows);
  CAPTURE(given.rank);
  CAPTURE(given.seed);
  CAPTURE(name(given.schedule));
  const Exec exec;
  const SgdPlan<Exec, S> plan(exec, ratings.template on<typename Exec::memory_space>(), given);
  CHECK(wrong_epochs(exec, exec, plan, ratings, 2) == "");
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

TEST_CASE_TEMPLATE_DEFINE(
    "an epoch is the loop in the order of its schedule, and twice the same bits", T, epochs) {
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

// Rounding that is allowed between a device and the host covers contracted sums in one loop.
TEST_CASE_TEMPLATE("contracted sums stay within what updates may round", S, float, double) {
  const auto ratings = some_ratings<S>(37, 23, 400);
  for (const int rank : {1, 5, 16, 33}) {
    for (const std::int64_t block : {1, 4, 40}) {
      const SgdOptions options{.rank = rank, .block_rows = block, .block_columns = block};
      SgdFactors<Kokkos::DefaultHostExecutionSpace, S> once(ratings, rank), twice(ratings, rank);
      Random random(3);
      once.copy_back();
      twice.copy_back();
      const auto draw = [&](const HostFactor<S>& to, const HostFactor<S>& and_to) {
        for (std::size_t i = 0; i < to.size(); ++i) {
          const double entry = std::sqrt(2.0 / rank) * (0.5 + random.unit());
          to.data()[i] = and_to.data()[i] = static_cast<S>(entry);
        }
      };
      draw(once.host_p, twice.host_p);
      draw(once.host_q, twice.host_q);
      for (int epoch = 0; epoch < 2; ++epoch) {
        reference_epoch<S>(ratings, options, 1, once.host_p, once.host_q, S(0.05), S(0.01), true);
        reference_epoch<S>(ratings, options, 1, twice.host_p, twice.host_q, S(0.05), S(0.01));
      }
      const int updates = 2 * most_updates(ratings);
      const double p = off_by(once.host_p, twice.host_p, updates),
                   q = off_by(once.host_q, twice.host_q, updates);
      CHECK(p <= 0.2);
      CHECK(q <= 0.2);
      CHECK(p + q > 0);
    }
  }
}

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
    SgdFactors<Backend, double> factors(ratings, 16);
    plan.start(exec, factors.p, factors.q);
    const double before = plan.rmse(exec, factors.p, factors.q);
    // The 50 ratings of a column may all read the same factors on a GPU, so that their steps are
    // summed.
    const int slower = schedule == SgdSchedule::atomic ? 10 : 1;
    for (int epoch = 0; epoch < slower * (emulated ? 5 : 30); ++epoch) {
      plan.epoch(exec, factors.p, factors.q, 0.03 / slower, 0.0);
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
    SgdFactors<Backend, float> factors(ratings, 4);
    plan.start(exec, factors.p, factors.q);
    const auto seen =
        only_launches(exec, [&] { plan.epoch(exec, factors.p, factors.q, 0.01, 0.02); });
    CHECK(static_cast<std::int64_t>(seen.size()) == plan.waves());
    CHECK(plan.waves() <= 40);
  }
}

TEST_CASE("strides between rows, and schemes") {
  const auto ratings = some_ratings<float>(12, 11, 60);
  const Backend exec;
  const SgdPlan plan(exec, ratings.on<Backend::memory_space>(),
                     {.rank = 16, .block_rows = 3, .block_columns = 4});
  CHECK(plan.scheme().to_string() == "sgd/block-diagonals,rows=3,columns=4");
  CHECK(plan.ratings() == 60);
  SgdFactors<Backend, float> factors(ratings, 16), wide(ratings, 20);
  const auto p = Kokkos::subview(wide.p, Kokkos::ALL, std::pair(0, 16));
  const auto q = Kokkos::subview(wide.q, Kokkos::ALL, std::pair(0, 16));
  plan.start(exec, factors.p, factors.q);
  plan.epoch(exec, factors.p, factors.q, 0.05, 0.01);
  plan.start(exec, p, q);
  plan.epoch(exec, p, q, 0.05, 0.01);
  CHECK(plan.rmse(exec, p, q) == plan.rmse(exec, factors.p, factors.q));
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
  SgdFactors<Backend, float> factors(ratings, 5);
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
  for (const char* wrong : {"1 2 3\n1 2\n", "1 2 3\n-1 2 3\n", "1 2 3\n1 x 3\n", "1 2 3\n1 2 3 4 5",
                            "1 2 3\n1 2 three", "1 2 3\n1 99999999999 3", "1 2 3\n1,,3", "1 2 3\n1",
                            "1 2 3\n1::2", "1 2 3\nuserId,movieId,rating"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(parse_ratings<float>(wrong, "ratings"), doctest::Contains("ratings:2"),
                         Error);
  }
  CHECK_THROWS_AS(read_ratings("there is no such file"), Error);
  CHECK_THROWS_WITH_AS(parse_ratings<float>("\xff\xfe"
                                            "1 2 3",
                                            "ratings"),
                       doctest::Contains("UTF-16"), Error);
}

TEST_CASE("ratings are read as MovieLens and spreadsheets write them") {
  for (const char* text : {"3::1::4.5::881250949\n0::7::1::881250949\n",
                           "userId,movieId,rating,timestamp\n3,1,4.5,8\n0,7,1,9",
                           "\xef\xbb\xbf"
                           "3;1;4.5\r\n0; 7 ;1\r\n",
                           "\xef\xbb\xbfuser item rating\n3 , 1\t4.5\n0 7 1,"}) {
    CAPTURE(text);
    const auto ratings = parse_ratings<float>(text);
    REQUIRE(ratings.count() == 2);
    CHECK(ratings.row(0) == 3);
    CHECK(ratings.column(1) == 7);
    CHECK(ratings.value(0) == 4.5f);
    CHECK(ratings.value(1) == 1.0f);
  }
}

TEST_CASE("a step is finite and not negative, and factors that diverge show in rmse") {
  const Backend exec;
  const auto ratings = some_ratings<float>(12, 11, 60);
  const SgdPlan<Backend, float> plan(exec, ratings.on<Backend::memory_space>(), {.rank = 4});
  SgdFactors<Backend, float> factors(ratings, 4);
  plan.start(exec, factors.p, factors.q);
  const double before = plan.rmse(exec, factors.p, factors.q);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, -1e-9, infinity, -infinity, std::nan(""), 1e300}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(plan.epoch(exec, factors.p, factors.q, wrong, 0.1),
                         doctest::Contains("the rate of an epoch is"), Error);
    CHECK_THROWS_WITH_AS(plan.epoch(exec, factors.p, factors.q, 0.1, wrong),
                         doctest::Contains("the lambda of an epoch is"), Error);
  }
  plan.epoch(exec, factors.p, factors.q, 0, 0);
  CHECK(plan.rmse(exec, factors.p, factors.q) == before);
  for (int epoch = 0; epoch < 60; ++epoch) plan.epoch(exec, factors.p, factors.q, 50, 0);
  CHECK_FALSE(std::isfinite(plan.rmse(exec, factors.p, factors.q)));
}

}  // namespace heddle::test
