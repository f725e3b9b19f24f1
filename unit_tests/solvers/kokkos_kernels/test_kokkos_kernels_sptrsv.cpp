// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// heddle::kk::sptrsv_solve against Kokkos Kernels' sptrsv_solve, on the same triangles.
#include <doctest/doctest.h>

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <heddle/kokkos_kernels.hpp>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/triangles.hpp"

namespace heddle::test {

namespace {

template <class Handle, class Symbolic, class Solve>
double residual_of(const DeviceMatrix<OneTriangleType>& A, bool lower, Symbolic symbolic,
                   Solve solve) {
  using Space = OneTriangleType::Space;
  using KokkosSparse::Experimental::SPTRSVAlgorithm;
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vector<double>(n, 4);
  const Kokkos::View<double*, Space> b_device("heddle::test::b", n), x("heddle::test::x", n);
  Kokkos::deep_copy(b_device, b);
  Handle handle;
  handle.create_sptrsv_handle(SPTRSVAlgorithm::SEQLVLSCHD_TP1, static_cast<int>(n), lower);
  symbolic(&handle);
  solve(&handle, b_device, x);
  Kokkos::fence("heddle::test::solved");
  const Triangle triangle = lower ? Triangle::lower : Triangle::upper;
  const auto stored = triangle_of(A.host, triangle, Diagonal::stored);
  return residual(stored, Op::none, to_host(x), 1.0, b);
}

}  // namespace

TEST_CASE("ours and theirs on every triangle") {
  using namespace KokkosSparse;
#if KOKKOSKERNELS_VERSION < 40700
  using namespace KokkosSparse::Experimental;  // older versions have it here
#endif
  using T = OneTriangleType;
  using Device = Kokkos::Device<T::Exec, T::Space>;
  using Ours = kk::KokkosKernelsHandle<int, int, double, T::Exec, T::Space, T::Space>;
  using Theirs = KokkosKernels::Experimental::KokkosKernelsHandle<int, int, double, T::Exec,
                                                                  T::Space, T::Space>;
  const T::Exec exec;
  for (const Pattern& pattern : triangle_patterns()) {
    // Kokkos Kernels does not accept repeated entries, such as two diagonals.
    if (pattern.rows.empty() || pattern.name == "unsorted with duplicates") continue;
    for (const bool lower : {true, false}) {
      // Kokkos Kernels needs the diagonal last in a lower row, and first in an upper one.
      const auto A = triangle_on_device<T>(
          exec, with_rows_changed(lower ? pattern : reversed(pattern),
                                  [](auto& row) { std::sort(row.begin(), row.end()); }));
      CAPTURE(A.name);
      const Kokkos::View<int*, Device> row_map(A.device.row_ptr()), entries(A.device.col_idx());
      const Kokkos::View<double*, Device> values(A.device.values());
      const double ours = residual_of<Ours>(
          A, lower, [&](auto* handle) { kk::sptrsv_symbolic(handle, row_map, entries, values); },
          [&](auto* handle, const auto& b, const auto& x) {
            kk::sptrsv_solve(handle, row_map, entries, values, b, x);
          });
      const double theirs = residual_of<Theirs>(
          A, lower, [&](auto* handle) { sptrsv_symbolic(handle, row_map, entries, values); },
          [&](auto* handle, const auto& b, const auto& x) {
            sptrsv_solve(handle, row_map, entries, values, b, x);
          });
      CHECK(ours <= 1);
      CHECK(theirs <= 1);
    }
  }
}

}  // namespace heddle::test
