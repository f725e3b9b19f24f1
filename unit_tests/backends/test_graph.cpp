// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches that are recorded and run again, on backends that have graphs.
#include <doctest/doctest.h>

#include "../../backends/graph.hpp"
#include "../../backends/launch.hpp"
#include "../support/backends.hpp"

namespace heddle::test {

namespace {

/// Adds one.
struct CountUp {
  using Scratch = heddle::backends::NoScratch;
  int* count;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    if (team.thread() == 0) ++*count;
  }
};
struct CountUpInALoop {
  int* count;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { ++*count; }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("a graph runs what was recorded, or nothing was", Type, replays) {
  using Exec = typename Type::Exec;
  using Graph = heddle::backends::Graph<Exec>;
  const Exec exec;
  const Kokkos::View<int, typename Exec::memory_space> count("heddle::test::count");
  const auto counted = [&] {
    int host = 0;
    exec.fence("heddle::test::count");
    Kokkos::deep_copy(host, count);
    return host;
  };
  const auto body = [&] {
    heddle::backends::launch<heddle::backends::Shape<1, 32>>(exec, "heddle::test::count_up", 1,
                                                             CountUp{count.data()});
    Kokkos::parallel_for("heddle::test::count_up", range_policy(exec, 1),
                         CountUpInALoop{count.data()});
  };
  Graph graph;
  CHECK(graph.launches() == 0);
  body();  // loads the kernels
  CHECK(counted() == 2);
  CHECK(graph.record(exec, body) == Graph::exists);
  CHECK(counted() == 2);  // recorded, not run
  CHECK(graph.launches() == (Graph::exists ? 2 : 0));
  for (int run = 0; run < 3; ++run) graph.launch(exec);
  CHECK(counted() == 2 + 3 * static_cast<int>(graph.launches()));
  if (!Graph::exists) return;
  Graph moved = std::move(graph);
  moved.launch(exec);
  CHECK(counted() == 10);
  // What waits cannot be recorded, and nothing of it has run.
  CHECK(!moved.record(exec, [&] {
    body();
    exec.fence("heddle::test::in_between");
  }));
  CHECK(moved.launches() == 0);
  CHECK(counted() == 10);
  body();
  CHECK(counted() == 12);
}
TEST_CASE_TEMPLATE_APPLY(replays, Every<std::tuple<double>, UsualIndices, AllBackends>);

}  // namespace heddle::test
