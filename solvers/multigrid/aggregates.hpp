// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>

#include "../../backends/algorithms/host_copy.hpp"
#include "../../backends/algorithms/make_rows.hpp"
#include "../../backends/atomics.hpp"
#include "../../backends/cooperative.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/hash.hpp"
#include "../../matrices/derive.hpp"

/// Aggregates of the nodes of a graph, around the nodes of a maximal independent set of distance
/// two (MIS-2). They are equal on every run, device and number of threads: each thread writes only
/// its own node, and priorities are hashes.
///
/// Sources: N. Bell, S. Dalton and L. Olson, "Exposing fine-grained parallelism in algebraic
/// multigrid methods", SIAM J. Sci. Comput. 34, 2012 (MIS-2 by two passes of maxima); B. Kelley and
/// S. Rajamanickam, "Parallel, portable algorithms for distance-2 maximal independent set and graph
/// coarsening", IPDPS 2022 (new priorities in every round, a second set among the rest).
namespace heddle::detail::multigrid {

/// Strong entries, row by row, with or without the diagonal, and the strength of each.
template <Ordinal O, Offset Off>
struct StrongGraph {
  const Off* row_ptr;
  const O* col_idx;
  const float* strength;
  O nodes;
  std::int64_t entries;
};

enum class Node : int { excluded, candidate, root, covered };

/// The key of a node in a round: keys of roots are the largest, then those of candidates.
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t key_of(std::int64_t i, Node is, std::uint64_t round) {
  const std::uint64_t priority = hash_of(static_cast<std::uint64_t>(i) + (round << 40)) >> 2;
  return is == Node::root        ? (std::uint64_t{2} << 62) | priority
         : is == Node::candidate ? (std::uint64_t{1} << 62) | priority
                                 : 0;
}

KOKKOS_FORCEINLINE_FUNCTION bool is_root_key(std::uint64_t key) { return key >> 62 == 2; }

/// The largest key of a node and its neighbours, or that of any root among them: roots are not
/// compared. The maximum of an excluded node is 0, so paths do not pass through it.
template <class Graph>
struct MaximumOfNeighbours {
  Graph graph;
  const Node* state;
  const std::uint64_t* key;
  std::uint64_t* largest;
  bool first_round = true;

  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t maximum_at(std::int64_t i) const {
    std::uint64_t most = key[i];
    for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1] && !is_root_key(most); ++k) {
      const std::uint64_t other = key[graph.col_idx[k]];
      if (other > most) most = other;
    }
    return most;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    // A root stays one, and a neighbourhood without a candidate stays so.
    if (!first_round && (is_root_key(largest[i]) || largest[i] == 0)) return;
    largest[i] = state[i] == Node::excluded ? 0 : maximum_at(i);
  }
};

/// Decides what node i is by the largest key within distance two, and sets its key of the next
/// round.
struct DecideNode {
  Node* state;
  std::uint64_t* key;
  std::uint64_t next_round;

  KOKKOS_FORCEINLINE_FUNCTION Node operator()(std::int64_t i, std::uint64_t largest) const {
    const Node is = largest == key[i]      ? Node::root
                    : is_root_key(largest) ? Node::covered
                                           : Node::candidate;
    state[i] = is;
    key[i] = key_of(i, is, next_round);
    return is;
  }
};

/// Decides what each candidate is, from the maxima that a first pass wrote.
template <class Graph>
struct DecideRoots {
  MaximumOfNeighbours<Graph> second_pass;
  DecideNode decide;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (decide.state[i] == Node::candidate) decide(i, second_pass.maximum_at(i));
  }
};

/// Lists the candidates, in any order. count: 0 before.
template <Ordinal O>
struct ListCandidates {
  const Node* state;
  O* list;
  O* count;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (state[i] != Node::candidate) return;
    list[backends::atomic_fetch_add(count, O(1))] = static_cast<O>(i);
  }
};

/// The largest key within distance two of each listed node, by a subwarp.
template <class Graph, int Lanes>
struct LargestWithinTwo {
  using O = decltype(Graph::nodes);
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<Lanes, 128>;

  Graph graph;
  const Node* state;
  const std::uint64_t* key;
  const O* list;
  const O* count;
  std::uint64_t* largest;  ///< of each place of the list

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t place = team.index() * Team::subwarps + team.subwarp_index();
    if (place >= *count) return;
    const O i = list[place];
    std::uint64_t most = key[i];
    for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (state[j] == Node::excluded) continue;
      if (key[j] > most) most = key[j];
      for (auto l = graph.row_ptr[j] + subwarp.lane(); l < graph.row_ptr[j + 1];
           l += Team::subwarp_width) {
        const std::uint64_t other = key[graph.col_idx[l]];
        if (other > most) most = other;
      }
    }
    most = subwarp.max(most);
    if (subwarp.lane() == 0) largest[place] = most;
  }
};

/// Decides what each listed node is, and lists those that stay candidates.
template <Ordinal O>
struct DecideListed {
  DecideNode decide;
  const std::uint64_t* largest;
  const O* list;
  const O* count;
  O* next;
  O* next_count;  ///< 0 before

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    if (place >= *count) return;
    const O i = list[place];
    if (decide(i, largest[place]) != Node::candidate) return;
    next[backends::atomic_fetch_add(next_count, O(1))] = i;
  }
};

/// Marks the candidates of the next set, which are nodes without an aggregate (free) with free
/// neighbours, and sets the keys of its first round.
template <class Graph>
struct MarkCandidates {
  Graph graph;
  decltype(Graph::nodes) const* aggregate;
  Node* state;
  std::uint64_t* key;

  KOKKOS_FORCEINLINE_FUNCTION bool is_free(std::int64_t i) const { return aggregate[i] < 0; }
  KOKKOS_FORCEINLINE_FUNCTION bool has_free_neighbour(std::int64_t i) const {
    for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(graph.col_idx[k]);
      if (j != i && is_free(j)) return true;
    }
    return false;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const bool is_candidate = is_free(i) && has_free_neighbour(i);
    state[i] = is_candidate ? Node::candidate : Node::excluded;
    key[i] = key_of(i, state[i], 0);
  }
};

/// Changes roots of a second set whose aggregates would be small to covered. Small aggregates make
/// the coarse matrix larger than the iterations that they save are worth.
template <class Graph>
struct CoverSmallRoots {
  MarkCandidates<Graph> candidates;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (candidates.state[i] == Node::root && !is_large(i)) candidates.state[i] = Node::covered;
  }

 private:
  /// Whether four neighbours are free or, of fewer, at least two and three quarters of all.
  KOKKOS_FORCEINLINE_FUNCTION bool is_large(std::int64_t i) const {
    const Graph& graph = candidates.graph;
    std::int64_t all = 0, free = 0;
    for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1] && free < 4; ++k) {
      const auto j = static_cast<std::int64_t>(graph.col_idx[k]);
      all += j != i;
      free += j != i && candidates.is_free(j);
    }
    return free >= 4 || (free >= 2 && 4 * free >= 3 * all);
  }
};

/// Finds a set in one launch, a subwarp a node: marks candidates, runs rounds until none is left,
/// and may cover small roots. For graphs so small that launches and readbacks dominate.
template <class Graph>
struct FindSetTogether {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<16, 256>;

  MarkCandidates<Graph> candidates;
  bool covers_small_roots;
  std::uint64_t* largest;
  int* left;  ///< whether candidates are left after the last even round, and after the last odd one

  template <class All>
  KOKKOS_FUNCTION void operator()(const All& all, Scratch&) const {
    const auto subwarp = all.team().subwarp();
    const bool writes = subwarp.lane() == 0;
    Node* const state = candidates.state;
    std::uint64_t* const key = candidates.key;
    each_node(all, [&](std::int64_t i) {
      if (writes) candidates(i);
    });
    for (std::uint64_t round = 0;; ++round) {
      int* const left_now = left + round % 2;
      if (all.team().index() == 0 && all.team().thread() == 0) backends::post(left_now, 0);
      each_node(all, [&](std::int64_t i) {
        // A root stays one, and a neighbourhood without a candidate stays so.
        if (round > 0 && (is_root_key(largest[i]) || largest[i] == 0)) return;
        const std::uint64_t most =
            state[i] == Node::excluded ? 0 : largest_around<All>(subwarp, key, i);
        if (writes) largest[i] = most;
      });
      const DecideNode decide{state, key, round + 1};
      each_node(all, [&](std::int64_t i) {
        if (state[i] != Node::candidate) return;
        const std::uint64_t most = largest_around<All>(subwarp, largest, i);
        if (writes && decide(i, most) == Node::candidate) backends::post(left_now, 1);
      });
      if (backends::look(left_now) == 0) break;
    }
    if (!covers_small_roots) return;
    each_node(all, [&](std::int64_t i) {
      if (writes) CoverSmallRoots<Graph>{candidates}(i);
    });
  }

 private:
  /// body(node) by the subwarps of all teams, then a barrier of all teams.
  template <class All, class Body>
  KOKKOS_FORCEINLINE_FUNCTION void each_node(const All& all, const Body& body) const {
    using Team = typename All::team_type;
    const std::int64_t subwarps = std::int64_t{Team::subwarps} * all.teams();
    for (std::int64_t i = all.team().index() * Team::subwarps + all.team().subwarp_index();
         i < candidates.graph.nodes; i += subwarps) {
      body(i);
    }
    all.barrier();
  }
  template <class All, class Subwarp>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t largest_around(const Subwarp& subwarp,
                                                           const std::uint64_t* of,
                                                           std::int64_t i) const {
    const Graph& graph = candidates.graph;
    std::uint64_t most = of[i];
    for (auto k = graph.row_ptr[i] + subwarp.lane(); k < graph.row_ptr[i + 1];
         k += All::team_type::subwarp_width) {
      const std::uint64_t other = of[graph.col_idx[k]];
      if (other > most) most = other;
    }
    return subwarp.max(most);
  }
};

struct IsRoot {
  const Node* state;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const { return state[i] == Node::root; }
};

/// Numbers the aggregates of roots; their free neighbours join them.
template <class Graph>
struct JoinRoots {
  using O = decltype(Graph::nodes);
  Graph graph;
  const Node* state;
  const O* roots_before;
  const O* count_before;  ///< number of aggregates of the set before; null: there is none
  O* aggregate;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O first = count_before ? *count_before : O(0);
    if (state[i] == Node::root) {
      aggregate[i] = first + roots_before[i];
      return;
    }
    if (state[i] != Node::covered) return;
    for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (state[j] != Node::root) continue;
      aggregate[i] = first + roots_before[j];
      return;
    }
  }
};

template <Ordinal O>
struct CountMembers {
  const O* aggregate;
  O* members;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (aggregate[i] >= 0) backends::atomic_inc(members + aggregate[i]);
  }
};

/// A node without an aggregate joins the aggregate of its strongest neighbour; of equally strong
/// ones, the aggregate with fewest members.
template <class Graph>
struct JoinStrongest {
  using O = decltype(Graph::nodes);
  Graph graph;
  const O* aggregate;
  const O* members;
  O* joined;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    O best = aggregate[i];
    if (best < 0) {
      float strongest = 0;
      for (auto k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
        const O other = aggregate[graph.col_idx[k]];
        if (other < 0 || static_cast<std::int64_t>(graph.col_idx[k]) == i) continue;
        const float strength = graph.strength[k];
        const bool better = best < 0 || strength > strongest ||
                            (strength == strongest && members[other] < members[best]);
        if (!better) continue;
        best = other;
        strongest = strength;
      }
    }
    joined[i] = best;
  }
};

/// The aggregate of each node; -1 for nodes without a strong neighbour, which only the smoother
/// solves for. Allocates, and waits: twice if sets are found in one launch, else several times
/// more.
template <ExecutionSpace Exec, Ordinal O>
class Aggregates {
 public:
  using Space = typename Exec::memory_space;

  /// one_launch_nodes: sets of at most so many nodes are found in one launch; -1: as many as the
  /// threads of such a launch. The aggregates are the same either way.
  template <class Graph>
  Aggregates(const Exec& exec, const Graph& graph, std::int64_t one_launch_nodes = -1) {
    const std::int64_t n = graph.nodes;
    O *aggregate = nullptr, *before = nullptr, *members = nullptr, *counts_of_sets = nullptr;
    Node* state = nullptr;
    int* words = nullptr;
    memory_ = Arena<Space>(exec, "heddle::multigrid::aggregates", arena_array(of_, n),
                           arena_array(aggregate, n), arena_array(before, n + 1),
                           arena_array(members, n), arena_array(state, n), arena_array(keys_[0], n),
                           arena_array(keys_[1], n), arena_array(counts_, rounds_of_a_read + 1),
                           arena_array(counts_of_sets, 2), arena_array(words, 4));
    lists_[0] = before;
    lists_[1] = members;

    fill(exec, "heddle::multigrid::no_aggregates", aggregate, n, O(-1));
    fill(exec, "heddle::multigrid::clear_meetings", words, 2, 0);
    for (const int set : {0, 1}) {
      const MarkCandidates<Graph> candidates{graph, aggregate, state, keys_[0]};
      const bool second = set == 1;
      if (!find_set_together(exec, candidates, second, words, one_launch_nodes)) {
        find_set(exec, candidates, second);
      }
      running_sum(exec, "heddle::multigrid::number_roots", before, n, IsRoot{state});
      copy(exec, "heddle::multigrid::count_roots", counts_of_sets + set, 1, before + n);
      parallel_for(
          exec, "heddle::multigrid::join_roots", n,
          JoinRoots<Graph>{graph, state, before, second ? counts_of_sets : nullptr, aggregate});
    }
    fill(exec, "heddle::multigrid::no_members", members, n, O(0));
    parallel_for(exec, "heddle::multigrid::count_members", n, CountMembers<O>{aggregate, members});
    parallel_for(exec, "heddle::multigrid::join_strongest", n,
                 JoinStrongest<Graph>{graph, aggregate, members, of_});
    const auto counts =
        ordered::copied_to_host(exec, "heddle::multigrid::aggregates", counts_of_sets, 2);
    count_ = counts[0] + counts[1];
  }

  /// The aggregates that write(aggregate of each node) writes; it returns their number.
  template <class Write>
  Aggregates(const Exec& exec, std::int64_t nodes, const Write& write)
      : memory_(exec, "heddle::multigrid::aggregates", arena_array(of_, nodes)),
        count_(write(of_)) {}

  O count() const { return count_; }
  const O* of() const { return of_; }

 private:
  /// Finds a set in one launch; false if the device or the size of the graph does not allow it.
  template <class Graph>
  bool find_set_together(const Exec& exec, const MarkCandidates<Graph>& candidates,
                         bool covers_small_roots, int* words, std::int64_t one_launch_nodes) {
    if constexpr (backends::has_lanes<Exec> && backends::has_cooperative<Exec>) {
      using Kernel = FindSetTogether<Graph>;
      using Shape = typename Kernel::Shape;
      using Team = backends::Team<Exec, Shape>;
      const std::int64_t n = candidates.graph.nodes;
      const std::int64_t most = backends::most_cooperative_teams<Shape, Kernel>(exec);
      if (n > (one_launch_nodes < 0 ? most * Shape::team_threads : one_launch_nodes)) return false;
      const std::int64_t teams = std::min(most, ceil_div(n, std::int64_t{Team::subwarps}));
      backends::launch_cooperative<Shape>(
          exec, "heddle::multigrid::independent_set", static_cast<int>(teams),
          Kernel{candidates, covers_small_roots, keys_[1], words + 2},
          backends::MeetingWords{words, words + 1});
      return true;
    } else {
      return false;
    }
  }

  /// Two rounds over all nodes leave few candidates. Those are listed, and further rounds look two
  /// steps far from each; the host reads how many are left after some of them.
  template <class Graph>
  void find_set(const Exec& exec, const MarkCandidates<Graph>& candidates,
                bool covers_small_roots) {
    const Graph& graph = candidates.graph;
    Node* const state = candidates.state;
    parallel_for(exec, "heddle::multigrid::mark_candidates", graph.nodes, candidates);
    std::uint64_t round = 0;
    for (; round < 2; ++round) {
      const MaximumOfNeighbours<Graph> first_pass{graph, state, keys_[0], keys_[1], round == 0};
      parallel_for(exec, "heddle::multigrid::maximum_of_neighbours", graph.nodes, first_pass);
      parallel_for(
          exec, "heddle::multigrid::decide", graph.nodes,
          DecideRoots<Graph>{{graph, state, keys_[1], nullptr}, {state, keys_[0], round + 1}});
    }
    fill(exec, "heddle::multigrid::no_candidates", counts_, 1, O(0));
    parallel_for(exec, "heddle::multigrid::list_candidates", graph.nodes,
                 ListCandidates<O>{state, lists_[0], counts_});
    std::int64_t left = candidates_left(exec, counts_);
    while (left > 0) {
      fill(exec, "heddle::multigrid::no_candidates", counts_ + 1, rounds_of_a_read, O(0));
      for (int k = 0; k < rounds_of_a_read; ++k, ++round) {
        const O* const list = lists_[k % 2];
        if (graph.entries > 16 * std::int64_t{graph.nodes}) {
          look_two_steps<32>(exec, graph, state, list, counts_ + k, left);
        } else {
          look_two_steps<8>(exec, graph, state, list, counts_ + k, left);
        }
        parallel_for(exec, "heddle::multigrid::decide_listed", left,
                     DecideListed<O>{{state, keys_[0], round + 1},
                                     keys_[1],
                                     list,
                                     counts_ + k,
                                     lists_[(k + 1) % 2],
                                     counts_ + k + 1});
      }
      left = candidates_left(exec, counts_ + rounds_of_a_read);
      fill(exec, "heddle::multigrid::candidates", counts_, 1, static_cast<O>(left));
    }
    if (!covers_small_roots) return;
    parallel_for(exec, "heddle::multigrid::cover_small_roots", graph.nodes,
                 CoverSmallRoots<Graph>{candidates});
  }

  template <int Lanes, class Graph>
  void look_two_steps(const Exec& exec, const Graph& graph, const Node* state, const O* list,
                      const O* count, std::int64_t most) {
    using Look = LargestWithinTwo<Graph, Lanes>;
    using Team = backends::Team<Exec, typename Look::Shape>;
    backends::launch<typename Look::Shape>(exec, "heddle::multigrid::look_two_steps",
                                           ceil_div(most, Team::subwarps),
                                           Look{graph, state, keys_[0], list, count, keys_[1]});
  }
  static std::int64_t candidates_left(const Exec& exec, const O* count) {
    return ordered::copied_to_host(exec, "heddle::multigrid::candidates", count, 1).front();
  }

  /// Even, so that a list that is left is the first again.
  static constexpr int rounds_of_a_read = 4;

  O* of_ = nullptr;
  Arena<Space> memory_;
  O count_ = 0;
  std::uint64_t* keys_[2] = {};
  O* lists_[2] = {};
  O* counts_ = nullptr;  ///< lengths of the lists of some rounds
};

// Strong entries of a level's matrix, or, if a node has several rows, of the matrix of nodes.

/// The square of an entry's magnitude over the roots of its nodes: it has no unit, so nothing
/// overflows whatever the scale of A and of its unknowns.
template <Scalar S, Ordinal O>
struct RelativeSquare {
  const S* values;
  const O* col_idx;
  const double* root;  ///< root of each node
  int block;

  KOKKOS_FORCEINLINE_FUNCTION double operator()(std::int64_t row, std::int64_t k) const {
    const double size = static_cast<double>(Kokkos::abs(values[k]));
    const double relative = size / root[row / block] / root[col_idx[k] / block];
    return relative * relative;
  }
};
/// The square root of the largest magnitude on a node's diagonal; of a node of one row also what
/// SizeOfDiagonal finds.
template <Scalar S>
struct RootOfNode {
  const S* diagonal;
  int block;
  double* root;
  double* size;
  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    double largest = 0;
    for (std::int64_t i = node * block; i < (node + 1) * block; ++i) {
      largest = Kokkos::max(largest, static_cast<double>(Kokkos::abs(diagonal[i])));
    }
    root[node] = Kokkos::sqrt(largest);
    if (block == 1) size[node] = largest / root[node] / root[node];
  }
};
template <Scalar S, Ordinal O>
struct PutSquares {
  RelativeSquare<S, O> square;
  double* to;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    to[k] = square(row, k);
  }
};
/// The squares of a matrix of nodes, already summed up.
struct KnownSquare {
  const double* squares;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(std::int64_t, std::int64_t k) const {
    return squares[k];
  }
};
/// Maps an entry to the nodes of its row and column.
template <Ordinal O>
struct MoveToNodes {
  int block;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    row /= block;
    column /= block;
  }
};

/// Merges the rows of a node, whose columns ascend: each(node, visit) calls visit(J, the sum of the
/// squares of all entries of node J, in the order of the rows) for each neighbour J, ascending.
template <class Matrix>
struct MergeRows {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  static constexpr int most_rows = 8;

  Matrix A;
  RelativeSquare<S, O> square;
  int block;  ///< at most most_rows

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each(std::int64_t node, const Visit& visit) const {
    const Off* const row_ptr = A.row_ptr().data() + node * block;
    const O* const col_idx = A.col_idx().data();
    Off next[most_rows];
    for (int r = 0; r < block; ++r) next[r] = row_ptr[r];
    while (true) {
      O neighbour = Kokkos::Experimental::finite_max_v<O>;
      bool any = false;
      for (int r = 0; r < block; ++r) {
        if (next[r] == row_ptr[r + 1]) continue;
        any = true;
        neighbour = Kokkos::min(neighbour, static_cast<O>(col_idx[next[r]] / block));
      }
      if (!any) return;
      double sum = 0;
      for (int r = 0; r < block; ++r) {
        for (; next[r] < row_ptr[r + 1] && col_idx[next[r]] / block == neighbour; ++next[r]) {
          sum += square(node * block + r, static_cast<std::int64_t>(next[r]));
        }
      }
      visit(neighbour, sum);
    }
  }
};
template <class Matrix>
struct CountNeighbours {
  MergeRows<Matrix> rows;
  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t node) const {
    std::int64_t count = 0;
    rows.each(node, [&](typename Matrix::ordinal_type, double) { ++count; });
    return count;
  }
};
template <class Matrix>
struct PutNeighbours {
  using O = typename Matrix::ordinal_type;
  MergeRows<Matrix> rows;
  const typename Matrix::offset_type* row_ptr;
  O* col_idx;
  double* squares;

  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    auto place = row_ptr[node];
    rows.each(node, [&](O neighbour, double square) {
      col_idx[place] = neighbour;
      squares[place++] = square;
    });
  }
};

/// A matrix of nodes for the strength test: entry k of row i has magnitude sqrt(square(i, k)).
template <class Pattern, class Square>
struct NodeMatrix {
  Pattern pattern;
  Square square;
};

template <class Nodes>
struct SizeOfDiagonal {
  Nodes nodes;
  double* size;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto *row_ptr = nodes.pattern.row_ptr().data(), *end = row_ptr + i + 1;
    double sum = 0;
    for (auto k = row_ptr[i]; k < *end; ++k) {
      const auto j = static_cast<std::int64_t>(nodes.pattern.col_idx().data()[k]);
      if (j == i) sum += nodes.square(i, k);
    }
    size[i] = Kokkos::sqrt(sum);
  }
};

/// Whether an entry is strong; diagonal entries are.
template <class Nodes>
struct IsStrong {
  Nodes nodes;
  const double* size;
  double threshold_squared;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::int64_t i, std::int64_t k) const {
    const auto j = nodes.pattern.col_idx().data()[k];
    return static_cast<std::int64_t>(j) == i ||
           nodes.square(i, k) > threshold_squared * size[i] * size[j];
  }
};

/// The strength of an entry, without the factor that is equal for its whole row.
template <class Nodes>
struct PutStrength {
  Nodes nodes;
  const double* size;
  float* strength;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t i, std::int64_t k,
                                              std::int64_t to) const {
    const auto j = nodes.pattern.col_idx().data()[k];
    strength[to] = static_cast<float>(nodes.square(i, k) / size[j]);
  }
};

/// Nodes of `block` rows each, and the graph of their strong entries: |A(I, J)|^2 > threshold^2
/// |A(I, I)| |A(J, J)|, in the Frobenius norm. Repeated entries were added up. Allocates, and
/// waits.
template <ExecutionSpace Exec, class Matrix>
class StrongNodes {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// diagonal: of A, with positive entries. columns_ascend: whether those of each row do.
  StrongNodes(const Exec& exec, const Matrix& A, const S* diagonal, int block, double threshold,
              bool columns_ascend = false)
      : block_(block) {
    const auto entries = static_cast<std::int64_t>(A.nonzeros());
    const O nodes = A.rows() / static_cast<O>(block);
    double *root = nullptr, *size = nullptr;
    memory_ = Arena<Space>(exec, "heddle::multigrid::strong", arena_array(root, nodes),
                           arena_array(size, nodes), arena_array(marks_, block == 1 ? entries : 0));
    parallel_for(exec, "heddle::multigrid::root_of_node", std::int64_t{nodes},
                 RootOfNode<S>{diagonal, block, root, size});
    const RelativeSquare<S, O> square{A.values().data(), A.col_idx().data(), root, block};
    if (block == 1) {
      find(exec, threshold, NodeMatrix<Pattern, RelativeSquare<S, O>>{A, square}, size);
      return;
    }
    if (columns_ascend && block <= MergeRows<Matrix>::most_rows) {
      const MergeRows<Matrix> rows{A, square, block};
      constexpr RowLabels labels{"heddle::multigrid::count_neighbours",
                                 "heddle::multigrid::neighbours_row_ptr",
                                 "heddle::multigrid::put_neighbours"};
      const auto made = make_rows<double, O, Off>(
          exec, labels, nodes, nodes, CountNeighbours<Matrix>{rows}, [&](const auto& storage) {
            return PutNeighbours<Matrix>{rows, storage.row_ptr().data(), storage.col_idx().data(),
                                         storage.values().data()};
          });
      find_of_nodes(exec, threshold, made.matrix(), size);
      return;
    }
    typename Arena<Space>::template Array<double> squares;
    const Arena<Space> work(exec, "heddle::multigrid::squares", arena_array(squares, entries));
    each_entry(exec, "heddle::multigrid::squares", A.row_ptr().data(), std::int64_t{A.rows()},
               entries, PutSquares<S, O>{square, squares.data()});
    DerivedCsr<Exec, double, O, Off> of_nodes(
        derive<double, Off>(exec, nodes, nodes, entries, {.add_up = true},
                            [&](O* row_of, O* column_of) {
                              list_entries(exec, A, row_of, column_of, 0, MoveToNodes<O>{block});
                            }),
        entries, 0, {}, {}, false);
    of_nodes.update_values(exec, squares);
    find_of_nodes(exec, threshold, of_nodes.matrix(), size);
  }

  /// Nodes of one row, whose strong entries `measure` finds: EvolutionMeasure. Allocates, and
  /// waits.
  template <class Measure>
  StrongNodes(const Exec& exec, const Matrix& A, const Measure& measure) : block_(1) {
    memory_ = Arena<Space>(exec, "heddle::multigrid::strong", arena_array(marks_, A.nonzeros()));
    strong_ = keep_rows<float>(
        exec, labels_of_strong, Pattern(A), marks_, measure.is_strong(),
        [&](const auto& storage) { return measure.put_strength(storage.values().data()); });
  }

  int block() const { return block_; }
  StrongGraph<O, Off> graph() const {
    return {strong_.row_ptr().data(), strong_.col_idx().data(), strong_.values().data(),
            strong_.rows(), static_cast<std::int64_t>(strong_.nonzeros())};
  }
  /// For each entry of the matrix of nodes: 1 if it is strong.
  const unsigned char* marks() const { return marks_; }

 private:
  using Pattern = CsrPattern<O, Off, Space>;
  static constexpr RowLabels labels_of_strong{"heddle::multigrid::mark_strong",
                                              "heddle::multigrid::strong_row_ptr",
                                              "heddle::multigrid::put_strong"};

  /// N: the squares of nodes of several rows.
  void find_of_nodes(const Exec& exec, double threshold, const CsrMatrix<double, O, Off, Space>& N,
                     double* size) {
    using Nodes = NodeMatrix<Pattern, KnownSquare>;
    const Nodes nodes{N, {N.values().data()}};
    marks_memory_ =
        Arena<Space>(exec, "heddle::multigrid::strong", arena_array(marks_, N.nonzeros()));
    parallel_for(exec, "heddle::multigrid::size_of_diagonal", std::int64_t{N.rows()},
                 SizeOfDiagonal<Nodes>{nodes, size});
    find(exec, threshold, nodes, size);
  }
  template <class Nodes>
  void find(const Exec& exec, double threshold, const Nodes& nodes, const double* size) {
    const Pattern& pattern = nodes.pattern;
    strong_ = keep_rows<float>(exec, labels_of_strong, pattern, marks_,
                               IsStrong<Nodes>{nodes, size, threshold * threshold},
                               [&](const auto& storage) {
                                 return PutStrength<Nodes>{nodes, size, storage.values().data()};
                               });
  }

  int block_;
  Arena<Space> memory_, marks_memory_;
  unsigned char* marks_ = nullptr;
  CsrStorage<float, O, Off, Space> strong_;
};

}  // namespace heddle::detail::multigrid
