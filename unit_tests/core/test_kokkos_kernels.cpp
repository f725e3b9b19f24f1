// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <heddle/csr.hpp>
#include <heddle/kokkos_kernels.hpp>

#include "../../testing/matrices.hpp"

namespace heddle::test {

namespace {

template <class S, class Off>
void borrowed_not_copied() {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = Exec::memory_space;
  using Theirs = KokkosSparse::CrsMatrix<S, int, Kokkos::Device<Exec, Space>, void, Off>;
  for (const Pattern& pattern : test_patterns()) {
    const auto storage = make_matrix<S, int, Off>(pattern);
    typename Theirs::row_map_type::non_const_type row_map("heddle::test::row_map",
                                                          storage.row_ptr().extent(0));
    typename Theirs::index_type::non_const_type entries("heddle::test::entries",
                                                        storage.nonzeros());
    typename Theirs::values_type::non_const_type values("heddle::test::values", storage.nonzeros());
    Kokkos::deep_copy(row_map, storage.row_ptr());
    Kokkos::deep_copy(entries, storage.col_idx());
    Kokkos::deep_copy(values, storage.values());
    const Theirs theirs("theirs", storage.rows(), storage.columns(), storage.nonzeros(), values,
                        row_map, entries);

    const auto A = csr_matrix(theirs);
    static_assert(std::same_as<decltype(A), const CsrMatrix<S, int, Off, Space>>);
    CHECK(A.rows() == storage.rows());
    CHECK(A.columns() == storage.columns());
    CHECK(A.nonzeros() == storage.nonzeros());
    CHECK(A.row_ptr().data() == theirs.graph.row_map.data());
    CHECK(A.col_idx().data() == theirs.graph.entries.data());
    CHECK(A.values().data() == theirs.values.data());
  }
}

/// Converts entries to blocks, blocks to a BsrMatrix that shares them, and back.
template <class S, class Off>
void blocks_lent() {
  using Exec = Kokkos::DefaultExecutionSpace;
  using Device = Kokkos::Device<Exec, Exec::memory_space>;
  using Theirs =
      KokkosSparse::Experimental::BsrMatrix<S, int, Device, Kokkos::MemoryTraits<Kokkos::Unmanaged>,
                                            Off>;
  static_assert(!KokkosKernelsMatrix<Theirs> && KokkosKernelsBlockMatrix<Theirs>);
  const Exec exec;
  const auto A = make_matrix<S, int, Off>(banded_pattern("five-point", 60, 60, {-6, -1, 0, 1, 6}))
                     .template copy_to<Exec::memory_space>(exec);
  const auto ours = to_blocks(exec, A.matrix(), 3);
  const auto theirs = lend_blocks<Theirs>(ours);
  CHECK(theirs.numPointRows() == 60);
  CHECK(theirs.numPointCols() == 60);
  CHECK(theirs.values.data() == ours.values().data());
  const auto host_values = to_host(theirs.values);
  const auto entries = to_host(theirs.graph.entries);
  CHECK(theirs.graph.entries.extent(0) == static_cast<std::size_t>(ours.blocks()));
  std::size_t block = 0;  // the diagonal block of block row 1, in their order
  for (std::size_t k = to_host(theirs.graph.row_map)(1); entries(k) <= 1; ++k) block = k;
  const auto a = to_host(A.row_ptr()), c = to_host(A.col_idx());
  const auto v = to_host(A.values());
  for (std::size_t i = 3; i < 6; ++i) {
    for (auto k = static_cast<std::size_t>(a(i)); std::cmp_less(k, a(i + 1)); ++k) {
      if (c(k) < 3 || c(k) > 5) continue;
      CHECK(host_values(block * 9 + (i - 3) * 3 + static_cast<std::size_t>(c(k) - 3)) == v(k));
    }
  }

  const auto borrowed = block_matrix(theirs);
  CHECK(borrowed.block_size() == 3);
  CHECK(borrowed.values().data() == theirs.values.data());
  CHECK(borrowed.blocks().col_idx().data() == theirs.graph.entries.data());
  const auto back = from_blocks(exec, borrowed);
  const auto without_zeros = drop_small(exec, back.matrix()), sorted = sort_rows(exec, A.matrix());
  CHECK(largest_difference(exec, without_zeros.matrix(), sorted.matrix()) == 0);
}

}  // namespace

TEST_CASE("blocks of Kokkos Kernels are borrowed, and lent to it") {
  blocks_lent<double, std::size_t>();
  blocks_lent<Kokkos::complex<float>, int>();
}

TEST_CASE("a matrix of Kokkos Kernels is borrowed, not copied") {
  borrowed_not_copied<double, std::size_t>();
  borrowed_not_copied<Kokkos::complex<float>, int>();
}

}  // namespace heddle::test
