// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../operation.hpp"

#include <algorithm>
#include <cmath>
#include <concepts>
#include <heddle/sgd.hpp>
#include <iostream>
#include <memory>
#include <regex>
#include <vector>

#include "../../../testing/random.hpp"
#include "../common/table.hpp"
#include "../common/timing.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Factor = Kokkos::View<float**, Kokkos::LayoutRight, Space>;
using HostRatings = Ratings<float, int, Kokkos::HostSpace>;

struct Request {
  std::string file;
  std::int64_t count = 1'000'000;
  int rank = 32, epochs = 10;
  double rate = 0.02, lambda = 0.05;
  std::vector<std::string> blocks;
  bool diagonals = false;
  std::uint64_t seed = 1;
};

/// The numbers below `count` in random order. Number must hold them: ratings may be more than
/// 2^31 - 1.
template <std::integral Number>
std::vector<Number> shuffled(test::Random& random, std::int64_t count) {
  std::vector<Number> numbers(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t j = random.below(i + 1);
    numbers[static_cast<std::size_t>(i)] = numbers[static_cast<std::size_t>(j)];
    numbers[static_cast<std::size_t>(j)] = static_cast<Number>(i);
  }
  return numbers;
}

/// Random ratings like MovieLens: 138,493 users and 26,744 items at 20 million, both growing with
/// the square root of `count`; power laws by which then the most popular item has 67,000 and the
/// busiest user 9,000; values in half stars, of factors of rank four and noise. Places may repeat.
HostRatings generated_ratings(std::int64_t count, std::uint64_t seed) {
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
  const auto of_rows = shuffled<int>(random, rows), of_columns = shuffled<int>(random, columns);
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

struct Row {
  std::string name;
  double setup_seconds = 0, rmse = 0;
  std::int64_t waves = 0;
  Samples time;
};

Row run_plan(const Exec& exec, const Request& request, const Ratings<float, int, Space>& ratings,
             const std::string& name, const SgdOptions& options) {
  Row row;
  row.name = name;
  SgdPlan plan(exec, ratings, options);
  row.setup_seconds = plan.setup_seconds();
  row.waves = plan.waves();
  const Factor p("heddle::bench::P", static_cast<std::size_t>(ratings.rows),
                 static_cast<std::size_t>(request.rank));
  const Factor q("heddle::bench::Q", static_cast<std::size_t>(ratings.columns),
                 static_cast<std::size_t>(request.rank));
  plan.start(exec, p, q);
  Stopwatch stopwatch(exec);
  for (int epoch = 0; epoch < request.epochs; ++epoch) {
    exec.fence("heddle::bench::sgd");
    stopwatch.start();
    plan.epoch(exec, p, q, request.rate, request.lambda);
    row.time.seconds.push_back(stopwatch.stop());
  }
  row.rmse = plan.rmse(exec, p, q);
  return row;
}

/// Numbers of blocks in a column of blocks and in a row of them, from "64" or "64x256".
std::pair<std::int64_t, std::int64_t> blocks_of(const std::string& text) {
  const std::size_t cross = text.find('x');
  const std::int64_t down = std::stoll(text);
  return {down, cross == std::string::npos ? down : std::stoll(text.substr(cross + 1))};
}

/// A plain loop in the order of a shuffle, as in libraries of one thread.
Row run_sequential(const Exec& exec, const Request& request, const HostRatings& given) {
  Row row;
  row.name = "plain loop";
  test::Random random(request.seed);
  const auto order = shuffled<std::size_t>(random, given.count());
  const auto rank = static_cast<std::size_t>(request.rank);
  using HostFactor = Kokkos::View<float**, Kokkos::LayoutRight, Kokkos::HostSpace>;
  HostFactor p("heddle::bench::P", static_cast<std::size_t>(given.rows), rank);
  HostFactor q("heddle::bench::Q", static_cast<std::size_t>(given.columns), rank);
  const auto on_device = copied_ratings<Space>(given);
  const SgdPlan plan(exec, on_device,
                     {.rank = request.rank, .schedule = SgdSchedule::atomic, .seed = request.seed});
  const Factor start_p("heddle::bench::P", p.extent(0), rank),
      start_q("heddle::bench::Q", q.extent(0), rank);
  plan.start(exec, start_p, start_q);
  exec.fence("heddle::bench::sgd");
  Kokkos::deep_copy(p, start_p);
  Kokkos::deep_copy(q, start_q);
  const auto rate = static_cast<float>(request.rate), lambda = static_cast<float>(request.lambda);
  for (int epoch = 0; epoch < request.epochs; ++epoch) {
    const double begin = host_seconds();
    for (const std::size_t k : order) {
      float* const a = &p(static_cast<std::size_t>(given.row(k)), 0);
      float* const b = &q(static_cast<std::size_t>(given.column(k)), 0);
      float sum = 0;
      for (std::size_t i = 0; i < rank; ++i) sum += a[i] * b[i];
      const float error = given.value(k) - sum;
      for (std::size_t i = 0; i < rank; ++i) {
        const float old = a[i];
        a[i] += rate * (error * b[i] - lambda * old);
        b[i] += rate * (error * old - lambda * b[i]);
      }
    }
    row.time.seconds.push_back(host_seconds() - begin);
  }
  Kokkos::deep_copy(start_p, p);
  Kokkos::deep_copy(start_q, q);
  row.rmse = plan.rmse(exec, start_p, start_q);
  return row;
}

int run(const Request& request) {
  const Exec exec;
  const HostRatings host = request.file.empty() ? generated_ratings(request.count, request.seed)
                                                : read_ratings<float>(request.file);
  const auto ratings = copied_ratings<Space>(host);
  std::vector<Row> rows;
  rows.push_back(run_sequential(exec, request, host));
  const SgdOptions base{.rank = request.rank, .seed = request.seed};
  rows.push_back(run_plan(exec, request, ratings, "blocks", base));
  for (const std::string& blocks : request.blocks) {
    const auto [down, across] = blocks_of(blocks);
    SgdOptions options = base;
    options.block_rows = std::max<std::int64_t>(1, ceil_div(ratings.rows, down));
    options.block_columns = std::max<std::int64_t>(1, ceil_div(ratings.columns, across));
    rows.push_back(run_plan(exec, request, ratings, "blocks, " + blocks, options));
  }
  for (const SgdSchedule schedule : {SgdSchedule::diagonals, SgdSchedule::atomic}) {
    if (schedule == SgdSchedule::diagonals && !request.diagonals) continue;
    SgdOptions options = base;
    options.schedule = schedule;
    rows.push_back(run_plan(exec, request, ratings, name(schedule), options));
  }

  std::cout << format(
      "%lld ratings of %lld x %lld, rank %d, float: %d epochs, %d threads\n\n%-18s %10s %8s %12s "
      "%12s %10s %10s\n",
      static_cast<long long>(ratings.count()), static_cast<long long>(ratings.rows),
      static_cast<long long>(ratings.columns), request.rank, request.epochs, exec.concurrency(),
      "schedule", "set-up", "waves", "epoch", "ns/rating", "RMSE", "of loop's");
  const double expected = rows.front().rmse;
  bool right = true;
  for (const Row& row : rows) {
    std::cout << format("%-18s %10s %8lld %12s %12.2f %10.4f %10.4f\n", row.name.c_str(),
                        row.setup_seconds > 0 ? duration(row.setup_seconds).c_str() : "-",
                        static_cast<long long>(row.waves), duration(row.time.median()).c_str(),
                        1e9 * row.time.median() / static_cast<double>(ratings.count()), row.rmse,
                        row.rmse / expected);
    right = right && row.rmse < 1.01 * expected;  // NaN is wrong, too
  }
  if (!right) std::cout << "\nWRONG: the RMSE is more than 1 % above the plain loop's\n";
  return right ? all_well : wrong_result;
}

}  // namespace

Operation sgd_operation() {
  const auto request = std::make_shared<Request>();
  const auto define = [request](CLI::App& app) {
    app.add_option("--file", request->file, "Ratings: lines `user item rating [time]`");
    app.add_option("--ratings", request->count, "Ratings to generate, of MovieLens' shape")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--rank", request->rank, "Columns of the factors")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--epochs", request->epochs, "Epochs")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--rate", request->rate, "Step")->capture_default_str();
    app.add_option("--lambda", request->lambda, "Regularization")->capture_default_str();
    app.add_option("--blocks", request->blocks,
                   "Blocks to each side, or 64x256: 64 of rows, 256 of columns; beside the default")
        ->check([](const std::string& text) {
          const bool right =
              std::regex_match(text, std::regex("[1-9][0-9]{0,8}(x[1-9][0-9]{0,8})?"));
          return std::string(right ? "" : text + " is no number of blocks");
        });
    app.add_flag("--diagonals", request->diagonals, "Time the schedule of diagonals, too");
    app.add_option("--seed", request->seed, "Seed of ratings and shuffles")->capture_default_str();
  };
  return {.name = "sgd",
          .description = "Matrix factorization by gradient descent, beside a plain loop",
          .define = define,
          .run = [request](const std::vector<std::string>&) { return run(*request); }};
}

}  // namespace heddle::bench
