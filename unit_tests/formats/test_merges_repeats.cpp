// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sums of entries that repeat a place: in the plan's Accumulator or, in formats that store a place
// once, in the matrix's scalar.
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <cmath>

#include "../support/shared_formats.hpp"

namespace heddle::test {

/// A plan of floats, with wider sums. Doubles, if floats are not tested, show less: nothing is
/// rounded.
using T =
    WithFormats<SharedFormats, std::conditional_t<is_tested<FloatType>, FloatType, DoubleType>>;
using Entry = T::Scalar;
constexpr bool rounds = std::is_same_v<Entry, float>;

TEST_CASE("repeats: added in the accumulator, unless the format says that it merges them") {
  using Exec = T::Exec;
  using Space = Exec::memory_space;
  using Matrix = T::Matrix;
  constexpr int n = 16;
  const Exec exec;
  // A full matrix, which every format holds; each row has the first column twice.
  Kokkos::View<std::int32_t*, Space> row_ptr("rows", n + 1), col_idx("columns", n * (n + 1));
  Kokkos::View<Entry*, Space> values("values", n * (n + 1));
  const auto rows = Kokkos::create_mirror_view(row_ptr);
  const auto columns = Kokkos::create_mirror_view(col_idx);
  const auto entries = Kokkos::create_mirror_view(values);
  const double small = std::ldexp(1.0, -30);
  for (int i = 0, k = 0; i < n; ++i) {
    for (int j = -1; j < n; ++j, ++k) {
      columns(k) = std::max(j, 0);
      entries(k) = static_cast<Entry>(j < 0 ? 1 : j == 0 ? small : 0);
    }
    rows(i + 1) = (i + 1) * (n + 1);
  }
  Kokkos::deep_copy(row_ptr, rows);
  Kokkos::deep_copy(col_idx, columns);
  Kokkos::deep_copy(values, entries);
  const Matrix A(n, n, row_ptr, col_idx, values);
  Kokkos::View<double*, Space> x("x", n), y("y", n);
  Kokkos::deep_copy(x, 1.0);
  const Device device = backends::describe(exec);
  int merging = 0;
  T::Formats::for_each([&](auto format) {
    CAPTURE(std::string(format.name));
    const Scheme scheme = variants_of(format.grammar(device)).front();
    SpmvPlan<Exec, Matrix, double, double, T::Formats> plan(exec, A, {.scheme = scheme});
    plan.apply(exec, 1.0, x, 0.0, y);
    exec.fence("heddle::test::product");
    const auto sums = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    const bool merges = merges_repeats<decltype(format)>;
    merging += merges;
    for (int i = 0; i < n; ++i) CHECK(sums(i) == (merges && rounds ? 1.0 : 1.0 + small));
  });
  CHECK(merging == 2);
}

}  // namespace heddle::test
