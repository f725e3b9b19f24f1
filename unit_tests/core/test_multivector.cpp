// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <set>

#include "../../core/multivector.hpp"
#include "../../testing/random.hpp"

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
  CHECK_THROWS_WITH_AS(multivector_of<double>(strided(3, most + 1, 2, 1)),
                       doctest::Contains("have a stride of 2147483648"), Error);
  CHECK(multivector_of<double>(strided(1, most + 1, 2, 1)).row_stride == 1);
  CHECK(multivector_of<double>(strided(0, most + 1, 2, 1)).rows == 0);
  CHECK(multivector_of<double>(strided(3, 1, 2, most + 1)).vector_stride ==
        static_cast<std::int64_t>(most) + 1);
}

TEST_CASE("multivector: groups of vectors overlap if they have an entry in common") {
  double entries[64];
  const auto group = [&](int first, std::int64_t rows, int row_stride, int count,
                         std::int64_t vector_stride) {
    return Multivector<double>{entries + first, row_stride, vector_stride, rows, count};
  };
  const auto common = [](const Multivector<double>& a, const Multivector<double>& b) {
    std::set<const double*> of_a;
    for (int c = 0; c < a.count; ++c) {
      for (std::int64_t i = 0; i < a.rows; ++i) of_a.insert(&a(i, c));
    }
    for (int c = 0; c < b.count; ++c) {
      for (std::int64_t i = 0; i < b.rows; ++i) {
        if (of_a.contains(&b(i, c))) return true;
      }
    }
    return false;
  };
  Random random(3);
  int overlapping = 0, interleaved = 0, wrong = 0;
  for (int draw = 0; draw < 20000; ++draw) {
    const auto some = [&](std::int64_t bound) { return static_cast<int>(random.below(bound)); };
    const int row_stride = some(6), other_stride = some(3) ? row_stride : some(6);
    const auto a = group(some(12), some(5), row_stride, some(4), some(9));
    const auto b = group(some(12), some(5), other_stride, some(4), some(9));
    const bool said = overlap(a, b);
    // With different strides it may also report memory between the entries of one another.
    wrong += row_stride == other_stride ? said != common(a, b) : !said && common(a, b);
    overlapping += said;
    interleaved +=
        !said && heddle::detail::meet(heddle::detail::addresses(a), heddle::detail::addresses(b));
  }
  CHECK(wrong == 0);
  CHECK(overlapping > 1000);
  CHECK(interleaved > 1000);
}

TEST_CASE("multivector: vectors of another length than op(A) has are refused by name") {
  const auto of_rows = [](std::size_t rows) {
    return multivector_of<double>(strided(rows, 1, 1, rows));
  };
  const auto check = [&](Op op, std::size_t x, std::size_t y) {
    check_vectors(4, 6, op, of_rows(x), of_rows(y));
  };
  CHECK_THROWS_WITH_AS(
      check(Op::none, 4, 4),
      doctest::Contains("x has 4 rows, and op(A) (A is 4 x 6, op is none) needs 6"), Error);
  CHECK_THROWS_WITH_AS(check(Op::none, 6, 6), doctest::Contains("y has 6 rows"), Error);
  CHECK_THROWS_WITH_AS(
      check(Op::transpose, 6, 6),
      doctest::Contains("x has 6 rows, and op(A) (A is 4 x 6, op is transpose) needs 4"), Error);
}

}  // namespace heddle::test
