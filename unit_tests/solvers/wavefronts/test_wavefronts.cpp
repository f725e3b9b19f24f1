// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Wavefronts run a loop in parallel as if in its order, on every backend.
#include <doctest/doctest.h>

#include "../../../testing/events.hpp"
#include "../../support/loops.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;
namespace wavefronts = heddle::detail::wavefronts;

template <class Exec>
void check_every_scheme(const Exec& exec, const Pattern& pattern, WavefrontsOptions options) {
  CAPTURE(pattern.name);
  const DevicePattern<Exec> on_device(pattern);
  const auto expected = items_in_order(pattern, options.sweep);
  std::vector<std::optional<Scheme>> schemes{std::nullopt};
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    schemes.emplace_back(scheme);
  }
  for (const auto& scheme : schemes) {
    options.scheme = scheme;
    for (const int threads : {0, 2, 5}) {
      options.threads = threads;
      const Wavefronts<Exec> waves(exec, on_device.rows, on_device.reads(), options);
      CAPTURE(waves.scheme().to_string());
      for (int repeat = 0; repeat < 3; ++repeat) CHECK(on_device.run(exec, waves) == expected);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("wavefronts: the same as the loop, on every triangle", T, triangles) {
  const typename T::Exec exec;
  Watchdog watchdog("wavefronts of triangles");
  for (const Pattern& lower : triangle_patterns()) {
    check_every_scheme(exec, lower, {});
    check_every_scheme(exec, reversed(lower), {.sweep = SweepDirection::backward});
    watchdog.progress();
  }
}
TEST_CASE_TEMPLATE_APPLY(triangles, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: who reads ahead finds old values", T, ahead) {
  const typename T::Exec exec;
  Watchdog watchdog("wavefronts of sweeps");
  for (const auto& [rows, most] : {std::pair(1500, 3), std::pair(400, 12), std::pair(3000, 2)}) {
    const Pattern pattern = full_pattern(rows, most, static_cast<std::uint64_t>(rows));
    for (const SweepDirection sweep : {SweepDirection::forward, SweepDirection::backward}) {
      check_every_scheme(exec, pattern, {.sweep = sweep, .ahead = ReadsAhead::old_value});
      watchdog.progress();
    }
  }
  // An item that all iterations before it read must wait for all of them.
  Pattern last{"last is read", 2000, {}};
  for (int i = 0; i < 2000; ++i) last.rows.push_back(std::vector<std::int64_t>{1999});
  check_every_scheme(exec, last, {.ahead = ReadsAhead::old_value});
}
TEST_CASE_TEMPLATE_APPLY(ahead, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: wrong reads are errors that name the iteration", T, wrong) {
  using Exec = typename T::Exec;
  const Exec exec;
  const auto inspect = [&](const Pattern& pattern, const WavefrontsOptions& options) {
    const DevicePattern<Exec> on_device(pattern);
    const Wavefronts waves(exec, on_device.rows, on_device.reads(), options);
    return waves.levels();
  };
  const Pattern later{"later", 4, {{}, {0}, {3, 2}, {0, 1}}};
  CHECK_THROWS_WITH(inspect(later, {}),
                    doctest::Contains("iteration 2 reads item 3, which the loop writes later; use "
                                      "ReadsAhead::old_value"));
  CHECK_THROWS_WITH(inspect(later, {.sweep = SweepDirection::backward}),
                    doctest::Contains("iteration 1 reads item 0, which the loop writes later"));
  CHECK(inspect(later, {.ahead = ReadsAhead::old_value}) == 3);
  CHECK(inspect({"itself", 2, {{0}, {0, 1}}}, {}) == 2);
  const Pattern outside{"outside", 4, {{}, {0}, {1}, {7}}};
  const Pattern negative{"negative", 4, {{}, {-1}, {1}, {2}}};
  for (const ReadsAhead ahead : {ReadsAhead::error, ReadsAhead::old_value}) {
    for (const auto& [pattern, words] :
         {std::pair(outside, "iteration 3 reads item 7, which none of the 4 iterations writes"),
          std::pair(negative,
                    "iteration 1 reads item -1, which none of the 4 iterations writes")}) {
      std::string said;
      try {
        inspect(pattern, {.ahead = ahead});
      } catch (const Error& error) {
        said = error.what();
      }
      CHECK(said.find(words) != std::string::npos);
      CHECK(said.find("ReadsAhead") == std::string::npos);
    }
  }
  const DevicePattern<Exec> on_device(later);
  CHECK_THROWS_WITH(Wavefronts(exec, -1, on_device.reads()),
                    doctest::Contains("the loop has -1 iterations"));
  CHECK_THROWS_WITH(inspect(later, {.sweep = SweepDirection::symmetric}),
                    doctest::Contains("one loop cannot go forward and backward"));
  CHECK_THROWS_AS(inspect(later, {.scheme = Scheme("wavefronts", {{"fast"}})}), Error);
}
TEST_CASE_TEMPLATE_APPLY(wrong, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: levels are those of the longest chain", T, levels) {
  using Exec = typename T::Exec;
  const Exec exec;
  const std::pair<const char*, int> expected[] = {
      {"0 x 0", 0},        {"1 x 1", 1},           {"diagonal", 1},
      {"bidiagonal", 700}, {"two chains", 500},    {"grid", 99},
      {"arrow", 2},        {"two wide levels", 2}, {"warps of chains", 32}};
  for (const auto& [name, count] : expected) {
    CAPTURE(name);
    const DevicePattern<Exec> lower(triangle_named(name)), upper(reversed(triangle_named(name)));
    CHECK(Wavefronts(exec, lower.rows, lower.reads()).levels() == count);
    CHECK(
        Wavefronts(exec, upper.rows, upper.reads(), {.sweep = SweepDirection::backward}).levels() ==
        count);
  }
}
TEST_CASE_TEMPLATE_APPLY(levels, Everywhere);

TEST_CASE("wavefronts: everything is labelled, and a loop launches and does nothing else") {
  using Exec = DefaultDevice;
  const Exec exec;
  const DevicePattern<Exec> on_device(triangle_named("random"));
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    const Recording recording;
    const Wavefronts waves(exec, on_device.rows, on_device.reads(), {.scheme = scheme});
    exec.fence("heddle::test::inspected");
    CHECK(strangers(recording.seen()) == "");
    const auto before = recording.seen().size();
    waves.for_each(exec, on_device.mix());
    const std::vector<Event> seen(recording.seen().begin() + static_cast<std::ptrdiff_t>(before),
                                  recording.seen().end());
    exec.fence("heddle::test::ran");
    CHECK(strangers(seen) == "");
    CHECK(count(seen, Event::kernel) == static_cast<int>(seen.size()));
    CHECK(seen.size() >= 1);
    if constexpr (heddle::detail::ordered::on_threads<Exec>) CHECK(seen.size() == 1);
  }
}

TEST_CASE_TEMPLATE_DEFINE("wavefronts: fewer threads are granted than asked for", T, few) {
  using Exec = typename T::Exec;
  const Exec exec;
  const Pattern pattern = triangle_named("grid");
  const auto expected = items_in_order(pattern, SweepDirection::forward);
  const DevicePattern<Exec> one(pattern), other(pattern);
  const Watchdog watchdog("a loop inside a launch");
  for (const char* name : {"barrier", "point-to-point"}) {
    const WavefrontsOptions options{.scheme = Scheme("wavefronts", {{name}, {"grain", "1"}}),
                                    .threads = 4};
    const Wavefronts first(exec, one.rows, one.reads(), options);
    const Wavefronts second(exec, other.rows, other.reads(), options);
    Kokkos::deep_copy(one.items, 5);
    Kokkos::deep_copy(other.items, 5);
    // A parallel region inside another gets one thread, whatever number it requests.
    backends::launch_threads(exec, "heddle::test::outside", 2, [&](int me, int threads) {
      if (me == 0) first.for_each(Exec(), one.mix());
      if (me == threads - 1) second.for_each(Exec(), other.mix());
    });
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(one.items(i) == expected[i]);
      CHECK(other.items(i) == expected[i]);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(few, Every<std::tuple<double>, UsualIndices, NestingBackends>);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: levels that were found elsewhere", T, given) {
  using Exec = typename T::Exec;
  const Exec exec;
  const Watchdog watchdog("wavefronts by levels");
  const auto by_level = [&](const std::vector<int>& levels, const WavefrontsOptions& options) {
    return Wavefronts<Exec>::by_level(exec, copy_in<typename Exec::memory_space>(levels), options);
  };
  std::vector<std::optional<Scheme>> schemes{std::nullopt};
  for (const Scheme& scheme : variants_of(wavefronts::grammar(backends::describe(exec)))) {
    const bool fits = !scheme.has("sequential") && !scheme.has("point-to-point");
    if (fits) schemes.emplace_back(scheme);
    if (!fits) CHECK_THROWS_WITH(by_level({0}, {.scheme = scheme}), doctest::Contains("elsewhere"));
  }
  // Levels from the last iteration to the first, against the order of the loop: colors may do so.
  const Pattern upper = reversed(triangle_named("grid"));
  const auto expected = items_in_order(upper, SweepDirection::backward);
  const DevicePattern<Exec> on_device(upper);
  const int n = on_device.rows;
  std::vector<int> levels(static_cast<std::size_t>(n));
  for (int i = n - 1; i >= 0; --i) {
    for (const int j : upper.rows[static_cast<std::size_t>(i)]) {
      int& level = levels[static_cast<std::size_t>(i)];
      if (j > i) level = std::max(level, levels[static_cast<std::size_t>(j)] + 1);
    }
  }
  for (const auto& scheme : schemes) {
    for (const int threads : {0, 1, 3}) {
      const auto waves = by_level(levels, {.scheme = scheme, .threads = threads});
      CAPTURE(waves.scheme().to_string());
      CHECK(waves.levels() == 99);
      for (int repeat = 0; repeat < 2; ++repeat) CHECK(on_device.run(exec, waves) == expected);
    }
  }
  CHECK(by_level({}, {}).levels() == 0);
  CHECK(by_level({2, 0}, {}).levels() == 3);  // the second of them is empty
  CHECK_THROWS_WITH(by_level({0, 1, -1}, {}), doctest::Contains("iteration 2 has a level below"));
}
TEST_CASE_TEMPLATE_APPLY(given, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("wavefronts: a loop in order is not looked at", T, in_order) {
  using Exec = typename T::Exec;
  if constexpr (heddle::detail::ordered::on_threads<Exec>) {
    const Exec exec;
    for (const SweepDirection sweep : {SweepDirection::forward, SweepDirection::backward}) {
      std::vector<int> order;
      const auto waves = Wavefronts<Exec>::in_order(exec, 5, sweep);
      waves.for_each(exec, [&](int i) { order.push_back(i); });
      exec.fence("heddle::test::ran");
      CHECK(order == (sweep == SweepDirection::forward ? std::vector{0, 1, 2, 3, 4}
                                                       : std::vector{4, 3, 2, 1, 0}));
      CHECK(waves.scheme().to_string() == "wavefronts/sequential");
    }
    Wavefronts<Exec>().for_each(exec, [](int) { FAIL("there is nothing to do"); });
  }
}
TEST_CASE_TEMPLATE_APPLY(in_order, Everywhere);

}  // namespace heddle::test
