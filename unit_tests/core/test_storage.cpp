// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory in one block, and matrices: borrowed, and stored in such a block.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/events.hpp"
#include "../../testing/matrices.hpp"
#include "../support/no_memory.hpp"

namespace test = heddle::test;
using heddle::Arena;
using HostSpace = Kokkos::HostSpace;

namespace {

using Doubles = std::tuple<double>;
using Host = Kokkos::DefaultHostExecutionSpace;
template <class S, class O, class Off>
using HostCsr = heddle::CsrMatrix<S, O, Off, HostSpace>;

template <class A, class B>
std::ptrdiff_t bytes_between(const A& first, const B& later) {
  return reinterpret_cast<const char*>(later.data()) - reinterpret_cast<const char*>(first.data());
}

}  // namespace

TEST_CASE("sizes are padded to the alignment") {
  CHECK(heddle::arena_padded_bytes(0) == 0);
  CHECK(heddle::arena_padded_bytes(1) == heddle::arena_alignment_bytes);
  CHECK(heddle::arena_padded_bytes(256) == 256);
  CHECK(heddle::arena_padded_bytes(257) == 512);
  CHECK(heddle::arena_bytes<>() == 0);
  CHECK(heddle::arena_bytes<char, double>(3, 33) == 256 + 512);
  static_assert(heddle::arena_bytes<int>(64) == 256);
}

TEST_CASE_TEMPLATE_DEFINE("arrays are aligned, in order, and do not overlap", T, arrays) {
  using Space = typename T::Space;
  const typename T::Exec exec;
  const std::size_t bytes = heddle::arena_bytes<char, double, std::int32_t, double>(3, 100, 65, 0);
  Arena<Space> arena(exec, "heddle::test::arena", bytes);
  exec.fence();
  CHECK(arena.bytes() == bytes);
  const auto a = arena.template take<char>(3);
  const auto b = arena.template take<double>(100);
  const auto c = arena.template take<std::int32_t>(65);
  const auto d = arena.template take<double>(0);
  constexpr std::uintptr_t cache_line_bytes = 64;  // Kokkos aligns blocks to this or more
  CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % cache_line_bytes == 0);
  CHECK(bytes_between(a, b) == 256);
  CHECK(bytes_between(b, c) == 1024);
  CHECK(a.size() == 3);
  CHECK(b.size() == 100);
  CHECK(c.size() == 65);
  CHECK(d.size() == 0);
  CHECK_THROWS_AS((void)arena.template take<char>(1), heddle::Error);
  CHECK_NOTHROW((void)arena.template take<double>(0));

  char* first = nullptr;
  typename Arena<Space>::template Array<double> second;
  std::int32_t* third = nullptr;
  Arena<Space> made(exec, "heddle::test::arena", heddle::arena_array(first, 3),
                    heddle::arena_array(second, 100), heddle::arena_array(third, 65));
  exec.fence();
  CHECK(made.bytes() == bytes);
  CHECK(second.size() == 100);
  CHECK(reinterpret_cast<char*>(second.data()) - first == 256);
  CHECK(reinterpret_cast<char*>(third) - reinterpret_cast<char*>(second.data()) == 1024);
  CHECK_THROWS_AS((void)made.template take<char>(1), heddle::Error);
}
TEST_CASE_TEMPLATE_APPLY(arrays, test::Every<Doubles, test::UsualIndices>);

TEST_CASE_TEMPLATE_DEFINE("the last handle waits before its memory goes", T, last_handle) {
  using Space = typename T::Space;
  const typename T::Exec exec;
  const test::Recording recording;
  const auto fence_and_release = [&] {
    std::vector<std::string> labels;
    for (const test::Event& event : test::Recording::seen()) {
      const bool fence = event.kind == test::Event::fence && event.label.starts_with("heddle");
      if (fence || event.kind == test::Event::release) labels.push_back(event.label);
    }
    return labels;
  };
  {
    Arena<Space> second;
    {
      const Arena<Space> first(exec, "heddle::test::arena", 100);
      second = first;
    }
    CHECK(fence_and_release().empty());
    const Arena<Space> third = std::move(second);
    second = {};
    CHECK(fence_and_release().empty());
  }
  const auto labels = fence_and_release();
  REQUIRE(labels.size() == 2);
  CHECK(labels[0] == "heddle::arena::release");
  CHECK(labels[1] == "heddle::test::arena");
}
TEST_CASE_TEMPLATE_APPLY(last_handle, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("an arena that is empty or too small says so") {
  const Host host;
  Arena<HostSpace> none;
  CHECK(none.bytes() == 0);
  CHECK(none.take<int>(0).size() == 0);
  CHECK_THROWS_AS((void)none.take<int>(1), heddle::Error);
  Arena<HostSpace> small(host, "heddle::test::small", heddle::arena_bytes<int>(10));
  CHECK_THROWS_AS((void)small.take<int>(65), heddle::Error);
  CHECK(small.take<int>(64).size() == 64);  // padding may be used
}

TEST_CASE_TEMPLATE_DEFINE("an arena that finds no memory names its bytes and its label", T, none) {
  const typename T::Exec exec;
  std::string message;
  try {
    Arena<typename T::Space>(exec, "heddle::test::everything", test::more_bytes_than_any);
  } catch (const heddle::OutOfMemory& error) {
    message = error.what();
  }
  const auto bytes = test::more_bytes_than_any + heddle::arena_alignment_bytes;
  for (const std::string& part : {std::to_string(bytes), std::string(T::Space::name()),
                                  std::string("heddle::test::everything")}) {
    CHECK_MESSAGE(message.find(part) != std::string::npos, message);
  }
  // The next arena finds memory.
  CHECK_NOTHROW(Arena<typename T::Space>(exec, "heddle::test::little", 1000));
}
TEST_CASE_TEMPLATE_APPLY(none, test::Every<Doubles, test::UsualIndices>);

TEST_CASE("copies of an arena share the memory, which lives as long as one of them") {
  const Host host;
  Arena<HostSpace>::Array<int> array;
  Arena<HostSpace> keeper;
  {
    Arena<HostSpace> arena(host, "heddle::test::shared", heddle::arena_bytes<int>(4));
    host.fence();
    array = arena.take<int>(4);
    array(2) = 7;
    keeper = arena;
  }
  CHECK(array(2) == 7);
  CHECK(keeper.bytes() == 256);
}

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

TEST_CASE("a matrix may have contiguous entries of any layout, and sizes of any integer type") {
  Kokkos::View<int**, Kokkos::LayoutRight, HostSpace> offsets("offsets", 4, 2), columns("c", 3, 2);
  Kokkos::View<double**, Kokkos::LayoutRight, HostSpace> numbers("numbers", 3, 2);
  Kokkos::View<int*, HostSpace> row_ptr("row_ptr", 4), col_idx("col_idx", 3);
  Kokkos::View<double*, HostSpace> values("values", 3);
  const Kokkos::View<double*, Kokkos::LayoutStride, HostSpace> beside = values;
  CHECK(heddle::CsrMatrix(3, 3, row_ptr, col_idx, beside).values().data() == values.data());
  const auto one = std::pair(0, 1);
  CHECK(heddle::CsrMatrix(0, 3, Kokkos::subview(offsets, one, 0), Kokkos::subview(columns, one, 0),
                          Kokkos::subview(numbers, one, 0))
            .nonzeros() == 1);
  const heddle::CsrMatrix A(row_ptr.extent(0) - 1, 7, row_ptr, col_idx, values);
  static_assert(std::is_same_v<decltype(A), const HostCsr<double, int, int>>);
  CHECK(A.rows() == 3);
  CHECK(heddle::CsrMatrix(3, 7L, row_ptr, col_idx, values).columns() == 7);
  const HostCsr<double, int, int> raw(3u, std::int64_t{7}, col_idx.extent(0), row_ptr.data(),
                                      col_idx.data(), values.data());
  CHECK(raw.nonzeros() == 3);
  CHECK(raw.row_ptr().extent(0) == 4);
  CHECK(raw.values().data() == values.data());
  CHECK(heddle::CsrStorage<double, int, int, HostSpace>(Host(), row_ptr.extent(0), 2, 3L).rows() ==
        4);
}

TEST_CASE("arrays and sizes that do not fit together are errors that say what to do") {
  Kokkos::View<int**, Kokkos::LayoutRight, HostSpace> offsets("offsets", 4, 2), columns("c", 3, 2);
  Kokkos::View<double**, Kokkos::LayoutRight, HostSpace> numbers("numbers", 3, 2);
  Kokkos::View<int*, HostSpace> three("three", 3), four("four", 4);
  Kokkos::View<double*, HostSpace> values("values", 3);
  constexpr std::int64_t wide = (std::int64_t{1} << 32) + 3;
  const auto all = Kokkos::ALL;
  const auto views = [](auto rows, auto width, const auto&... arrays) {
    return [=] { heddle::CsrMatrix(rows, width, arrays...); };
  };
  const auto raw = [&](auto rows, auto width, auto entries, const int* row_ptr) {
    return [=] {
      HostCsr<double, int, int>(rows, width, entries, row_ptr, three.data(), values.data());
    };
  };
  const auto storage = [](auto rows, auto width, auto entries) {
    return [=] { heddle::CsrStorage<double, int, int, HostSpace>(Host(), rows, width, entries); };
  };
  const std::pair<std::function<void()>, const char*> wrong[] = {
      {views(4, 3, four, three, values),
       "heddle: row_ptr has 4 entries for 4 rows; give rows + 1 entries"},
      {views(2, 3, four, three, values), "row_ptr has 4 entries for 2 rows"},
      {views(3, 3, four, four, values),
       "heddle: col_idx has 4 entries and values 3; give one column and one value for each "
       "nonzero"},
      {views(3, -1, four, three, values), "-1 columns"},
      {views(3, 3, Kokkos::subview(offsets, all, 0), three, values),
       "heddle: row_ptr has a stride of 2; copy it into a contiguous View of rank 1"},
      {views(3, 3, four, Kokkos::subview(columns, all, 1), values), "col_idx has a stride of 2"},
      {views(3, 3, four, three, Kokkos::subview(numbers, all, 0)), "values has a stride of 2"},
      {views(wide, 7, four, three, values),
       "heddle: the matrix has 4294967299 rows, more than 32 bits hold; use wider ordinals (rows "
       "and columns) or offsets (entries)"},
      {views(3, wide, four, three, values), "4294967299 columns"},
      {views(3, -wide, four, three, values), "columns"},
      {raw(3, 3, 3, nullptr), ""},
      {raw(3, 7, wide, four.data()), "4294967299 entries"},
      {raw(-2, 7, 3, four.data()), "heddle: the matrix has -2 rows; give 0 rows or more"},
      {raw(0, 0, -1, four.data()), "heddle: the matrix has -1 entries; give 0 entries or more"},
      {[] { HostCsr<double, int, std::size_t>(0, 7, -1, nullptr, nullptr, nullptr); },
       "-1 entries"},
      {storage(wide, 2, 3), "4294967299 rows"},
      {storage(1, 2, wide), "4294967299 entries"},
      {storage(1, -2, 3), "-2 columns"}};
  for (const auto& [make, why] : wrong) {
    CHECK_THROWS_WITH_AS(make(), doctest::Contains(why), heddle::Error);
  }
}

TEST_CASE("storage that holds nothing is copied as such") {
  const heddle::CsrStorage<double, int, int, HostSpace> nothing;
  CHECK(nothing.matrix().rows() == 0);
  const auto copy = nothing.copy_to<HostSpace>(Host());
  CHECK(copy.rows() == 0);
  CHECK(copy.matrix().nonzeros() == 0);
}

TEST_CASE_TEMPLATE_DEFINE(
    "storage owns one block, lends a matrix, and travels to a device and back", T, storage) {
  using S = typename T::Scalar;
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  const Host host;
  const auto equal = [](const auto& a, const auto& b) {
    return a.extent(0) == b.extent(0) && std::equal(a.data(), a.data() + a.extent(0), b.data());
  };
  for (const auto& [name, here] : test::test_matrices<S, O, Off>()) {
    CAPTURE(name);
    const auto there = here.template copy_to<typename T::Space>(exec);
    exec.fence();
    const auto entries = static_cast<std::size_t>(here.nonzeros());
    CHECK(there.row_ptr().data() != here.row_ptr().data());
    CHECK(there.bytes() == heddle::arena_bytes<Off, O, S>(static_cast<std::size_t>(here.rows()) + 1,
                                                          entries, entries));
    const auto A = there.matrix();
    CHECK(A.row_ptr().data() == there.row_ptr().data());
    CHECK(A.col_idx().extent(0) == entries);
    if (entries > 0) {
      const auto* begin = reinterpret_cast<const std::byte*>(A.row_ptr().data());
      const auto* end = reinterpret_cast<const std::byte*>(A.values().data() + entries);
      CHECK(static_cast<std::size_t>(end - begin) <= there.bytes());
    }
    const auto back = there.template copy_to<Kokkos::HostSpace>(host);
    host.fence();
    CHECK(back.rows() == here.rows());
    CHECK(back.columns() == here.columns());
    CHECK(back.nonzeros() == here.nonzeros());
    CHECK(equal(back.row_ptr(), here.row_ptr()));
    CHECK(equal(back.col_idx(), here.col_idx()));
    CHECK(equal(back.values(), here.values()));
  }
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
