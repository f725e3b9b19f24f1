// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk::spmv against KokkosSparse::spmv, on the same matrices and vectors.
#include <doctest/doctest.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <heddle/kokkos_kernels.hpp>

#include "../../../formats/all_definitions.hpp"
#include "../../../testing/matrices.hpp"
#include "../../../testing/reference.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Device = Kokkos::Device<Exec, Space>;

// Formats that read the values in place, among which such a handle chooses.
using Borrowers = Formats<CsrFormat, CooFormat, GcsrFormat>;

template <class S, class Off>
using CrsMatrix = KokkosSparse::CrsMatrix<S, int, Device, void, Off>;

template <class S, class Off>
CrsMatrix<S, Off> crs_matrix(const CsrStorage<S, int, Off, Kokkos::HostSpace>& host) {
  using Matrix = CrsMatrix<S, Off>;
  typename Matrix::row_map_type::non_const_type row_map("heddle::test::row_map",
                                                        host.row_ptr().extent(0));
  typename Matrix::index_type::non_const_type entries("heddle::test::entries",
                                                      host.col_idx().extent(0));
  typename Matrix::values_type::non_const_type values("heddle::test::values",
                                                      host.values().extent(0));
  Kokkos::deep_copy(row_map, host.row_ptr());
  Kokkos::deep_copy(entries, host.col_idx());
  Kokkos::deep_copy(values, host.values());
  return Matrix("theirs", host.rows(), host.columns(), host.nonzeros(), values, row_map, entries);
}

/// Checks our product and Kokkos Kernels' against the oracle, with x of `count` vectors in a View.
template <class View, class S, class Off>
void both(const CsrStorage<S, int, Off, Kokkos::HostSpace>& host, const CrsMatrix<S, Off>& A,
          std::size_t count, KokkosSparse::SPMVAlgorithm algorithm) {
  kk::SPMVHandle<Device, CrsMatrix<S, Off>, View, View, Borrowers> ours(algorithm);
  KokkosSparse::SPMVHandle<Device, CrsMatrix<S, Off>, View, View> theirs(algorithm);
  const auto filled = [&](std::size_t rows, std::uint64_t seed) {
    View view;
    if constexpr (View::rank() == 1) {
      view = View("heddle::test::vector", rows);
    } else {
      view = View("heddle::test::vectors", rows, count);
    }
    const auto on_host = Kokkos::create_mirror_view(view);
    Random random(seed);
    fill_random(on_host, random);
    Kokkos::deep_copy(view, on_host);
    return view;
  };
  const Exec exec;
  for (const char* mode : {"N", "T", "C", "H"}) {
    const Op op = kk::op_of(mode);
    CAPTURE(mode);
    const auto rows = static_cast<std::size_t>(transposes(op) ? A.numCols() : A.numRows());
    const auto columns = static_cast<std::size_t>(transposes(op) ? A.numRows() : A.numCols());
    for (const double beta : {0.0, 0.5}) {
      const View x = filled(columns, 1), y = filled(rows, 2), z = filled(rows, 2);
      const auto right = reference_spmv(op, S(2), host.matrix(), to_host(x), S(beta), to_host(y));
      kk::spmv(exec, &ours, mode, 2.0, A, x, beta, y);
      KokkosSparse::spmv(exec, &theirs, mode, S(2), A, x, S(beta), z);
      exec.fence("heddle::test::applied");
      CHECK(mismatch(right, to_host(y)) == "");
      CHECK(mismatch(right, to_host(z)) == "");
    }
  }
}

template <class S, class Off>
void every_pattern() {
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    const auto host = make_matrix<S, int, Off>(pattern);
    const auto A = crs_matrix<S, Off>(host);
    using One = Kokkos::View<S*, Device>;
    using Several = Kokkos::View<S**, Kokkos::LayoutLeft, Device>;
    both<One, S, Off>(host, A, 1, KokkosSparse::SPMV_DEFAULT);
    both<One, S, Off>(host, A, 1, KokkosSparse::SPMV_NATIVE_MERGE_PATH);
    both<Several, S, Off>(host, A, 3, KokkosSparse::SPMV_FAST_SETUP);
  }
}

}  // namespace

TEST_CASE("ours and theirs on every pattern") {
  every_pattern<double, std::size_t>();
  every_pattern<Kokkos::complex<float>, int>();
}

TEST_CASE("a const matrix, without a handle, and block algorithms refused") {
  const auto host = make_matrix<double, int, int>(banded_pattern("diagonal", 30, 30, {0}));
  using Matrix = KokkosSparse::CrsMatrix<const double, const int, Device,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>, const int>;
  const auto owner = crs_matrix<double, int>(host);
  const Matrix A(owner);
  const Kokkos::View<double*, Device> x("heddle::test::x", 30), y("heddle::test::y", 30);
  Kokkos::deep_copy(owner.values, 2);
  Kokkos::deep_copy(x, 1);
  kk::SPMVHandle<Device, Matrix, Kokkos::View<const double*, Device>, Kokkos::View<double*, Device>,
                 Borrowers>
      handle;
  kk::spmv(&handle, "N", 1, A, Kokkos::View<const double*, Device>(x), 0, y);
  Kokkos::fence("heddle::test::applied");
  CHECK(to_host(y)(29) == 2);
  kk::spmv("H", 2, A, x, 0, y);
  Kokkos::fence("heddle::test::applied");
  CHECK(to_host(y)(29) == 4);
  CHECK_THROWS_AS(decltype(handle){KokkosSparse::SPMV_BSR_V42}, Error);
}

}  // namespace heddle::test
