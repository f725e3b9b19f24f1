// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../block_matrix.hpp"

// Conversions of Kokkos Kernels matrices, such as the local part of a Tpetra::CrsMatrix.
namespace heddle {

/// A matrix with the members of a KokkosSparse::CrsMatrix. Members decide, not the type, so Kokkos
/// Kernels need not be installed, and any of its versions works. A BsrMatrix also has them, with
/// another meaning, but has a block size.
template <class M>
concept KokkosKernelsMatrix = requires(const M& A) {
  A.numRows();
  A.numCols();
  A.graph.row_map.extent(0);
  A.graph.entries.extent(0);
  A.values.extent(0);
} && !requires(const M& A) { A.blockDim(); };

/// A matrix with the members of a KokkosSparse::Experimental::BsrMatrix, as the local part of a
/// Tpetra::BlockCrsMatrix has (getLocalMatrixDevice): numRows() and numCols() count blocks.
template <class M>
concept KokkosKernelsBlockMatrix = requires(const M& A) {
  A.numRows();
  A.numCols();
  A.blockDim();
  A.graph.row_map.extent(0);
  A.graph.entries.extent(0);
  A.values.extent(0);
};

namespace detail {

/// The types of a matrix of Kokkos Kernels, without const.
template <class M>
  requires(KokkosKernelsMatrix<M> || KokkosKernelsBlockMatrix<M>)
struct KokkosKernelsTypes {
  using RowMap = std::remove_cvref_t<decltype(std::declval<const M&>().graph.row_map)>;
  using Entries = std::remove_cvref_t<decltype(std::declval<const M&>().graph.entries)>;
  using Values = std::remove_cvref_t<decltype(std::declval<const M&>().values)>;
  using S = typename Values::non_const_value_type;
  using O = typename Entries::non_const_value_type;
  using Off = typename RowMap::non_const_value_type;
  using execution_space = typename Values::execution_space;
  static_assert(Scalar<S>, "values are float, double, or the Kokkos::complex of either");
  static_assert(Ordinal<O>, "ordinals are signed, of 32 or 64 bits: int, and not unsigned");
  using Matrix = CsrMatrix<S, O, Off, typename Values::memory_space>;
  using Blocks = BlockMatrix<S, O, Off, typename Values::memory_space>;
};

}  // namespace detail

/// Borrows a Kokkos Kernels matrix without a copy: A's arrays must outlive the result and what is
/// built from it. Ordinals must be signed, as everywhere in Heddle; a const matrix is accepted.
template <KokkosKernelsMatrix M>
auto csr_matrix(const M& A) {
  using Types = detail::KokkosKernelsTypes<M>;
  return
      typename Types::Matrix(A.numRows(), A.numCols(), A.graph.row_map, A.graph.entries, A.values);
}

/// Borrows a block matrix of Kokkos Kernels without a copy: A's arrays must outlive the result.
/// Plans accept the CSR matrix that from_blocks of <heddle/csr.hpp> makes from it.
template <KokkosKernelsBlockMatrix M>
auto block_matrix(const M& A) {
  using Blocks = typename detail::KokkosKernelsTypes<M>::Blocks;
  return Blocks(
      typename Blocks::Pattern(A.numRows(), A.numCols(), A.graph.row_map, A.graph.entries),
      static_cast<int>(A.blockDim()), A.values);
}

/// Makes a BsrMatrix of Kokkos Kernels, or of another class with the same constructor arguments:
/// block rows and columns, blocks, values, row map, entries and block size. The result borrows its
/// arrays, as its type says: BsrMatrix<S, O, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>, Off>.
/// `blocks` is the result of to_blocks of <heddle/csr.hpp>, and must outlive it.
template <KokkosKernelsBlockMatrix Theirs, class Blocks>
Theirs lend_blocks(const Blocks& blocks) {
  using RowMap = std::remove_cvref_t<decltype(std::declval<Theirs&>().graph.row_map)>;
  using Entries = std::remove_cvref_t<decltype(std::declval<Theirs&>().graph.entries)>;
  using Values = std::remove_cvref_t<decltype(std::declval<Theirs&>().values)>;
  const auto pattern = blocks.matrix().blocks();
  return Theirs("heddle::matrix::blocks", pattern.rows(), pattern.columns(),
                blocks.values().extent(0),
                Values(blocks.values().data(), blocks.values().extent(0)),
                RowMap(blocks.row_ptr().data(), blocks.row_ptr().extent(0)),
                Entries(blocks.col_idx().data(), blocks.col_idx().extent(0)), blocks.block_size());
}

}  // namespace heddle
