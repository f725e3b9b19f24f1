// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/eight_sums.hpp"
#include "../../backends/launch.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"
#include "../derive.hpp"

/// P* A P for a tentative prolongation P, without a general product: an entry of the coarse matrix
/// is a sum over the entries of A between two aggregates. A is relabeled by the aggregates of its
/// rows and columns and sorted once; equal places merge, and the terms of each are kept for new
/// values. The terms are added in an order that A alone fixes, so that sums do not depend on the
/// device.
namespace heddle::detail::matrix_product {

/// The aggregate of each row, from a P whose rows have the `vectors` columns of one aggregate, or
/// none.
template <Ordinal O, Offset Off>
struct AggregatesOfRows {
  const Off* row_ptr;
  const O* col_idx;
  int vectors;
  O count;

  KOKKOS_FORCEINLINE_FUNCTION O of(O row) const {
    return row_ptr[row] < row_ptr[row + 1] ? static_cast<O>(col_idx[row_ptr[row]] / vectors)
                                           : count;
  }
  /// Moves an entry to the aggregates of its row and column, or leaves it out.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, O& row, O& column) const {
    const O of_row = of(row), of_column = of(column);
    const bool kept = of_row < count && of_column < count;
    row = kept ? of_row : count;
    column = kept ? of_column : O(0);
  }
};

template <Ordinal O>
struct PutRowOfEntry {
  O* row_of;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    row_of[k] = static_cast<O>(row);
  }
};

/// Row pointers of a matrix each of whose entries becomes a block of vectors x vectors entries.
template <Offset Off>
struct BlockRowPtr {
  const Off* of_blocks;
  std::int64_t blocks;
  int vectors;
  Off* row_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t block = row / vectors;
    const Off before = of_blocks[block] * static_cast<Off>(vectors * vectors);
    const Off length = block < blocks ? of_blocks[block + 1] - of_blocks[block] : Off(0);
    row_ptr[row] = before + static_cast<Off>(row % vectors) * length * static_cast<Off>(vectors);
  }
};

/// An entry of a coarse matrix: its place among the blocks, and the vector of its column.
template <Offset Off>
struct BlockPlaces {
  const Off* of_blocks;
  const Off* row_ptr;  ///< of the coarse matrix
  int vectors;

  struct Place {
    std::int64_t block;
    int of_column;
  };
  /// The place of an entry of a block in a row of blocks.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t entry(std::int64_t row_of_blocks, std::int64_t block,
                                                 int of_row, int of_column) const {
    return static_cast<std::int64_t>(row_ptr[row_of_blocks * vectors + of_row]) +
           (block - static_cast<std::int64_t>(of_blocks[row_of_blocks])) * vectors + of_column;
  }
  KOKKOS_FORCEINLINE_FUNCTION Place operator()(std::int64_t row, std::int64_t k) const {
    const std::int64_t within = k - static_cast<std::int64_t>(row_ptr[row]);
    return {static_cast<std::int64_t>(of_blocks[row / vectors]) + within / vectors,
            static_cast<int>(within % vectors)};
  }
};

template <Ordinal O, Offset Off>
struct PutBlockColumns {
  BlockPlaces<Off> places;
  const O* of_blocks;
  O* col_idx;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const auto place = places(row, k);
    col_idx[k] = static_cast<O>(of_blocks[place.block] * places.vectors + place.of_column);
  }
};

/// Sums up the entries of the coarse matrix, block by block: a subwarp an entry.
template <class Matrix>
struct SumBetweenAggregates {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<8, 128>;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Matrix A, P;
  BlockPlaces<Off> places;
  const Off* first;  ///< of the terms of each block; null: one term for each
  const Off* source;
  const O* row_of;  ///< row of each entry of A
  S* values;
  std::int64_t entries;  ///< of the coarse matrix

  KOKKOS_FORCEINLINE_FUNCTION S weight(O row, int vector) const {
    return P.values().data()[P.row_ptr().data()[row] + vector];
  }
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t entry = team.index() * Team::subwarps + team.subwarp_index();
    if (entry >= entries) return;
    const int vectors = places.vectors;
    const std::int64_t block = entry / (vectors * vectors);
    const int within = static_cast<int>(entry % (vectors * vectors));
    const int of_row = within / vectors, of_column = within % vectors;
    const auto begin = first ? static_cast<std::int64_t>(first[block]) : block;
    const auto end = first ? static_cast<std::int64_t>(first[block + 1]) : block + 1;
    const S sum = eight_sums<S>(subwarp, begin, end, [&](std::int64_t t) {
      const Off from = source[t];
      return conjugate(weight(row_of[from], of_row)) * A.values().data()[from] *
             weight(A.col_idx().data()[from], of_column);
    });
    if (subwarp.lane() != 0) return;
    const auto row_of_blocks =
        static_cast<std::int64_t>(P.col_idx().data()[P.row_ptr().data()[row_of[source[begin]]]]) /
        vectors;
    values[places.entry(row_of_blocks, block, of_row, of_column)] = sum;
  }
};

/// C = P* A P of matrices of fixed patterns. Columns of C ascend.
template <ExecutionSpace Exec, class Matrix>
class AggregatedProduct {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// Makes the pattern and the values. A row of P has the `vectors` columns of one aggregate in
  /// their order, or none. Allocates, and waits.
  AggregatedProduct(const Exec& exec, const Matrix& A, const Matrix& P, int vectors)
      : vectors_(vectors) {
    const O count = P.columns() / static_cast<O>(vectors);
    const auto entries = static_cast<std::int64_t>(A.nonzeros());
    made_ = derive<S, Off>(exec, count, count, entries, {.add_up = true}, [&](O* row, O* column) {
      list_entries(
          exec, A, row, column, 0,
          AggregatesOfRows<O, Off>{P.row_ptr().data(), P.col_idx().data(), vectors, count});
    });
    rows_memory_ =
        Arena<Space>(exec, "heddle::galerkin::rows_of_entries", arena_array(row_of_, entries));
    each_entry(exec, "heddle::galerkin::rows_of_entries", A.row_ptr().data(),
               std::int64_t{A.rows()}, entries, PutRowOfEntry<O>{row_of_});
    C_ = vectors == 1 ? made_.storage : blocks_of(exec);
    numeric(exec, A, P);
    exec.fence("heddle::galerkin::aggregated");
  }

  /// Computes the values. No wait, no allocation; may be recorded in a graph.
  void numeric(const Exec& exec, const Matrix& A, const Matrix& P) const {
    using Kernel = SumBetweenAggregates<Matrix>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    const auto entries = static_cast<std::int64_t>(C_.nonzeros());
    backends::launch<typename Kernel::Shape>(
        exec, "heddle::galerkin::sum_between_aggregates",
        ceil_div(entries, std::int64_t{Team::subwarps}),
        Kernel{A, P, places(), made_.first, made_.source, row_of_, C_.values().data(), entries});
  }
  Matrix matrix() const& { return C_.matrix(); }
  const CsrStorage<S, O, Off, Space>& storage() const& { return C_; }
  std::size_t bytes() const {
    return made_.bytes() + rows_memory_.bytes() + (vectors_ > 1 ? C_.bytes() : 0);
  }

 private:
  BlockPlaces<Off> places() const {
    return {made_.storage.row_ptr().data(), C_.row_ptr().data(), vectors_};
  }
  CsrStorage<S, O, Off, Space> blocks_of(const Exec& exec) const {
    const std::int64_t blocks = made_.storage.rows(), rows = blocks * vectors_;
    const auto entries = static_cast<std::int64_t>(made_.storage.nonzeros()) * vectors_ * vectors_;
    CsrStorage<S, O, Off, Space> C(exec, rows, rows, entries);
    const Off* const of_blocks = made_.storage.row_ptr().data();
    parallel_for(exec, "heddle::galerkin::block_row_ptr", rows + 1,
                 BlockRowPtr<Off>{of_blocks, blocks, vectors_, C.row_ptr().data()});
    each_entry(exec, "heddle::galerkin::block_columns", C.row_ptr().data(), rows, entries,
               PutBlockColumns<O, Off>{{of_blocks, C.row_ptr().data(), vectors_},
                                       made_.storage.col_idx().data(),
                                       C.col_idx().data()});
    return C;
  }

  int vectors_;
  Derivation<S, O, Off, Space> made_;  ///< blocks, which are C if there is one vector
  Arena<Space> rows_memory_;
  O* row_of_ = nullptr;
  CsrStorage<S, O, Off, Space> C_;
};

}  // namespace heddle::detail::matrix_product
