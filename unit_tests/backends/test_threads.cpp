// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads of a CPU that run together and wait for each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "../../backends/host/one_thread.hpp"
#include "../../backends/host/progress.hpp"
#include "../../backends/host/threads.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../testing/backends.hpp"
#include "../support/watchdog.hpp"

namespace {

/// Whether aligned allocations fail, such as those of host_scratch.
std::atomic<bool> no_scratch = false;

void* aligned(std::size_t bytes, std::align_val_t alignment) noexcept {
  const auto multiple = static_cast<std::size_t>(alignment);
  return std::aligned_alloc(multiple, (bytes + multiple - 1) / multiple * multiple);
}

/// A function of its own: nvcc compiles every operator new for devices too, which have no
/// exceptions.
void* or_throw(void* memory) { return memory ? memory : throw std::bad_alloc(); }

}  // namespace

// All aligned forms are replaced: a sanitizer checks that matching forms allocate and free.
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return or_throw(aligned(bytes, alignment));
}
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return no_scratch ? nullptr : aligned(bytes, alignment);
}
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  std::free(memory);
}

namespace heddle::test {

namespace {

struct NeedsScratch {
  using Scratch = backends::DynamicScratch;
  std::atomic<int>* ran;
  template <class Team>
  void operator()(const Team&, Scratch&) const {
    ++*ran;
  }
};

/// Records which teams ran, and on which threads.
struct Noted {
  using Scratch = backends::NoScratch;
  std::vector<std::int64_t>* order;
  std::set<std::thread::id>* who;
  std::mutex* mutex;
  template <class Team>
  void operator()(const Team& team, Scratch&) const {
    const std::lock_guard lock(*mutex);
    order->push_back(team.index());
    who->insert(std::this_thread::get_id());
  }
};

/// Records the thread of each team.
struct NotedThread {
  using Scratch = backends::NoScratch;
  std::thread::id* who;
  template <class Team>
  void operator()(const Team& team, Scratch&) const {
    who[team.index()] = std::this_thread::get_id();
  }
};

}  // namespace

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

TEST_CASE_TEMPLATE_DEFINE("what threads throw comes to who waits for them", Type, throwing) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    const auto run = [&](const auto& body) {
      backends::run_on_threads(exec, "heddle::test::throwing", 64, body);
    };
    std::atomic<int> ran = 0;
    run([&](int, int) { ++ran; });
    CHECK(ran >= 1);
    CHECK_THROWS_WITH_AS(run([](int, int) { throw std::bad_alloc(); }),
                         "heddle: the host lacks memory for heddle::test::throwing; free some",
                         OutOfMemory);
    CHECK_THROWS_WITH_AS(run([](int me, int) { throw Error(std::to_string(me), ""); }), "heddle: 0",
                         Error);
    ran = 0;
    run([&](int, int) { ++ran; });
    CHECK(ran >= 1);
  }
}
TEST_CASE_TEMPLATE_APPLY(throwing, OnHosts);

TEST_CASE_TEMPLATE_DEFINE("a launch whose threads get no scratch is OutOfMemory", Type, scratch) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    // The threads of a runtime keep their scratch; a new thread has none yet.
    std::thread([] {
      const Exec exec;
      std::atomic<int> ran = 0;
      const auto launch = [&] {
        backends::launch<backends::Shape<1>>(exec, "heddle::test::scratch", 64, NeedsScratch{&ran},
                                             64);
        exec.fence("heddle::test::ran");
      };
      no_scratch = true;
      CHECK_THROWS_WITH_AS(launch(), doctest::Contains("no 262144 bytes for a thread's scratch"),
                           OutOfMemory);
      no_scratch = false;
      ran = 0;
      launch();
      CHECK(ran == 64);
    }).join();
  }
}
TEST_CASE_TEMPLATE_APPLY(scratch, OnHosts);

// Memory lies near the thread that first writes it, so the one that reads it later should be that.
TEST_CASE_TEMPLATE_DEFINE("loops, sums and launches give items to the same threads", Type, dealt) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    for (const std::int64_t n : {1, 7, 1000, 100003}) {
      const auto items = static_cast<std::size_t>(n);
      std::vector<std::thread::id> loop(items), sum(items), launch(items);
      std::thread::id *const by_loop = loop.data(), *const by_sum = sum.data();
      heddle::detail::parallel_for(exec, "heddle::test::loop", n, [=](std::int64_t i) {
        by_loop[i] = std::this_thread::get_id();
      });
      std::int64_t count = 0;
      Kokkos::parallel_reduce(
          "heddle::test::sum", range_policy(exec, n),
          [=](std::int64_t i, std::int64_t& more) {
            by_sum[i] = std::this_thread::get_id();
            ++more;
          },
          count);
      backends::launch<backends::Shape<1>>(exec, "heddle::test::launch", n,
                                           NotedThread{launch.data()});
      exec.fence("heddle::test::ran");
      CHECK(count == n);
      if (n < 1000) continue;  // a short loop may run on one thread
      std::int64_t other_sum = 0, other_launch = 0;
      for (std::size_t i = 0; i < items; ++i) {
        other_sum += sum[i] != loop[i];
        other_launch += launch[i] != loop[i];
      }
      // Shares may differ by an item for each thread, and by a chunk where Kokkos cuts them so.
      const std::int64_t threads = exec.concurrency(), chunk = range_policy(exec, n).chunk_size();
      const std::int64_t allowed = threads * threads * (chunk < ceil_div(n, threads) ? chunk : 1);
      CHECK(other_sum <= allowed);
      CHECK(other_launch <= allowed);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(dealt, OnHosts);

TEST_CASE_TEMPLATE_DEFINE("threads have about equal shares of a running sum", Type, scanned) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    for (const std::int64_t n : {1000, 100003, 262145}) {
      std::vector<std::thread::id> who(static_cast<std::size_t>(n));
      std::vector<std::int64_t> sums(who.size() + 1);
      std::thread::id* const by_scan = who.data();
      heddle::detail::running_sum(exec, "heddle::test::scan", sums.data(), n, [=](std::int64_t i) {
        by_scan[i] = std::this_thread::get_id();
        return 1;
      });
      exec.fence("heddle::test::ran");
      std::int64_t wrong = 0;
      for (std::size_t i = 0; i < sums.size(); ++i) {
        wrong += sums[i] != static_cast<std::int64_t>(i);
      }
      CHECK(wrong == 0);
      std::map<std::thread::id, std::int64_t> items;
      for (const std::thread::id thread : who) ++items[thread];
      // Kokkos rounds a share up to a chunk, which is less than a twentieth of it.
      const std::int64_t share = ceil_div<std::int64_t>(n + 1, exec.concurrency());
      for (const auto& [thread, count] : items) CHECK(count <= share + share / 20);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(scanned, OnHosts);

TEST_CASE_TEMPLATE_DEFINE("one thread runs all teams in order, without others", Type, alone) {
  using Exec = typename Type::Exec;
  if constexpr (backends::runs_on_host<Exec>) {
    const Exec exec;
    std::vector<std::int64_t> order;
    std::set<std::thread::id> who;
    std::mutex mutex;
    const auto launch = [&](int teams) {
      order.clear();
      who.clear();
      backends::launch<backends::Shape<1>>(exec, "heddle::test::alone", teams,
                                           Noted{&order, &who, &mutex});
      exec.fence("heddle::test::ran");
    };
    const std::set<std::thread::id> me = {std::this_thread::get_id()};
    launch(1);
    CHECK(who == me);
    {
      const backends::OneThread wanted(true), not_wanted(false);
      CHECK(backends::runs_on_one_thread(exec));
      launch(100);
      CHECK(who == me);
      CHECK(std::is_sorted(order.begin(), order.end()));
      int granted = 0;
      backends::launch_threads(exec, "heddle::test::alone", 64,
                               [&](int, int threads) { granted = threads; });
      CHECK(granted == 1);
      std::vector<std::thread::id> loop(100000);
      std::thread::id* const by_loop = loop.data();
      heddle::detail::parallel_for(exec, "heddle::test::alone", 100000, [=](std::int64_t i) {
        by_loop[i] = std::this_thread::get_id();
      });
      CHECK(std::set<std::thread::id>(loop.begin(), loop.end()) == me);
      std::thread([] { CHECK(!backends::OneThread::is_wanted()); }).join();
    }
    CHECK(!backends::OneThread::is_wanted());
    launch(100);
    CHECK(order.size() == 100);
  }
}
TEST_CASE_TEMPLATE_APPLY(alone, OnHosts);

TEST_CASE("a barrier holds every thread back, and shows what the others wrote") {
  const Watchdog watchdog("threads at barriers");
  for (const int size : {1, 2, 7}) {
    std::vector<backends::ThreadSteps::Word> words(static_cast<std::size_t>(size));
    const backends::ThreadSteps progress(words.data());
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

namespace {

/// Counts what a wait does between its polls.
struct Counted : backends::HostMemory {
  static inline int relaxes = 0, yields = 0;
  static void relax() { ++relaxes; }
  static void yield() { ++yields; }
  static void pause() { ++yields; }

  static void begin() { relaxes = yields = 0; }
  /// Whether a wait that is asked for the n-th time is over.
  static auto at_poll(int n) {
    return [n, poll = 0](const auto&...) mutable { return ++poll > n; };
  }
};

}  // namespace

TEST_CASE("a wait yields its core after so many polls, and sooner after waits that yielded") {
  using Spin = backends::SpinThenYieldBy<Counted>;
  constexpr int most = Spin::most, polls = 10000;
  Spin spin;
  const auto wait = [&](int n) {
    Counted::begin();
    spin.wait(Counted::at_poll(n));
    CHECK(Counted::relaxes + Counted::yields == n);
    return Counted::yields;
  };
  CHECK(wait(0) == 0);
  CHECK(wait(most) == 0);
  for (int patience = most; patience > Spin::least; patience /= 2) {
    CHECK(wait(polls) == polls - patience);
  }
  CHECK(wait(polls) == polls - Spin::least);
  CHECK(wait(polls) == polls - Spin::least);
  CHECK(wait(1) == 0);
  CHECK(wait(polls) == polls - 2 * Spin::least);
}

TEST_CASE("waits for words yield: for a published one at each poll, for a posted one after eight") {
  const double word = 7;
  constexpr int polls = 100;
  const auto expect = [&](int n, int yields, const auto& wait) {
    Counted::begin();
    CHECK(wait(Counted::at_poll(n)) == word);
    CHECK(Counted::yields == yields);
  };
  const auto await = [&](auto ready) { return backends::detail::await<Counted>(&word, ready); };
  const auto collect = [&](auto ready) { return backends::detail::collect<Counted>(&word, ready); };
  expect(0, 0, await);
  expect(polls, polls, await);
  const int before = backends::detail::polls_before_pause;
  expect(0, 0, collect);
  expect(before, 0, collect);
  expect(polls, polls - before, collect);
}

TEST_CASE("who reaches a step shows what it wrote before") {
  const Watchdog watchdog("a chain of steps");
  std::vector<backends::ThreadSteps::Word> words(2);
  const backends::ThreadSteps progress(words.data());
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
