// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <heddle/kokkos_kernels.hpp>
#include <heddle/spmv.hpp>

#include "../../testing/matrices.hpp"
#include "../../testing/reference.hpp"

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
    CHECK(A.row_ptr().data() == theirs.graph.row_map.data());
    CHECK(A.col_idx().data() == theirs.graph.entries.data());
    CHECK(A.values().data() == theirs.values.data());

    const Exec exec;
    const auto x = random_vector<S>(static_cast<std::size_t>(A.columns()), 3);
    const HostVector<S> y("heddle::test::y", static_cast<std::size_t>(A.rows()));
    fill_with_poison(y);
    const auto x_device = copy_to<Space>(x);
    const auto y_device = copy_to<Space>(y);
    SpmvPlan(exec, A, {}, Formats<CsrFormat>()).apply(exec, S(1), x_device, S(0), y_device);
    exec.fence("heddle::test::applied");
    CHECK_MESSAGE(mismatch(reference_spmv(storage.matrix(), x, y), to_host(y_device)) == "",
                  pattern.name);
  }
}

}  // namespace

TEST_CASE("a matrix of Kokkos Kernels is borrowed, not copied") {
  borrowed_not_copied<double, std::size_t>();
  borrowed_not_copied<Kokkos::complex<float>, int>();
}

}  // namespace heddle::test
