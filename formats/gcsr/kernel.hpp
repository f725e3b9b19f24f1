// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/partition.hpp"
#include "../../core/types.hpp"
#include "../common/compressed_rows/host_plain_rows.hpp"
#include "../common/compressed_rows/subwarp_kernel.hpp"
#include "../common/product.hpp"
#include "../common/row_bits.hpp"

namespace heddle::detail::gcsr {

/// A matrix in generalized CSR as kernels see it: CSR of the `rows` rows that have entries. The
/// r-th of them is row row_number[r] of the matrix, which has `all_rows` rows.
template <Scalar S, Ordinal O, Offset Off>
struct View {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;

  O all_rows;
  O rows;
  const O* row_number;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  RowBits has_entries;  ///< a bit for each of all rows
};

/// Operands of the kernels of compressed rows: the rows that have entries, and a store to their
/// rows of y. All members are in one flat struct: see csr::CsrOperands.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct GcsrOperands {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using accumulator_type = Acc;

  O rows;
  bool conjugate;
  const O* row_number;
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Acc alpha;
  Acc beta;
  Multivector<const V> x;
  Multivector<V> y;

  KOKKOS_FORCEINLINE_FUNCTION S value(Off k) const { return multiplied(values[k], conjugate); }
  KOKKOS_FORCEINLINE_FUNCTION O column(Off k) const { return col_idx[k]; }
  KOKKOS_FORCEINLINE_FUNCTION Acc product(S value, O column, int vector) const {
    return Acc(value) * Acc(x(column, vector));
  }
  KOKKOS_FORCEINLINE_FUNCTION void store(O row, int vector, Acc sum) const {
    store_sum(*this, row_number[row], vector, sum);
  }
  /// Stores y for a row of the matrix without entries.
  KOKKOS_FORCEINLINE_FUNCTION void store_nothing(std::int64_t row) const {
    for (int v = 0; v < x.count; ++v) store_sum(*this, row, v, Acc(0));
  }
};

template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
GcsrOperands<S, O, Off, V, Acc> operands_of(const View<S, O, Off>& A,
                                            const Product<V, Acc>& product) {
  return {A.rows,   product.conjugate, A.row_number, A.row_ptr, A.col_idx,
          A.values, product.alpha,     product.beta, product.x, product.y};
}

/// The kernel on a GPU: the first teams compute the rows that have entries, a subwarp for each, and
/// the others the rest of y, neighbouring lanes for neighbouring rows. So y is written once.
///
/// Deterministic, like the subwarp kernel. Idea: doubly compressed rows, A. Buluc and J. Gilbert,
/// "On the representation and multiplication of hypersparse matrices", IPDPS 2008.
template <class Operands, int VectorLanes, int VectorsPerLane, int Batch, int RowsPerThread>
struct GpuKernel {
  using Scratch = backends::NoScratch;

  compressed_rows::SubwarpKernel<Operands, VectorLanes, VectorsPerLane, Batch> compressed;
  RowBits has_entries;
  std::int64_t compressed_teams;
  std::int64_t scaled_rows;  ///< all rows, or 0 if empty rows keep their y

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    if (team.index() < compressed_teams) return compressed(team, scratch);
    const std::int64_t first = (team.index() - compressed_teams) * Team::threads * RowsPerThread;
    for (int i = 0; i < RowsPerThread; ++i) {
      const std::int64_t row = first + i * Team::threads + team.thread();
      if (row < scaled_rows && !has_entries(row)) compressed.operands.store_nothing(row);
    }
  }
};

/// The kernel on a CPU: each thread computes a run of the rows that have entries, with about equal
/// numbers of nonzeros, and then an equal part of all rows for those without entries.
template <class Operands, int VectorsAtOnce>
struct CompressedRowsOnThreads {
  using Scratch = backends::NoScratch;

  Operands operands;
  RowBits has_entries;
  std::int64_t scaled_rows;  ///< all rows, or 0 if empty rows keep their y
  std::int64_t shares;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t first = first_row(team.index()), stop = first_row(team.index() + 1);
    if (first < stop) {
      compressed_rows::HostPlainRows<Operands, VectorsAtOnce>().store_rows(operands, first, stop);
    }
    const std::int64_t scaled_stop = scaled_rows * (team.index() + 1) / shares;
    for (std::int64_t row = scaled_rows * team.index() / shares; row < scaled_stop; ++row) {
      if (!has_entries(row)) operands.store_nothing(row);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t first_row(std::int64_t share) const {
    if (operands.rows == 0) return 0;
    const auto nonzeros = operands.row_ptr[operands.rows];
    return equal_nonzeros_row(operands.row_ptr, operands.rows, nonzeros, share, shares);
  }
};

}  // namespace heddle::detail::gcsr
