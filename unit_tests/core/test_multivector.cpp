// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>

#include "../../core/multivector.hpp"

namespace heddle::test {

namespace {

using Strided = Kokkos::View<double**, Kokkos::LayoutStride, Kokkos::HostSpace,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// A View that is never read.
Strided strided(std::size_t rows, std::size_t row_stride, std::size_t vectors,
                std::size_t vector_stride) {
  static double place = 0;
  return Strided(&place, Kokkos::LayoutStride(rows, row_stride, vectors, vector_stride));
}

}  // namespace

TEST_CASE("multivector: entries lie where the View has them") {
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> right("heddle::test::a", 7,
                                                                             3);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> left("heddle::test::b", 7, 3);
  const Kokkos::View<double*, Kokkos::HostSpace> one("heddle::test::c", 7);
  const auto by_row = multivector_of<double>(right);
  const auto by_column = multivector_of<double>(left);
  const auto single = multivector_of<const double>(one);
  for (int i = 0; i < 7; ++i) {
    for (int c = 0; c < 3; ++c) {
      CHECK(&by_row(i, c) == &right(i, c));
      CHECK(&by_column(i, c) == &left(i, c));
      CHECK(&by_row.slice(c, 1)(i, 0) == &right(i, c));
    }
    CHECK(&single(i, 0) == &one(i));
  }
  CHECK(by_row.count == 3);
  CHECK(single.count == 1);
  CHECK(single.rows == 7);
}

TEST_CASE("multivector: the first stride fits in 32 bits, unless there is none") {
  constexpr std::size_t most = 0x7fffffff;
  CHECK(multivector_of<double>(strided(3, most, 2, 1)).row_stride == static_cast<int>(most));
  CHECK_THROWS_AS(multivector_of<double>(strided(3, most + 1, 2, 1)), Error);
  CHECK(multivector_of<double>(strided(1, most + 1, 2, 1)).row_stride == 1);
  CHECK(multivector_of<double>(strided(0, most + 1, 2, 1)).rows == 0);
  CHECK(multivector_of<double>(strided(3, 1, 2, most + 1)).vector_stride ==
        static_cast<std::int64_t>(most) + 1);
}

}  // namespace heddle::test
