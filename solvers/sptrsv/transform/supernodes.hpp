// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../core/arena.hpp"
#include "../../ordered/levels.hpp"
#include "../../triangle/graph.hpp"

namespace heddle::detail::sptrsv {

/// Rows of a supernode, at most: the partial sums that a kernel keeps in registers.
inline constexpr int most_supernode_rows = 8;

/// Whether row i needs what `before` needs, in the same order, and `before` once; nothing else.
template <Ordinal O, Offset Off>
KOKKOS_FUNCTION bool shares_columns(const triangle::Graph<O, Off>& graph, O i, O before) {
  Off k = graph.row_ptr[before];
  const auto next_of_before = [&] {
    while (k < graph.row_ptr[before + 1] &&
           !triangle::in_triangle(graph.triangle, before, graph.col_idx[k])) {
      ++k;
    }
    return k < graph.row_ptr[before + 1];
  };
  int found = 0;
  for (Off at = graph.row_ptr[i]; at < graph.row_ptr[i + 1]; ++at) {
    const O j = graph.col_idx[at];
    if (!triangle::in_triangle(graph.triangle, i, j)) continue;
    if (j == before) {
      ++found;
    } else if (next_of_before() && graph.col_idx[k] == j) {
      ++k;
    } else {
      return false;
    }
  }
  return found == 1 && !next_of_before();
}

template <Ordinal O, Offset Off>
struct CountSharedRows {
  triangle::Graph<O, Off> graph;

  KOKKOS_FUNCTION void operator()(std::int64_t p, std::int64_t& count) const {
    count += p > 0 && shares_columns(graph, graph.row(p), graph.row(p - 1)) ? 1 : 0;
  }
};

/// Rows that share the columns of the row before them. One launch; waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
std::int64_t count_shared_rows(const Exec& exec, const triangle::Graph<O, Off>& graph) {
  std::int64_t count = 0;
  Kokkos::parallel_reduce("heddle::sptrsv::shared_rows", range_policy(exec, graph.rows),
                          CountSharedRows<O, Off>{graph}, count);
  return count;
}

/// Whether the row at each place of the loop starts a supernode, but for their largest size.
template <Ordinal O, Offset Off>
struct FindFirstRows {
  triangle::Graph<O, Off> graph;
  O* starts;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    starts[p] = p == 0 || !shares_columns(graph, graph.row(p), graph.row(p - 1)) ? O(1) : O(0);
  }
};

/// Rows that follow each other and share their columns: each needs what the first of them needs,
/// and the rows between. A row that shares with none is one by itself. Supernode g begins at
/// position first()[g] of the loop over the rows, in which numbers of supernodes ascend.
template <ExecutionSpace Exec, Ordinal O>
class Supernodes {
 public:
  using Space = typename Exec::memory_space;

  /// Two allocations and a launch; waits for `exec`, since the host cuts them to size.
  template <Offset Off>
  Supernodes(const Exec& exec, const triangle::Graph<O, Off>& graph)
      : memory_(exec, "heddle::sptrsv::supernode_of",
                arena_bytes<O>(static_cast<std::size_t>(graph.rows))),
        of_(memory_.template take<O>(static_cast<std::size_t>(graph.rows))) {
    static_assert(ordered::on_threads<Exec>, "the host reads what `exec` wrote");
    Kokkos::parallel_for("heddle::sptrsv::first_rows", range_policy(exec, graph.rows),
                         FindFirstRows<O, Off>{graph, of_.data()});
    exec.fence("heddle::sptrsv::first_rows");
    O rows = 0;
    for (O p = 0; p < graph.rows; ++p) {
      if (of_(p) == 1 || rows == most_supernode_rows) {
        first_.push_back(p);
        rows = 0;
      }
      ++rows;
      of_(p) = static_cast<O>(first_.size()) - 1;
    }
    first_.push_back(graph.rows);
  }

  O count() const { return static_cast<O>(first_.size()) - 1; }
  const O* first() const { return first_.data(); }
  /// The supernode at each position of the loop.
  const O* of() const { return of_.data(); }

 private:
  std::vector<O> first_;
  Arena<Space> memory_;  // the last handle waits for kernels that read first_ too
  typename Arena<Space>::template Array<O> of_;
};

/// What supernode g of a triangle needs: the supernodes of its first row's columns.
template <Ordinal O, Offset Off>
struct SupernodeReads {
  triangle::Graph<O, Off> graph;
  const O* first;
  const O* of;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O g, const Visit& visit) const {
    const O i = graph.row(first[g]);
    for (Off k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
      const O j = graph.col_idx[k];
      if (triangle::in_triangle(graph.triangle, i, j))
        visit(of[graph.row(j)]);  // the position of j
    }
  }
};

}  // namespace heddle::detail::sptrsv
