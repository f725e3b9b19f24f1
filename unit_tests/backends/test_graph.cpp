// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that are recorded and run again, on backends that have graphs.
#include <doctest/doctest.h>

#include <thread>

#include "../../backends/cluster.hpp"
#include "../../backends/cooperative.hpp"
#include "../../backends/graph.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../testing/backends.hpp"
#include "../support/moves_only.hpp"

namespace heddle::test {

namespace {

using backends::NoScratch;

/// Adds `step`.
struct CountUp {
  using Scratch = NoScratch;
  int* count;
  int step = 1;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() == 0) *count += step;
  }
};
struct CountUpInALoop {
  int* count;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { ++*count; }
};
/// CountUp in a launch of several teams: the first team adds.
struct CountUpTogether {
  using Scratch = NoScratch;
  int* count;

  template <class Teams>
  KOKKOS_FUNCTION void operator()(const Teams& teams, Scratch&) const {
    teams.barrier();
    if (teams.team().index() == 0 && teams.team().thread() == 0) ++*count;
  }
};
struct CountUpInACluster {
  using Scratch = NoScratch;
  int* count;

  template <class Cluster>
  KOKKOS_FUNCTION void operator()(const Cluster& cluster, Scratch&) const {
    cluster.arrive();
    cluster.wait();
    if (cluster.rank() == 0 && cluster.team().thread() == 0) ++*count;
  }
};

using Shape = backends::Shape<1, 32>;
using Everywhere = Every<std::tuple<double>, UsualIndices, AllBackends>;

/// Another instance; with OpenMP of one thread, as its partitions may be one and the same.
template <class Exec>
Exec another_instance(const Exec& exec) {
  using Space = KokkosSpace<Exec>;
  if constexpr (std::is_constructible_v<Space, int>) {
    return Exec(Space(1));
  } else {
    return Exec(Kokkos::Experimental::partition_space(kokkos_space(exec), 1, 1)[1]);
  }
}

template <class Exec>
struct Counter {
  Exec exec;
  Kokkos::View<int, typename Exec::memory_space> count{"heddle::test::count"};

  void launch(int step = 1) const {
    backends::launch<Shape>(exec, "heddle::test::count_up", 1, CountUp{count.data(), step});
  }
  void loop() const {
    heddle::detail::parallel_for(exec, "heddle::test::count_up", 1, CountUpInALoop{count.data()});
  }
  int counted() const {
    int host = 0;
    exec.fence("heddle::test::count");
    Kokkos::deep_copy(host, count);
    return host;
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a graph runs what was recorded, or nothing was", Type, replays) {
  using Exec = typename Type::Exec;
  using Graph = backends::Graph<Exec>;
  static_assert(Graph::exists || !emulated);
  static_assert(!Graph::exists || moves_only<Graph>);
  const Counter<Exec> counter{Exec()};
  const Exec& exec = counter.exec;
  const auto body = [&] {
    counter.launch();
    counter.loop();
  };
  Graph graph;
  CHECK(graph.launches() == 0);
  body();  // loads the kernels
  CHECK(counter.counted() == 2);
  CHECK(graph.record(exec, body) == Graph::exists);
  CHECK(counter.counted() == 2);  // recorded, not run
  CHECK(graph.launches() == (Graph::exists ? 2 : 0));
  for (int run = 0; run < 3; ++run) graph.launch(exec);
  CHECK(counter.counted() == 2 + 3 * static_cast<int>(graph.launches()));
  if (!Graph::exists) return;
  Graph moved = std::move(graph);
  moved.launch(exec);
  CHECK(counter.counted() == 10);
  // A recorded launch keeps the arguments that it was recorded with.
  int step = 10;
  CHECK(moved.record(exec, [&] { counter.launch(step); }));
  step = 1000;
  moved.launch(exec);
  CHECK(counter.counted() == 20);
  CHECK(moved.launches() == 1);
  // A graph that is launched while another is recorded is a part of it.
  CHECK(moved.record(exec, body));
  Graph outer;
  CHECK(outer.record(exec, [&] {
    counter.launch(108);
    moved.launch(exec);
  }));
  moved.clear();
  CHECK(counter.counted() == 20);
  CHECK(outer.launches() == 3);
  outer.launch(exec);
  CHECK(counter.counted() == 130);
  // Waiting is an error on an emulated device; on others the graph leaves it out.
  const auto record_a_wait = [&] {
    return moved.record(exec, [&] {
      body();
      exec.fence("heddle::test::in_between");
    });
  };
  if (emulated) {
    CHECK_THROWS_WITH_AS(
        record_a_wait(),
        doctest::Contains("a graph cannot record the fence heddle::test::in_between"), Error);
    CHECK(moved.launches() == 0);
  } else {
    CHECK(record_a_wait());
    CHECK(moved.launches() == 2);
    CHECK(!moved.record(exec, [&] {
      counter.launch();
      throw Error("a trouble of its own", "");
    }));
    CHECK(moved.launches() == 0);
  }
  CHECK(counter.counted() == 130);
  body();
  CHECK(counter.counted() == 132);
}
TEST_CASE_TEMPLATE_APPLY(replays, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("other threads allocate and wait while a graph is recorded", Type,
                          beside) {
  using Exec = typename Type::Exec;
  using Graph = backends::Graph<Exec>;
  if constexpr (Graph::exists && !emulated) {  // an emulated device notices waits of every thread
    const Counter<Exec> counter{Exec()};
    Graph graph;
    CHECK(graph.record(counter.exec, [&] {
      counter.launch();
      std::thread([] {
        const Kokkos::View<double*, typename Exec::memory_space> room("heddle::test::room", 1000);
        Kokkos::fence("heddle::test::wait_for_all");
      }).join();
      counter.loop();
    }));
    CHECK(counter.counted() == 0);
    graph.launch(counter.exec);
    CHECK(counter.counted() == 2);
  }
}
TEST_CASE_TEMPLATE_APPLY(beside, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("what is queued by other means is captured, one at a time", Type,
                          captured) {
  using Exec = typename Type::Exec;
  using Graph = backends::Graph<Exec>;
  if constexpr (Graph::exists && !emulated) {
    const Counter<Exec> counter{Exec()};
    const auto by_kokkos = [&] {
      Kokkos::parallel_for("heddle::test::by_kokkos", range_policy(counter.exec, 1),
                           CountUpInALoop{counter.count.data()});
    };
    const auto body = [&] {
      counter.launch();
      backends::record_captured(counter.exec, [&] {
        by_kokkos();
        counter.launch();  // on the stream, so it is captured as well
      });
      counter.loop();
    };
    body();  // loads the kernels
    CHECK(counter.counted() == 4);
    Graph graph;
    CHECK(graph.record(counter.exec, body));
    CHECK(graph.launches() == 4);
    CHECK(counter.counted() == 4);
    for (int run = 0; run < 2; ++run) graph.launch(counter.exec);
    CHECK(counter.counted() == 12);
    // A wait ends the capture, and nothing runs.
    CHECK(!graph.record(counter.exec, [&] {
      backends::record_captured(counter.exec, [&] {
        counter.launch();
        counter.exec.fence("heddle::test::in_between");
      });
    }));
    CHECK(counter.counted() == 12);
    body();
    CHECK(counter.counted() == 16);
  }
}
TEST_CASE_TEMPLATE_APPLY(captured, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("launches of every kind are recorded", Type, kinds) {
  using Exec = typename Type::Exec;
  const Counter<Exec> counter{Exec()};
  const Exec& exec = counter.exec;
  using Space = typename Exec::memory_space;
  const Kokkos::View<std::uint32_t, Space> ticket("heddle::test::ticket");
  const Kokkos::View<int*, Space> words("heddle::test::words", 2);
  backends::Graph<Exec> graph;
  if (!graph.exists) return;
  int launched = 0;
  const auto body = [&] {
    launched = 2;
    const backends::Tickets tickets{ticket.data()};
    backends::launch_in_order<Shape>(exec, "heddle::test::in_order", 1,
                                     CountUp{counter.count.data()}, tickets);
    backends::launch_by_ticket<Shape>(exec, "heddle::test::by_ticket", 1,
                                      CountUp{counter.count.data()}, tickets);
    if constexpr (backends::has_cooperative<Exec>) {
      backends::launch_cooperative<Shape>(exec, "heddle::test::together", 2,
                                          CountUpTogether{counter.count.data()},
                                          {words.data(), words.data() + 1});
      ++launched;
    }
    if constexpr (backends::has_clusters<Exec>) {
      if (backends::describe(exec).most_teams_per_cluster > 1) {
        backends::launch_cluster<Shape>(exec, "heddle::test::cluster", 2, 1,
                                        CountUpInACluster{counter.count.data()});
        ++launched;
      }
    }
  };
  body();
  CHECK(counter.counted() == launched);
  CHECK(graph.record(exec, body));
  CHECK(graph.launches() == static_cast<std::size_t>(launched));
  CHECK(counter.counted() == launched);
  for (int run = 0; run < 2; ++run) graph.launch(exec);
  CHECK(counter.counted() == 3 * launched);
}
TEST_CASE_TEMPLATE_APPLY(kinds, Everywhere);

TEST_CASE_TEMPLATE_DEFINE("what cannot be recorded is an error of an emulated device", Type,
                          refused) {
  using Exec = typename Type::Exec;
  if constexpr (!emulated) return;
  const Counter<Exec> counter{Exec()};
  backends::Graph<Exec> graph;
  const auto records = [&](const auto& refused) {
    return graph.record(counter.exec, [&] {
      counter.launch();
      refused();
    });
  };
  const auto names = [&](const auto& refused, const char* what) {
    CAPTURE(what);
    CHECK_THROWS_WITH_AS(records(refused), doctest::Contains(what), Error);
    CHECK(graph.launches() == 0);
  };
  const auto fence = [&] { counter.exec.fence("heddle::test::wait"); };
  const auto everywhere = [] { Kokkos::fence("heddle::test::wait_for_all"); };
  const auto allocate = [] { Kokkos::View<int*, Kokkos::HostSpace>("heddle::test::room", 3); };
  int host = 0;
  const auto read = [&] { Kokkos::deep_copy(host, counter.count); };
  const auto fill = [&] { Kokkos::deep_copy(kokkos_space(counter.exec), counter.count, 0); };
  const auto loop = [&] {
    Kokkos::parallel_for("heddle::test::loop", range_policy(counter.exec, 1),
                         CountUpInALoop{counter.count.data()});
  };
  names(fence, "the fence heddle::test::wait");
  names(everywhere, "the fence heddle::test::wait_for_all");
  names(allocate, "the allocation heddle::test::room");
  names(allocate, "the release of heddle::test::room");
  names(read, "the copy to");
  names(fill, "the copy to heddle::test::count");
  names(loop, "the launch heddle::test::loop");
  CHECK_THROWS_WITH_AS(records([] { throw Error("a trouble of its own", ""); }),
                       doctest::Contains("of its own"), Error);
  // CUDA and HIP run a launch on another instance once, and leave it out of the graph.
  const Counter<Exec> other{another_instance(counter.exec)};
  names([&] { other.launch(); }, "the launch heddle::test::count_up");
  names([&] { other.loop(); }, "the launch heddle::test::count_up");
  CHECK(other.counted() == 2);
  CHECK(records([] {}));
  const int before = counter.counted();
  graph.launch(other.exec);  // on whichever instance it is launched
  CHECK(counter.counted() == before + 1);
  // Only one graph can be recorded at a time.
  backends::Graph<Exec> second;
  CHECK(records([&] { CHECK(!second.record(counter.exec, [&] { counter.launch(); })); }));
  // Nobody hears of launches while recording; tools hear again afterwards.
  int waits = 0;
  static int* count_waits = nullptr;
  count_waits = &waits;
  const auto tools = Kokkos::Tools::Experimental::get_callbacks();
  Kokkos::Tools::Experimental::set_begin_fence_callback(
      [](const char*, std::uint32_t, std::uint64_t* id) {
        *id = 0;
        ++*count_waits;
      });
  CHECK_THROWS_AS(records(fence), Error);
  CHECK(waits == 0);
  fence();
  CHECK(waits == 1);
  Kokkos::Tools::Experimental::set_callbacks(tools);
}
TEST_CASE_TEMPLATE_APPLY(refused, Everywhere);

}  // namespace heddle::test
