// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a CPU that run together and wait for each other.
#include <doctest/doctest.h>

#include <atomic>
#include <vector>

#include "../../backends/host/progress.hpp"
#include "../../backends/host/threads.hpp"
#include "../support/backends.hpp"
#include "../support/watchdog.hpp"

namespace heddle::test {

using OnHosts = Every<std::tuple<double>, UsualIndices, Backends>;

TEST_CASE_TEMPLATE_DEFINE("threads run together, and no more than asked for", Type, together) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    const Watchdog watchdog("threads that wait for each other");
    for (const int asked : {1, 2, 64}) {
      std::atomic<int> arrived = 0, granted = 0;
      std::vector<int> calls(64);
      backends::launch_threads(exec, "heddle::test::together", asked, [&](int me, int threads) {
        ++calls[static_cast<std::size_t>(me)];
        granted = threads;
        ++arrived;
        backends::SpinThenYield().wait([&] { return arrived == threads; });
      });
      exec.fence("heddle::test::ran");
      CHECK(granted >= 1);
      CHECK(granted <= std::min(asked, exec.concurrency()));
      for (int t = 0; t < 64; ++t) {
        CHECK(calls[static_cast<std::size_t>(t)] == (t < granted ? 1 : 0));
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(together, OnHosts);

TEST_CASE("a barrier holds every thread back, and shows what the others wrote") {
  const Watchdog watchdog("threads at barriers");
  for (const int size : {1, 2, 7}) {
    std::vector<backends::Progress::Word> words(static_cast<std::size_t>(size));
    const backends::Progress progress(words.data());
    progress.clear(size);
    std::vector<int> written(static_cast<std::size_t>(size), 0);
    std::atomic<int> wrong = 0;
    const auto run = [&](int me) {
      backends::SpinThenYield spin;
      for (int step = 1; step <= 1000; ++step) {
        written[static_cast<std::size_t>(me)] = step;
        progress.barrier(me, size, 2 * step - 1, spin);
        for (const int seen : written) wrong += seen != step;
        progress.barrier(me, size, 2 * step, spin);
      }
    };
    std::vector<std::thread> threads;
    for (int me = 0; me < size; ++me) threads.emplace_back(run, me);
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
  }
}

TEST_CASE("who reaches a step shows what it wrote before") {
  const Watchdog watchdog("a chain of steps");
  std::vector<backends::Progress::Word> words(2);
  const backends::Progress progress(words.data());
  progress.clear(2);
  constexpr int steps = 20000;
  std::vector<int> values(steps + 1, 0);
  const auto run = [&](int me) {
    backends::SpinThenYield spin;
    for (int step = 1 + me; step <= steps; step += 2) {
      if (step > 1) progress.await(1 - me, step - 1, spin);
      const auto s = static_cast<std::size_t>(step);
      values[s] = values[s - 1] + 1;
      progress.reach(me, step);
    }
  };
  std::thread other(run, 1);
  run(0);
  other.join();
  CHECK(values.back() == steps);
}

}  // namespace heddle::test
