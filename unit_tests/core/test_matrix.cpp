// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../core/matrix.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace test = heddle::test;
using HostSpace = Kokkos::HostSpace;

namespace {

template <class S, class O, class Off>
using HostCsr = heddle::CsrMatrix<S, O, Off, HostSpace>;

}  // namespace

TEST_CASE("a matrix borrows Kokkos Views without a copy") {
  Kokkos::View<std::size_t*, HostSpace> row_ptr("row_ptr", 4);
  Kokkos::View<const int*, HostSpace> col_idx = Kokkos::View<int*, HostSpace>("col_idx", 5);
  Kokkos::View<double*, HostSpace> values("values", 5);
  const heddle::CsrMatrix A(3, 8, row_ptr, col_idx, values);
  static_assert(std::is_same_v<decltype(A), const HostCsr<double, int, std::size_t>>);
  CHECK(A.rows() == 3);
  CHECK(A.columns() == 8);
  CHECK(A.nonzeros() == 5);
  CHECK(A.row_ptr().data() == row_ptr.data());
  CHECK(A.col_idx().data() == col_idx.data());
  CHECK(A.values().data() == values.data());
  values(4) = 2.5;
  CHECK(A.values()(4) == 2.5);
}

TEST_CASE("a matrix borrows raw pointers") {
  const std::int64_t row_ptr[] = {0, 1, 3};
  const int col_idx[] = {0, 0, 1};
  const float values[] = {1, 2, 3};
  const HostCsr<float, int, std::int64_t> A(2, 2, 3, row_ptr, col_idx, values);
  CHECK(A.row_ptr().extent(0) == 3);
  CHECK(A.row_ptr().data() == row_ptr);
  CHECK(A.values()(2) == 3);
}

TEST_CASE("a matrix may have nothing in it") {
  const HostCsr<float, int, int> nothing;
  CHECK(nothing.rows() == 0);
  CHECK(nothing.nonzeros() == 0);
  CHECK_NOTHROW(HostCsr<float, int, int>(0, 7, 0, nullptr, nullptr, nullptr));
  const int zeros[] = {0, 0, 0};
  const HostCsr<float, int, int> empty(2, 0, 0, zeros, nullptr, nullptr);
  CHECK(empty.rows() == 2);
  CHECK(empty.nonzeros() == 0);
}

TEST_CASE("arrays that do not fit together are errors") {
  Kokkos::View<int*, HostSpace> three("three", 3), four("four", 4);
  Kokkos::View<double*, HostSpace> values("values", 3);
  CHECK_NOTHROW(heddle::CsrMatrix(3, 3, four, three, values));
  CHECK_THROWS_WITH(heddle::CsrMatrix(4, 3, four, three, values),
                    "heddle: row_ptr has 4 entries for 4 rows; give rows + 1 entries");
  CHECK_THROWS_AS(heddle::CsrMatrix(2, 3, four, three, values), heddle::Error);
  CHECK_THROWS_WITH(heddle::CsrMatrix(3, 3, four, four, values),
                    "heddle: col_idx has 4 entries and values 3; give one column and one value "
                    "for each nonzero");
  CHECK_THROWS_AS(heddle::CsrMatrix(3, -1, four, three, values), heddle::Error);
  CHECK_THROWS_AS((HostCsr<double, int, int>(3, 3, 3, nullptr, three.data(), values.data())),
                  heddle::Error);
}

TEST_CASE("entries that do not lie side by side are an error") {
  Kokkos::View<int**, Kokkos::LayoutRight, HostSpace> offsets("offsets", 4, 2), columns("c", 3, 2);
  Kokkos::View<double**, Kokkos::LayoutRight, HostSpace> numbers("numbers", 3, 2);
  Kokkos::View<int*, HostSpace> row_ptr("row_ptr", 4), col_idx("col_idx", 3);
  Kokkos::View<double*, HostSpace> values("values", 3);
  const auto all = Kokkos::ALL;
  CHECK_THROWS_WITH(heddle::CsrMatrix(3, 3, Kokkos::subview(offsets, all, 0), col_idx, values),
                    "heddle: row_ptr has a stride of 2; copy it into a contiguous View of rank 1");
  CHECK_THROWS_AS(heddle::CsrMatrix(3, 3, row_ptr, Kokkos::subview(columns, all, 1), values),
                  heddle::Error);
  CHECK_THROWS_AS(heddle::CsrMatrix(3, 3, row_ptr, col_idx, Kokkos::subview(numbers, all, 0)),
                  heddle::Error);
  // A strided layout with contiguous entries is accepted, and with one entry any layout.
  const Kokkos::View<double*, Kokkos::LayoutStride, HostSpace> beside = values;
  CHECK(heddle::CsrMatrix(3, 3, row_ptr, col_idx, beside).values().data() == values.data());
  const auto one = std::pair(0, 1);
  CHECK(heddle::CsrMatrix(0, 3, Kokkos::subview(offsets, one, 0), Kokkos::subview(columns, one, 0),
                          Kokkos::subview(numbers, one, 0))
            .nonzeros() == 1);
}

TEST_CASE("sizes are integers of any types, and one that does not fit is an error") {
  Kokkos::View<int*, HostSpace> row_ptr("row_ptr", 4), col_idx("col_idx", 3);
  Kokkos::View<double*, HostSpace> values("values", 3);
  const heddle::CsrMatrix A(row_ptr.extent(0) - 1, 7, row_ptr, col_idx, values);
  static_assert(std::is_same_v<decltype(A), const HostCsr<double, int, int>>);
  CHECK(A.rows() == 3);
  CHECK(heddle::CsrMatrix(3, 7L, row_ptr, col_idx, values).columns() == 7);
  const HostCsr<double, int, int> raw(3u, std::int64_t{7}, col_idx.extent(0), row_ptr.data(),
                                      col_idx.data(), values.data());
  CHECK(raw.nonzeros() == 3);

  constexpr std::int64_t wide = (std::int64_t{1} << 32) + 3;
  CHECK_THROWS_WITH(heddle::CsrMatrix(wide, 7, row_ptr, col_idx, values),
                    "heddle: the matrix has 4294967299 rows, more than 32 bits hold; use wider "
                    "ordinals (rows and columns) or offsets (entries)");
  CHECK_THROWS_AS(heddle::CsrMatrix(3, wide, row_ptr, col_idx, values), heddle::Error);
  CHECK_THROWS_AS(heddle::CsrMatrix(3, -wide, row_ptr, col_idx, values), heddle::Error);
  CHECK_THROWS_WITH(
      (HostCsr<double, int, int>(3, 7, wide, row_ptr.data(), col_idx.data(), values.data())),
      doctest::Contains("4294967299 entries"));
  CHECK_THROWS_AS((HostCsr<double, int, std::size_t>(0, 7, -1, nullptr, nullptr, nullptr)),
                  heddle::Error);
  CHECK_THROWS_WITH(
      (HostCsr<double, int, int>(-2, 7, 3, row_ptr.data(), col_idx.data(), values.data())),
      "heddle: the matrix has -2 rows; give 0 rows or more");
  const Kokkos::DefaultHostExecutionSpace exec;
  using Storage = heddle::CsrStorage<double, int, int, HostSpace>;
  CHECK(Storage(exec, row_ptr.extent(0), 2, 3L).rows() == 4);
  CHECK_THROWS_AS(Storage(exec, wide, 2, 3), heddle::Error);
  CHECK_THROWS_AS(Storage(exec, 1, 2, wide), heddle::Error);
  CHECK_THROWS_AS(Storage(exec, 1, -2, 3), heddle::Error);
}

TEST_CASE("a number of entries that the offset cannot hold is an error") {
  const int zero = 0;
  CHECK_THROWS_WITH((HostCsr<double, int, int>(0, 0, -1, &zero, nullptr, nullptr)),
                    "heddle: the matrix has -1 entries; give 0 entries or more");
}

TEST_CASE("storage that holds nothing is copied as such") {
  const heddle::CsrStorage<double, int, int, HostSpace> nothing;
  CHECK(nothing.matrix().rows() == 0);
  const auto copy = nothing.copy_to<HostSpace>(Kokkos::DefaultHostExecutionSpace());
  CHECK(copy.rows() == 0);
  CHECK(copy.matrix().nonzeros() == 0);
}

TEST_CASE_TEMPLATE_DEFINE("storage owns one block and lends a matrix", T, storage) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  const heddle::CsrStorage<S, O, Off, typename T::Space> storage(exec, 10, 20, 30);
  exec.fence();
  CHECK(storage.bytes() == heddle::arena_bytes<Off, O, S>(11, 30, 30));
  CHECK(storage.rows() == 10);
  CHECK(storage.columns() == 20);
  CHECK(storage.nonzeros() == 30);
  const auto A = storage.matrix();
  CHECK(A.row_ptr().data() == storage.row_ptr().data());
  CHECK(A.row_ptr().extent(0) == 11);
  CHECK(A.col_idx().extent(0) == 30);
  const auto* begin = reinterpret_cast<const std::byte*>(A.row_ptr().data());
  const auto* end = reinterpret_cast<const std::byte*>(A.values().data() + 30);
  CHECK(static_cast<std::size_t>(end - begin) <= storage.bytes());
}
TEST_CASE_TEMPLATE_APPLY(storage, test::Every<>);

TEST_CASE("copies of storage share the memory") {
  auto storage = test::make_matrix<float, int, int>({"two", 2, {{0}, {0, 1}}});
  const auto copy = storage;
  copy.values()(1) = 9;
  CHECK(storage.values()(1) == 9);
  storage = {};
  CHECK(storage.rows() == 0);
  CHECK(storage.bytes() == 0);
  CHECK(copy.values()(1) == 9);
}
