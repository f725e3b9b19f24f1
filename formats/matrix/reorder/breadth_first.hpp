// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch.hpp"
#include "../../../backends/loops.hpp"
#include "../../../core/arena.hpp"
#include "components.hpp"

namespace heddle::detail::reorder {

/// One level of a search: the vertices at [first, last) of the queue. A vertex that nobody has
/// reached belongs to the first of the queue that it neighbours.
template <Ordinal O, Offset Off>
struct Level {
  using Shape = backends::Shape<8, 128>;

  Graph<O, Off> graph;
  O* queue;
  O* parent;  ///< the place in the queue of who reached a vertex; a root has -1
  O* level;
  std::int64_t first, last;
  O depth;
};

/// A subwarp a vertex of the level.
template <Ordinal O, Offset Off>
struct ReachNeighbours : Level<O, Off> {
  using Scratch = backends::NoScratch;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t place = this->first + team.index() * Team::subwarps + team.subwarp_index();
    if (place >= this->last) return;
    const O vertex = this->queue[place];
    for (std::int64_t k = this->graph.begin(vertex) + team.subwarp().lane();
         k < this->graph.end(vertex); k += Team::subwarp_width) {
      backends::atomic_min(&this->parent[this->graph.col_idx[k]], static_cast<O>(place));
    }
  }
};

/// A subwarp a vertex: how many it reached, or with `before` puts them into the queue, in the order
/// of its neighbours.
template <Ordinal O, Offset Off>
struct TakeReached : Level<O, Off> {
  using Scratch = backends::NoScratch;

  std::int64_t* reached;
  bool put;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t item = team.index() * Team::subwarps + team.subwarp_index();
    const std::int64_t place = this->first + item;
    if (place >= this->last) return;
    const O vertex = this->queue[place];
    const std::int64_t end = this->graph.end(vertex);
    std::int64_t to = put ? this->last + reached[item] : 0;
    for (std::int64_t begin = this->graph.begin(vertex); begin < end;
         begin += Team::subwarp_width) {
      const std::int64_t k = begin + subwarp.lane();
      const O neighbour = k < end ? this->graph.col_idx[k] : O(0);
      const bool mine = k < end && this->parent[neighbour] == static_cast<O>(place);
      const std::uint64_t all = subwarp.ballot(mine);
      if (put && mine) {
        const std::uint64_t below = all & ((std::uint64_t{1} << subwarp.lane()) - 1);
        this->queue[to + Kokkos::popcount(below)] = neighbour;
        this->level[neighbour] = this->depth;
      }
      to += Kokkos::popcount(all);
    }
    if (!put && subwarp.lane() == 0) reached[item] = to;
  }
};

/// Takes the roots, vertices that stand for their components, into the queue.
template <Ordinal O>
struct PutRoots {
  const O* roots;
  O* queue;
  O* parent;
  O* level;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    queue[i] = roots[i];
    parent[roots[i]] = -1;
    level[roots[i]] = 0;
  }
};

/// A search in breadth from several roots at the same time, one in each component, in the order
/// that a search by one thread would find: by the place of who reaches a vertex first, then by
/// number.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class BreadthFirst {
 public:
  BreadthFirst(const Exec& exec, const Graph<O, Off>& graph)
      : graph_(graph),
        memory_(exec, "heddle::reorder::search",
                arena_bytes<O, O, O, std::int64_t>(size(), size(), size(), size() + 1)) {
    queue_ = memory_.template take<O>(size()).data();
    parent_ = memory_.template take<O>(size()).data();
    level_ = memory_.template take<O>(size()).data();
    reached_ = memory_.template take<std::int64_t>(size() + 1).data();
  }

  /// Fills the queue. Waits for `exec`, once a level.
  void search(const Exec& exec, const O* roots, std::int64_t count) const {
    using Shape = typename Level<O, Off>::Shape;
    using Team = backends::Team<Exec, Shape>;
    fill(exec, "heddle::reorder::unreached", parent_, std::int64_t{graph_.vertices},
         std::numeric_limits<O>::max());
    parallel_for(exec, "heddle::reorder::roots", count,
                 PutRoots<O>{roots, queue_, parent_, level_});
    Level<O, Off> level{graph_, queue_, parent_, level_, 0, count, 1};
    while (level.first < level.last) {
      const std::int64_t vertices = level.last - level.first;
      const std::int64_t teams = ceil_div(vertices, Team::subwarps);
      backends::launch<Shape>(exec, "heddle::reorder::reach", teams,
                              ReachNeighbours<O, Off>{level});
      backends::launch<Shape>(exec, "heddle::reorder::count", teams,
                              TakeReached<O, Off>{level, reached_, false});
      const std::int64_t next = running_sum_and_total(exec, "heddle::reorder::sum", reached_,
                                                      vertices, Terms<std::int64_t>{reached_});
      backends::launch<Shape>(exec, "heddle::reorder::take", teams,
                              TakeReached<O, Off>{level, reached_, true});
      level.first = level.last;
      level.last += next;
      ++level.depth;
    }
  }

  const O* queue() const { return queue_; }
  const O* level() const { return level_; }

 private:
  std::size_t size() const { return static_cast<std::size_t>(graph_.vertices); }

  Graph<O, Off> graph_;
  Arena<typename Exec::memory_space> memory_;
  O* queue_;
  O* parent_;
  O* level_;
  std::int64_t* reached_;
};

}  // namespace heddle::detail::reorder
