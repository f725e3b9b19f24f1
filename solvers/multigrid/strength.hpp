// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../matrices/derive.hpp"
#include "aggregates.hpp"

/// Strong entries of a level's matrix, or where a node is several rows, of the matrix of nodes.
namespace heddle::detail::multigrid {

template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION double square_of(const S& value) {
  const double size = static_cast<double>(Kokkos::abs(value));
  return size * size;
}

/// The square of an entry's magnitude over the roots of its nodes: without a unit, so that nothing
/// overflows whatever the scale of A and of its unknowns.
template <Scalar S, Ordinal O>
struct RelativeSquare {
  const S* values;
  const O* col_idx;
  const double* root;  ///< of each node
  int block;

  KOKKOS_FORCEINLINE_FUNCTION double operator()(std::int64_t row, std::int64_t k) const {
    const double size = static_cast<double>(Kokkos::abs(values[k]));
    const double relative = size / root[row / block] / root[col_idx[k] / block];
    return relative * relative;
  }
};
/// The root of a node's largest diagonal entry.
template <Scalar S>
struct RootOfNode {
  const S* diagonal;
  int block;
  double* root;
  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    double largest = 0;
    for (std::int64_t i = node * block; i < (node + 1) * block; ++i) {
      largest = Kokkos::max(largest, static_cast<double>(Kokkos::abs(diagonal[i])));
    }
    root[node] = Kokkos::sqrt(largest);
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
/// Squares that were added up.
struct KnownSquare {
  const double* squares;
  KOKKOS_FORCEINLINE_FUNCTION double operator()(std::int64_t, std::int64_t k) const {
    return squares[k];
  }
};
/// Moves an entry to the nodes of its row and column.
template <Ordinal O>
struct MoveToNodes {
  int block;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    row /= block;
    column /= block;
  }
};

/// What strength is asked of: entry k of row i has magnitude sqrt(square(i, k)).
template <Ordinal O, Offset Off, class Square>
struct NodeMatrix {
  const Off* row_ptr;
  const O* col_idx;
  Square square;
  O nodes;
};

template <class Nodes>
struct SizeOfDiagonal {
  Nodes nodes;
  double* size;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    double sum = 0;
    for (auto k = nodes.row_ptr[i]; k < nodes.row_ptr[i + 1]; ++k) {
      if (static_cast<std::int64_t>(nodes.col_idx[k]) == i) sum += nodes.square(i, k);
    }
    size[i] = Kokkos::sqrt(sum);
  }
};

/// Which entries are strong, the diagonal among them.
template <class Nodes, Offset Off>
struct MarkStrong {
  Nodes nodes;
  const double* size;
  double threshold_squared;
  unsigned char* strong;
  Off* strong_in_row;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off count = 0;
    for (Off k = nodes.row_ptr[i]; k < nodes.row_ptr[i + 1]; ++k) {
      const auto j = nodes.col_idx[k];
      const bool is_strong = static_cast<std::int64_t>(j) == i ||
                             nodes.square(i, k) > threshold_squared * size[i] * size[j];
      strong[k] = is_strong;
      count += is_strong;
    }
    strong_in_row[i] = count;
  }
};

/// Their columns, and how strong each is, over what its row shares.
template <class Nodes, Ordinal O, Offset Off>
struct PutStrong {
  MarkStrong<Nodes, Off> marked;
  const Off* row_ptr;
  O* col_idx;
  float* strength;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Off to = row_ptr[i];
    for (Off k = marked.nodes.row_ptr[i]; k < marked.nodes.row_ptr[i + 1]; ++k) {
      if (!marked.strong[k]) continue;
      const O j = marked.nodes.col_idx[k];
      col_idx[to] = j;
      strength[to] = static_cast<float>(marked.nodes.square(i, k) / marked.size[j]);
      ++to;
    }
  }
};

/// Nodes of `block` rows each, and the graph of their strong entries: |A(I, J)|^2 >
/// threshold^2 |A(I, I)| |A(J, J)|, in the norm of Frobenius. Repeated entries were added up.
/// Allocates, and waits.
template <ExecutionSpace Exec, class Matrix>
class StrongNodes {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// diagonal: of A, of positive entries.
  StrongNodes(const Exec& exec, const Matrix& A, const S* diagonal, int block, double threshold)
      : block_(block) {
    const auto entries = static_cast<std::size_t>(A.nonzeros());
    const O nodes = A.rows() / static_cast<O>(block);
    const auto n = static_cast<std::size_t>(nodes);
    const std::size_t added_up = block == 1 ? 0 : entries;
    Arena<Space> work(exec, "heddle::multigrid::squares", arena_bytes<double, double>(n, added_up));
    double* const root = work.template take<double>(n).data();
    const auto squares = work.template take<double>(added_up);
    parallel_for(exec, "heddle::multigrid::root_of_node", std::int64_t{nodes},
                 RootOfNode<S>{diagonal, block, root});
    const RelativeSquare<S, O> square{A.values().data(), A.col_idx().data(), root, block};
    if (block == 1) {
      find(exec, threshold,
           NodeMatrix<O, Off, RelativeSquare<S, O>>{A.row_ptr().data(), A.col_idx().data(), square,
                                                    A.rows()},
           entries);
      return;
    }
    each_entry(exec, "heddle::multigrid::squares", A.row_ptr().data(), std::int64_t{A.rows()},
               static_cast<std::int64_t>(entries), PutSquares<S, O>{square, squares.data()});
    DerivedCsr<Exec, double, O, Off> of_nodes(
        derive<double, Off>(exec, nodes, nodes, static_cast<std::int64_t>(entries),
                            {.add_up = true},
                            [&](O* row_of, O* column_of) {
                              list_entries(exec, A, row_of, column_of, 0, MoveToNodes<O>{block});
                            }),
        static_cast<std::int64_t>(entries), 0, {}, {}, false);
    of_nodes.update_values(exec, squares);
    const auto N = of_nodes.matrix();
    find(exec, threshold,
         NodeMatrix<O, Off, KnownSquare>{
             N.row_ptr().data(), N.col_idx().data(), {N.values().data()}, nodes},
         static_cast<std::size_t>(N.nonzeros()));
  }

  int block() const { return block_; }
  StrongGraph<O, Off> graph() const { return graph_; }
  /// Of each entry that was asked about.
  const unsigned char* strong() const { return strong_; }

 private:
  template <class Nodes>
  void find(const Exec& exec, double threshold, const Nodes& nodes, std::size_t entries) {
    const auto n = static_cast<std::size_t>(nodes.nodes);
    marks_ = Arena<Space>(exec, "heddle::multigrid::strong", arena_bytes<std::byte>(entries));
    strong_ = reinterpret_cast<unsigned char*>(marks_.template take<std::byte>(entries).data());
    starts_ =
        Arena<Space>(exec, "heddle::multigrid::strong_row_ptr", arena_bytes<Off, double>(n + 1, n));
    Off* const row_ptr = starts_.template take<Off>(n + 1).data();
    double* const size = starts_.template take<double>(n).data();
    parallel_for(exec, "heddle::multigrid::size_of_diagonal", std::int64_t{nodes.nodes},
                 SizeOfDiagonal<Nodes>{nodes, size});
    const MarkStrong<Nodes, Off> mark{nodes, size, threshold * threshold, strong_, row_ptr};
    parallel_for(exec, "heddle::multigrid::mark_strong", std::int64_t{nodes.nodes}, mark);
    const auto strong = static_cast<std::size_t>(
        running_sum_and_total(exec, "heddle::multigrid::strong_row_ptr", row_ptr,
                              std::int64_t{nodes.nodes}, Terms<Off>{row_ptr}));
    graph_memory_ =
        Arena<Space>(exec, "heddle::multigrid::graph", arena_bytes<O, float>(strong, strong));
    O* const col_idx = graph_memory_.template take<O>(strong).data();
    float* const strength = graph_memory_.template take<float>(strong).data();
    parallel_for(exec, "heddle::multigrid::put_strong", std::int64_t{nodes.nodes},
                 PutStrong<Nodes, O, Off>{mark, row_ptr, col_idx, strength});
    graph_ = {row_ptr, col_idx, strength, nodes.nodes};
    exec.fence("heddle::multigrid::strong");
  }

  int block_;
  Arena<Space> marks_, starts_, graph_memory_;
  unsigned char* strong_ = nullptr;
  StrongGraph<O, Off> graph_{};
};

}  // namespace heddle::detail::multigrid
