// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>

#include "../../backends/graph.hpp"
#include "concepts.hpp"

namespace heddle::detail::krylov {

/// What a recorded block of iterations depends on.
struct PartVersions {
  VersionNumber matrix, preconditioner;
  bool operator==(const PartVersions&) const = default;
};

/// Once for each solve; none where no block may be recorded. Where a part holds no Version these
/// are of this solve alone, and so nothing that was recorded in another is run again.
template <class A, class M>
std::optional<PartVersions> versions_to_record(const A& matrix, const M& preconditioner) {
  if (!capturable(matrix) || !capturable(preconditioner)) return std::nullopt;
  return PartVersions{version_in_solve(matrix), version_in_solve(preconditioner)};
}

/// Runs iterations in blocks, each of them one graph where there are graphs and all parts may be
/// recorded. A block is recorded at its second run with the same versions: the first has loaded all
/// kernels, and short solves pay nothing. If that fails, blocks run by launches until the end of
/// the solve.
template <class Graph>
class BlockGraph {
 public:
  BlockGraph() = default;
  /// Of the iterations of a block.
  explicit BlockGraph(int check_every) : block_(check_every > 0 ? check_every : unseen_block) {}

  /// Iterations [first, stop) by queue(first, stop), which queues the same work on `exec` wherever
  /// it begins.
  template <class Exec, class Queue>
  void run(const Exec& exec, const std::optional<PartVersions>& versions, int first, int stop,
           const Queue& queue) {
    if (!Graph::exists || !versions) return queue(first, stop);
    while (stop - first >= block_) {
      run_block(exec, *versions, [&] { queue(first, first + block_); });
      first += block_;
    }
    if (first < stop) queue(first, stop);
  }

  /// At the start of a solve.
  void begin() { refused_ = false; }
  /// Whether a block of this solve could not be recorded.
  bool refused() const { return refused_; }
  /// Iterations of a block.
  int block() const { return block_; }
  /// Blocks that ran as a graph, so far.
  int replays() const { return replays_; }

 private:
  static constexpr int unseen_block = 16;  // where the host does not look

  template <class Exec, class Body>
  void run_block(const Exec& exec, const PartVersions& versions, const Body& body) {
    if (versions_ != versions) {
      versions_ = versions;
      graph_.clear();
      refused_ = false;
      return body();
    }
    if (graph_.launches() == 0 && !refused_) refused_ = !graph_.record(exec, body);
    if (refused_) return body();
    graph_.launch(exec);
    ++replays_;
  }

  int block_ = unseen_block;
  Graph graph_;
  std::optional<PartVersions> versions_;
  bool refused_ = false;
  int replays_ = 0;
};

}  // namespace heddle::detail::krylov
