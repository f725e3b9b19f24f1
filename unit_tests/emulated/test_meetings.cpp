// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors of an emulated device about lanes that do not meet: each kernel here breaks a rule.
#include "kernels.hpp"

namespace heddle::test {

constexpr int width = Exec::width;

using Eights = backends::Shape<8, 128>;

template <class Shape, class K>
std::string problem(const K& kernel, int teams = 1) {
  return error_of_launch(
      [&] { backends::launch<Shape>(Exec(), "heddle::test::broken", teams, kernel); });
}

TEST_CASE("lanes of a subwarp at different words") {
  const Kernel kernel{[](const auto& team) {
    if (team.thread() == 21) {
      team.subwarp().sync();
    } else {
      team.subwarp().shuffle(1.0, 0);
    }
  }};
  const std::string said = problem<Eights>(kernel);
  CHECK(names(said, {"heddle::test::broken", "subwarp 2 (of 8 lanes), team 0", "shuffle", "sync",
                     "one waits at another word", "seed", "launch"}));
}

TEST_CASE("a lane that left while others wait for it") {
  const Kernel kernel{[](const auto& team) {
    if (team.thread() == 17) return;
    team.subwarp().any(true);
  }};
  CHECK(names(problem<Eights>(kernel), {"subwarp 2", "ballot", "left"}));
}

TEST_CASE("another subwarp may be elsewhere, or gone") {
  const Kernel kernel{[](const auto& team) {
    if (team.subwarp_index() == 3) return;
    const auto lanes = team.subwarp();
    for (int i = 0; i < team.subwarp_index(); ++i) lanes.sum(1.0);
  }};
  CHECK(problem<Eights>(kernel) == "");
}

TEST_CASE("a barrier that not all threads reach") {
  const Kernel left{[](const auto& team) {
    if (team.thread() < 100) team.barrier();
  }};
  CHECK(names(problem<Eights>(left), {"barrier", "left"}));
  const Kernel elsewhere{[](const auto& team) {
    if (team.thread() % 8 == 5) {
      team.subwarp().sync();
    } else {
      team.barrier();
    }
  }};
  CHECK(names(problem<Eights>(elsewhere), {"barrier", "sync"}));
}

TEST_CASE("a barrier that subwarps reach one after the other") {
  const Kernel kernel{[](const auto& team) {
    for (int i = 0; i < team.subwarp_index() % 3; ++i) team.subwarp().sync();
    team.barrier();
    team.barrier();
  }};
  CHECK(problem<Eights>(kernel, 20) == "");
}

TEST_CASE("a shuffle from a lane that is not there") {
  const Kernel beyond{[](const auto& team) { team.subwarp().shuffle(1.0, 8); }};
  CHECK(names(problem<Eights>(beyond), {"asks lane 8 of 8 by shuffle", "not there"}));
  const Kernel below{[](const auto& team) { team.subwarp().shuffle(1.0, team.thread() - 1); }};
  CHECK(names(problem<Eights>(below), {"lane", "by shuffle", "not there"}));
  const Kernel bits{[](const auto& team) { team.subwarp().shuffle_xor(1.0, 8); }};
  CHECK(names(problem<Eights>(bits), {"by shuffle_xor", "not there"}));
}

TEST_CASE("words of two widths, of which one waits for the other") {
  const Kernel kernel{[](const auto& team) {
    if (team.thread() % 8 < 4) {
      backends::Subwarp<Exec, 16>().sync();
    } else {
      backends::Subwarp<Exec, 8>().sync();
    }
  }};
  CHECK(names(problem<Eights>(kernel), {"sync of", "another width"}));
}

TEST_CASE("words of two widths, one after the other") {
  const Kernel kernel{[](const auto& team) {
    backends::Subwarp<Exec, 16>().sync();
    team.subwarp().sum(1.0);
    backends::Subwarp<Exec, 4>().sum(1.0);
    backends::Subwarp<Exec, width>().sum(1.0);
  }};
  CHECK(problem<Eights>(kernel, 10) == "");
}

/// Half of the subwarps of a warp call sum_together: right on a warp of 64 lanes, where
/// sum_together is sum, and wrong on a warp of 32.
TEST_CASE("sum_together without the whole warp") {
  const Kernel kernel{[](const auto& team) {
    if (team.subwarp_index() % 2 == 0) team.subwarp().sum_together(1.0);
  }};
  const std::string said = problem<Eights>(kernel);
  if (width == 32) {
    CHECK(names(said, {"sum_together", "left"}));
  } else {
    CHECK(said == "");
  }
}

struct BeyondScratch {
  struct Scratch {
    int values[10];
  };
  int count;
  template <class Team>
  void operator()(const Team& team, Scratch& scratch) const {
    int* volatile const values = scratch.values;
    if (team.thread() == 0) values[count - 1] = 1;
  }
};

TEST_CASE("scratch that is too small") {
  CHECK(problem<Eights>(BeyondScratch{10}) == "");
  CHECK(names(problem<Eights>(BeyondScratch{11}), {"beyond its scratch of 40 bytes"}));
}

struct NumberInScratch {
  struct Scratch {
    int number;
  };
};

/// Calls a word of memory on a place in scratch.
template <class F>
struct OnScratch : NumberInScratch {
  F word;
  explicit OnScratch(F what) : word(what) {}
  template <class Team>
  void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == 0) scratch.number = 7;
    team.barrier();
    if (team.thread() == 5) word(&scratch.number);
  }
};

TEST_CASE("words of memory on scratch, where CUDA faults") {
  const auto said = [](auto word) { return problem<Eights>(OnScratch<decltype(word)>(word)); };
  const char* const where = "a place in scratch";
  CHECK(names(said([](int* place) { backends::post(place, 1); }), {"posts", where, "lane 5 of"}));
  CHECK(names(said([](int* place) { backends::look(place); }), {"looks at", where}));
  CHECK(names(said([](int* place) { backends::load(place, true); }), {"loads", where}));
  CHECK(names(said([](int* place) { backends::load_once(place, true); }), {"loads", where}));
  CHECK(names(said([](int* place) { backends::collect(place, [](int) { return true; }); }),
              {"collects", where}));
  CHECK(said([](int* place) { backends::load(place, false); }) == "");
  CHECK(said([](int* place) { backends::publish(place, backends::acquire(place)); }) == "");
}

struct ReadScratch {
  struct Scratch {
    double value;
  };
  double* result;
  template <class Team>
  void operator()(const Team& team, Scratch& scratch) const {
    if (team.thread() == 0) *result = scratch.value;
  }
};

TEST_CASE("scratch that nobody wrote is no number") {
  double result = 0;
  CHECK(problem<Eights>(ReadScratch{&result}) == "");
  CHECK(result != result);
}

TEST_CASE("what a lane throws arrives, and the device goes on") {
  const Kernel kernel{[](const auto& team) {
    if (team.thread() == 77) throw std::runtime_error("by lane 77");
    team.barrier();
  }};
  CHECK_THROWS_WITH(backends::launch<Eights>(Exec(), "heddle::test::throws", 3, kernel),
                    "by lane 77");
  const Kernel sums{[](const auto& team) { team.subwarp().sum(1.0); }};
  CHECK(problem<Eights>(sums, 50) == "");
}

TEST_CASE("a launch by a lane") {
  const Kernel inner{[](const auto&) {}};
  const Kernel outer{
      [=](const auto&) { backends::launch<Eights>(Exec(), "heddle::test::inner", 1, inner); }};
  CHECK(names(problem<Eights>(outer), {"heddle::test::inner is launched by a lane"}));
}

TEST_CASE("a seed repeats an order, and another has another") {
  std::vector<int> order;
  const Kernel kernel{[&](const auto& team) {
    order.push_back(static_cast<int>(team.index()) * 1000 + team.thread());
    team.subwarp().sync();
    order.push_back(static_cast<int>(team.index()) * 1000 + team.thread());
  }};
  const auto order_of = [&](std::uint64_t seed) {
    order.clear();
    backends::emulated_options().seed = seed;
    CHECK(problem<Eights>(kernel, 12) == "");
    return order;
  };
  const std::uint64_t seed = backends::emulated_options().seed;
  const auto a = order_of(seed + 1), b = order_of(seed + 2), c = order_of(seed + 1);
  order_of(seed);
  CHECK(a == c);
  CHECK(a != b);
  CHECK(a.size() == 2 * 12 * 128);
}

#if HEDDLE_EMULATED == 32
template <class K>
std::string cluster_problem(const K& kernel) {
  return error_of_launch(
      [&] { backends::launch_cluster<Eights>(Exec(), "heddle::test::cluster", 4, 2, kernel); });
}

TEST_CASE("clusters") {
  CHECK(names(cluster_problem(ClusterKernel{[](const auto& cluster, auto&) {
                if (cluster.rank() != 2) cluster.barrier();
              }}),
              {"cluster's barrier", "left"}));
  CHECK(names(cluster_problem(ClusterKernel{[](const auto& cluster, auto&) {
                cluster.arrive();
                cluster.arrive();
              }}),
              {"twice"}));
  CHECK(names(cluster_problem(ClusterKernel{[](const auto& cluster, auto&) { cluster.wait(); }}),
              {"has not arrived"}));
  CHECK(names(cluster_problem(ClusterKernel{[](const auto& cluster, auto& scratch) {
                cluster.barrier();
                cluster.remote(&scratch.value + 1, 0);
              }}),
              {"not in its scratch"}));
  CHECK(names(cluster_problem(ClusterKernel{[](const auto& cluster, auto& scratch) {
                cluster.barrier();
                if (cluster.rank() > 0) return;
                for (int k = 0; k < 1000; ++k) cluster.post(cluster.remote(&scratch.value, 1), k);
              }}),
              {"asks for scratch of team 1 of its cluster", "about to leave"}));
}
#endif

}  // namespace heddle::test
