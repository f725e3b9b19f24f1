// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a block of iterations is recorded, and when its graph is replayed.
#include <doctest/doctest.h>

#include "../../../solvers/krylov/jacobi.hpp"
#include "../../../solvers/krylov/solver.hpp"

namespace heddle::test {

namespace {

using heddle::detail::krylov::IterationGraph;
using heddle::detail::krylov::PartVersions;

/// The iterations that ran or were recorded: "3-6 " ran by launches, "[3-6] " was recorded, "* " is
/// a replay.
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
std::string run(IterationGraph<Graph>& blocks, const std::optional<PartVersions>& versions,
                int first, int stop) {
  log.clear();
  blocks.run(0, versions, first, stop, queue);
  return log;
}

PartVersions some_versions() { return {Version().number(), Version().number()}; }

}  // namespace

TEST_CASE("a block is recorded at its second run, and again when a version changes") {
  IterationGraph<FakeGraph> blocks(10);
  Version matrix, preconditioner;
  const auto versions = [&] { return PartVersions{matrix.number(), preconditioner.number()}; };
  CHECK(run(blocks, versions(), 0, 10) == "0-10 ");
  CHECK(run(blocks, versions(), 10, 20) == "[10-20] * ");
  CHECK(run(blocks, versions(), 20, 30) == "* ");
  CHECK(run(blocks, versions(), 30, 35) == "30-35 ");  // the last is shorter
  CHECK(run(blocks, versions(), 0, 10) == "* ");       // a replay in another solve
  CHECK(blocks.replays() == 3);
  for (Version* const changed : {&matrix, &preconditioner}) {
    changed->renew();
    CHECK(run(blocks, versions(), 0, 10) == "0-10 ");
    CHECK(run(blocks, versions(), 10, 20) == "[10-20] * ");
    CHECK(run(blocks, versions(), 20, 30) == "* ");
  }
  CHECK(run(blocks, std::nullopt, 30, 40) == "30-40 ");
  CHECK(blocks.replays() == 7);
}

TEST_CASE("where the host never looks, blocks are graphs too") {
  IterationGraph<FakeGraph> blocks(0);
  CHECK(run(blocks, some_versions(), 0, 70) == "0-16 [16-32] * * * 64-70 ");
  CHECK(run(blocks, std::nullopt, 0, 70) == "0-70 ");
}

TEST_CASE("what cannot be recorded runs by launches, and is not tried again in that solve") {
  refuses = true;
  IterationGraph<FakeGraph> blocks(2);
  const PartVersions versions = some_versions();
  CHECK(run(blocks, versions, 0, 6) == "0-2 2-4 4-6 ");
  CHECK(blocks.refused());
  refuses = false;
  CHECK(run(blocks, versions, 0, 2) == "0-2 ");
  blocks.begin();  // another solve
  CHECK(!blocks.refused());
  CHECK(run(blocks, versions, 0, 2) == "[0-2] * ");
  CHECK(run(blocks, some_versions(), 0, 4) == "0-2 [2-4] * ");
  IterationGraph<heddle::backends::NoGraph> none(2);
  CHECK(run(none, versions, 0, 6) == "0-6 ");
  CHECK(none.replays() == 0);
}

TEST_CASE("blocks are kept for later solves only where both parts hold a version") {
  struct Silent {};
  struct Unversioned {
    static bool capturable() { return true; }
  };
  struct MadeUp {
    static bool capturable() { return true; }
    static std::uint64_t version() { return 0; }
  };
  struct Part {
    Version version_;
    static bool capturable() { return true; }
    VersionNumber version() const { return version_.number(); }
  };
  using heddle::detail::krylov::versions_to_record;
  const Part part, other;
  const NoPreconditioner none;
  CHECK(!versions_to_record(part, Silent()));
  CHECK(!versions_to_record(Silent(), part));
  CHECK(versions_to_record(part, none) == versions_to_record(part, NoPreconditioner()));
  CHECK(versions_to_record(part, none) != versions_to_record(other, none));
  CHECK(versions_to_record(part, none) != versions_to_record(part, other));
  const auto recorded_anew = [&](const auto& matrix, const auto& preconditioner) {
    IterationGraph<FakeGraph> blocks(2);
    for (int solve = 0; solve < 2; ++solve) {
      const auto versions = versions_to_record(matrix, preconditioner);
      CHECK(run(blocks, versions, 0, 6) == "0-2 [2-4] * * ");
    }
  };
  recorded_anew(Unversioned(), part);
  recorded_anew(part, Unversioned());
  recorded_anew(MadeUp(), none);
  recorded_anew(part, MadeUp());
}

}  // namespace heddle::test
