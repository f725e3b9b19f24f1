// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/make_rows.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../matrices/derive.hpp"
#include "aggregates.hpp"

/// Strong entries of a level's matrix, or where a node is several rows, of the matrix of nodes.
namespace heddle::detail::multigrid {

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

/// Whether an entry is strong; the diagonal is.
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

/// How strong an entry is, over what its row shares.
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

/// Nodes of `block` rows each, and the graph of their strong entries: |A(I, J)|^2 >
/// threshold^2 |A(I, I)| |A(J, J)|, in the Frobenius norm. Repeated entries were added up.
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
    const auto entries = static_cast<std::int64_t>(A.nonzeros());
    const O nodes = A.rows() / static_cast<O>(block);
    double* root = nullptr;
    typename Arena<Space>::template Array<double> squares;
    const Arena<Space> work(exec, "heddle::multigrid::squares", arena_array(root, nodes),
                            arena_array(squares, block == 1 ? 0 : entries));
    parallel_for(exec, "heddle::multigrid::root_of_node", std::int64_t{nodes},
                 RootOfNode<S>{diagonal, block, root});
    const RelativeSquare<S, O> square{A.values().data(), A.col_idx().data(), root, block};
    if (block == 1) {
      find(exec, threshold, NodeMatrix<Pattern, RelativeSquare<S, O>>{A, square});
      return;
    }
    each_entry(exec, "heddle::multigrid::squares", A.row_ptr().data(), std::int64_t{A.rows()},
               entries, PutSquares<S, O>{square, squares.data()});
    DerivedCsr<Exec, double, O, Off> of_nodes(
        derive<double, Off>(exec, nodes, nodes, entries, {.add_up = true},
                            [&](O* row_of, O* column_of) {
                              list_entries(exec, A, row_of, column_of, 0, MoveToNodes<O>{block});
                            }),
        entries, 0, {}, {}, false);
    of_nodes.update_values(exec, squares);
    const auto N = of_nodes.matrix();
    find(exec, threshold, NodeMatrix<Pattern, KnownSquare>{N, {N.values().data()}});
  }

  int block() const { return block_; }
  StrongGraph<O, Off> graph() const {
    return {strong_.row_ptr().data(), strong_.col_idx().data(), strong_.values().data(),
            strong_.rows()};
  }
  /// For each entry that was asked about: 1 if it is strong.
  const unsigned char* marks() const { return marks_; }

 private:
  using Pattern = CsrPattern<O, Off, Space>;

  template <class Nodes>
  void find(const Exec& exec, double threshold, const Nodes& nodes) {
    const Pattern& pattern = nodes.pattern;
    const std::int64_t n = pattern.rows();
    memory_ =
        Arena<Space>(exec, "heddle::multigrid::strong", arena_array(marks_, pattern.nonzeros()));
    double* size = nullptr;
    const Arena<Space> work(exec, "heddle::multigrid::size_of_diagonal", arena_array(size, n));
    parallel_for(exec, "heddle::multigrid::size_of_diagonal", n,
                 SizeOfDiagonal<Nodes>{nodes, size});
    constexpr RowLabels labels{"heddle::multigrid::mark_strong",
                               "heddle::multigrid::strong_row_ptr",
                               "heddle::multigrid::put_strong"};
    strong_ = keep_rows<float>(exec, labels, pattern, marks_,
                               IsStrong<Nodes>{nodes, size, threshold * threshold},
                               [&](const auto& storage) {
                                 return PutStrength<Nodes>{nodes, size, storage.values().data()};
                               });
  }

  int block_;
  Arena<Space> memory_;
  unsigned char* marks_ = nullptr;
  CsrStorage<float, O, Off, Space> strong_;
};

}  // namespace heddle::detail::multigrid
