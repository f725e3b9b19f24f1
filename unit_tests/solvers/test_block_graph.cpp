// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a block of iterations is recorded, and when what was recorded runs.
#include <doctest/doctest.h>

#include "../../solvers/krylov/block_graph.hpp"
#include "../../solvers/krylov/jacobi.hpp"

namespace heddle::test {

namespace {

using heddle::detail::krylov::BlockGraph;
using heddle::detail::krylov::PartVersions;

/// Iterations that ran or were recorded, as text: "3-6 " ran by launches, "[3-6] " was recorded,
/// "* " is a replay.
std::string log;
bool recording = false, refuses = false;

struct FakeGraph {
  static constexpr bool exists = true;
  std::size_t count = 0;

  template <class Body>
  bool record(int /*exec*/, const Body& body) {
    if (refuses) return false;
    recording = true;
    body();
    recording = false;
    count = 1;
    return true;
  }
  void launch(int /*exec*/) const { log += "* "; }
  std::size_t launches() const { return count; }
  void clear() { count = 0; }
};

void queue(int first, int stop) {
  const std::string range = std::to_string(first) + "-" + std::to_string(stop);
  log += recording ? "[" + range + "] " : range + " ";
}

template <class Graph>
std::string run(BlockGraph<Graph>& blocks, const std::optional<PartVersions>& versions, int first,
                int stop) {
  log.clear();
  blocks.run(0, versions, first, stop, queue);
  return log;
}

}  // namespace

TEST_CASE("a block is recorded at its second run, and again when a version changes") {
  BlockGraph<FakeGraph> blocks(10);
  const PartVersions versions{1, 2};
  CHECK(run(blocks, versions, 0, 10) == "0-10 ");
  CHECK(run(blocks, versions, 10, 20) == "[10-20] * ");
  CHECK(run(blocks, versions, 20, 30) == "* ");
  CHECK(run(blocks, versions, 30, 35) == "30-35 ");  // the last is shorter
  CHECK(run(blocks, versions, 0, 10) == "* ");       // of another solve
  CHECK(blocks.replays() == 3);
  for (const PartVersions changed : {PartVersions{3, 2}, PartVersions{3, 4}}) {
    CHECK(run(blocks, changed, 0, 10) == "0-10 ");
    CHECK(run(blocks, changed, 10, 20) == "[10-20] * ");
    CHECK(run(blocks, changed, 20, 30) == "* ");
  }
  CHECK(run(blocks, std::nullopt, 30, 40) == "30-40 ");
  CHECK(blocks.replays() == 7);
}

TEST_CASE("where the host never looks, blocks are graphs too") {
  BlockGraph<FakeGraph> blocks(0);
  CHECK(run(blocks, PartVersions{1, 0}, 0, 70) == "0-16 [16-32] * * * 64-70 ");
  CHECK(run(blocks, std::nullopt, 0, 70) == "0-70 ");
}

TEST_CASE("what cannot be recorded runs by launches, and is not tried again") {
  refuses = true;
  BlockGraph<FakeGraph> blocks(2);
  const PartVersions versions{1, 0};
  CHECK(run(blocks, versions, 0, 6) == "0-2 2-4 4-6 ");
  refuses = false;
  CHECK(run(blocks, versions, 0, 2) == "0-2 ");
  CHECK(run(blocks, PartVersions{2, 0}, 0, 4) == "0-2 [2-4] * ");
  BlockGraph<heddle::backends::NoGraph> none(2);
  CHECK(run(none, versions, 0, 6) == "0-6 ");
  CHECK(none.replays() == 0);
}

TEST_CASE("parts that say nothing, or no version, are not recorded") {
  namespace krylov = heddle::detail::krylov;
  struct Silent {};
  struct Unversioned {
    static bool capturable() { return true; }
  };
  struct Part {
    static bool capturable() { return true; }
    static std::uint64_t version() { return 5; }
  };
  CHECK(krylov::versions_to_record(Part(), NoPreconditioner()) == PartVersions{5, 0});
  CHECK(!krylov::versions_to_record(Part(), Silent()));
  CHECK(!krylov::versions_to_record(Unversioned(), Part()));
  const std::uint64_t one = next_version(), other = next_version();
  CHECK(one != other);
  CHECK(one != 0);
}

}  // namespace heddle::test
