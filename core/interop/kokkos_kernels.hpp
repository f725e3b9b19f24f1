// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../matrix.hpp"

// For those who hold a matrix of Kokkos Kernels, as a Tpetra::CrsMatrix does on its process.
namespace heddle {

/// A matrix with the members of a KokkosSparse::CrsMatrix. It is known by them and not by its type,
/// so that Kokkos Kernels need not be installed, and any of its versions will do. A BsrMatrix has
/// them too and means something else by them, but has a block size.
template <class M>
concept KokkosKernelsMatrix = requires(const M& A) {
  A.numRows();
  A.numCols();
  A.graph.row_map.extent(0);
  A.graph.entries.extent(0);
  A.values.extent(0);
} && !requires(const M& A) { A.blockDim(); };

namespace detail {

/// The types of such a matrix, constness removed.
template <KokkosKernelsMatrix M>
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
};

}  // namespace detail

/// The same matrix, borrowed without a copy: A's arrays must outlive the result and what is built
/// from it. Ordinals must be signed, as everywhere in Heddle; a const matrix may be given.
template <KokkosKernelsMatrix M>
auto csr_matrix(const M& A) {
  using Types = detail::KokkosKernelsTypes<M>;
  return
      typename Types::Matrix(A.numRows(), A.numCols(), A.graph.row_map, A.graph.entries, A.values);
}

}  // namespace heddle
