// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arrays that formats keep: those that their pages draw, and how entries are dealt out to
// teams.
#include <doctest/doctest.h>

#include "../../formats/bcsr/inspect.hpp"
#include "../../formats/blocked_ell/inspect.hpp"
#include "../../formats/common/equal_work.hpp"
#include "../../formats/common/share.hpp"
#include "../../formats/coo/inspect.hpp"
#include "../../formats/coo/view.hpp"
#include "../../formats/csb/inspect.hpp"
#include "../../formats/dia/inspect.hpp"
#include "../../formats/ell/inspect.hpp"
#include "../../formats/gcsr/inspect.hpp"
#include "../../formats/hyb/inspect.hpp"
#include "../../testing/format_suite/check.hpp"
#include "../../testing/format_suite/patterns.hpp"

namespace heddle::test {

namespace {

using Type = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
using Exec = Type::Exec;
using Ints = std::vector<std::int32_t>;
using Reals = std::vector<double>;

/// Arrays of a device, when all that was queued is done.
template <class T>
std::vector<T> on_host(const T* data, std::int64_t count) {
  Exec().fence("heddle::test::filled");
  const auto host =
      to_host(Kokkos::View<const T*, Type::Space>(data, static_cast<std::size_t>(count)));
  return std::vector<T>(host.data(), host.data() + count);
}

DeviceMatrix<Type> example(std::int64_t columns, const Rows& rows) {
  return to_device<Type>(Exec(), Pattern{"example", columns, rows});
}

/// The first `rows` entries of each slot, or diagonal.
template <class T>
std::vector<std::vector<T>> by_slots(const std::vector<T>& all, std::size_t stride,
                                     std::size_t rows) {
  std::vector<std::vector<T>> slots;
  for (auto at = all.begin(); at < all.end(); at += static_cast<std::ptrdiff_t>(stride)) {
    slots.emplace_back(at, at + static_cast<std::ptrdiff_t>(rows));
  }
  return slots;
}

/// Whether values are as expected, holes where a NaN is.
bool same_with_holes(const Reals& values, const Reals& expected) {
  return std::ranges::equal(values, expected, [](const double& value, double wanted) {
    return wanted == wanted ? value == wanted : backends::is_hole(value);
  });
}
constexpr double hole = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("ell: the arrays that docs/formats.md draws") {
  const auto A = example(5, {{0, 1}, {1}, {0, 3}, {2, 3, 4}});
  const heddle::detail::slots::Storage<Exec, double, int, int> storage(Exec(), A.matrix(), 3);
  const auto view = storage.view();
  REQUIRE(view.stride == 32);
  REQUIRE(view.width == 3);
  CHECK(by_slots(on_host(view.col_idx, 96), 32, 5) ==
        std::vector<Ints>{{0, 1, 0, 2, -1}, {1, -1, 3, 3, -1}, {-1, -1, -1, 4, -1}});
  const Reals values = on_host(view.values, 96);
  CHECK(values[0] == A.host.values()(0));
  CHECK(values[32 + 3] == A.host.values()(6));
}

TEST_CASE("dia: the arrays that docs/formats.md draws") {
  const auto A = example(5, {{0, 1, 3}, {1, 2}, {3, 2, 3}, {0, 3}});
  const heddle::detail::dia::Storage<Exec, double, int, int> storage(Exec(), A.matrix());
  const auto view = storage.view();
  REQUIRE(view.stride == 32);
  REQUIRE(view.diagonals == 4);
  CHECK(on_host(view.offsets, 4) == Ints{-3, 0, 1, 3});
  const auto a = A.host.values();
  const Reals expected[] = {{hole, hole, hole, a(8)},
                            {a(0), a(3), a(6), a(9)},
                            {a(1), a(4), a(5) + a(7), hole},
                            {a(2), hole, hole, hole}};
  const auto diagonals = by_slots(on_host(view.values, 128), 32, 32);
  for (std::size_t d = 0; d < 4; ++d) {
    Reals wanted = expected[d];
    wanted.resize(32, hole);
    CHECK(same_with_holes(diagonals[d], wanted));
  }
}

TEST_CASE("bcsr: the arrays that docs/formats.md draws") {
  const auto A = example(5, {{0, 1, 4}, {1}, {2, 3, 2}});
  const heddle::detail::bcsr::Storage<Exec, double, int, int, double> storage(Exec(), A.matrix(),
                                                                              {2, 2});
  REQUIRE(storage.blocks() == 3);
  REQUIRE(storage.block_rows() == 2);
  const auto view = storage.view(heddle::detail::bcsr::BlockSize<2, 2>());
  CHECK(on_host(view.block_ptr, 3) == Ints{0, 2, 3});
  CHECK(on_host(view.block_col, 3) == Ints{0, 2, 1});
  const auto a = A.host.values();
  CHECK(same_with_holes(on_host(view.values, 12), {a(0), hole, a(1), a(3), a(2), hole, hole, hole,
                                                   a(4) + a(6), hole, a(5), hole}));
}

TEST_CASE("gcsr: the arrays that docs/formats.md draws") {
  const auto A = example(4, {{}, {0, 1}, {}, {}, {2}, {1, 2, 3}, {}});
  const heddle::detail::gcsr::Storage<Exec, int, int> storage(Exec(), A.matrix(), 4);
  const auto view = storage.view(A.matrix());
  CHECK(view.all_rows == 7);
  REQUIRE(view.rows == 3);
  CHECK(on_host(view.row_number, 3) == Ints{1, 4, 5});
  CHECK(on_host(view.row_ptr, 4) == Ints{0, 2, 3, 6});
  CHECK(on_host(view.has_entries.words, 1)[0] == 0b0110010);
  CHECK(view.values == A.device.values().data());
}

TEST_CASE("hyb: the arrays that docs/formats.md draws") {
  const auto A = example(5, {{0, 1}, {1}, {0, 1, 2, 4}, {}, {0, 2, 3}});
  const auto longer = heddle::detail::hyb::rows_longer_than(Exec(), A.matrix());
  const std::int64_t expected_longer[] = {4, 3, 2, 1, 0};
  for (std::size_t j = 0; j < 5; ++j) CHECK(longer[j] == expected_longer[j]);
  const auto widths = heddle::detail::hyb::split_at(2, longer, 10);
  CHECK(widths.width == 2);
  CHECK(widths.long_rows == 2);
  CHECK(widths.rest == 3);
  const heddle::detail::hyb::Storage<Exec, double, int, int, double> storage(
      Exec(), A.matrix(), widths, backends::describe(Exec()));
  const auto slots = storage.slots();
  REQUIRE(slots.width == 2);
  REQUIRE(slots.stride == 32);
  CHECK(by_slots(on_host(slots.col_idx, 64), 32, 5) ==
        std::vector<Ints>{{0, 1, 0, -1, 0}, {1, -1, 1, -1, 2}});
  const auto part = storage.rest().view();
  const auto long_rows = storage.rest().long_rows();
  const auto a = A.host.values();
  CHECK(on_host(part.col_idx, 3) == Ints{2, 4, 3});
  CHECK(on_host(part.values, 3) == Reals{a(5), a(6), a(9)});
  CHECK(on_host(long_rows.bits.words, 1)[0] == 0b10100);
  CHECK(on_host(long_rows.before_word, 1)[0] == 0);
}

/// Slices of two rows; the columns of the second slice span more than 16 bits.
TEST_CASE("blocked-ell: the arrays that docs/formats.md draws") {
  using namespace heddle::detail::blocked_ell;
  const auto A = example(70000, {{0, 1}, {1}, {0, 69999}, {2, 3, 4}, {}});
  const Storage<Exec, double, int, int, double> storage(Exec(), A.matrix(), 1, 0);
  const auto view = storage.view();
  CHECK(view.pieces == 3);
  CHECK(view.piece == nullptr);
  const auto slice = on_host(view.slice, 3);
  const std::int64_t slots[] = {0, 4, 10}, words[] = {0, 4, 16};
  const std::int32_t bases[] = {0, -1, 0}, widths[] = {2, 3, 0};
  for (std::size_t s = 0; s < 3; ++s) {
    CHECK(slice[s].first_slot == slots[s]);
    CHECK(slice[s].first_column == words[s]);
    CHECK(slice[s].base == bases[s]);
    CHECK(slice[s].width == widths[s]);
  }
  CHECK(on_host(view.columns, 4) == std::vector<std::uint16_t>{0, 1, 1, no_delta});
  CHECK(on_host(reinterpret_cast<const std::int32_t*>(view.columns + 4), 6) ==
        Ints{0, 2, 69999, 3, -1, 4});
  const auto a = A.host.values();
  CHECK(on_host(view.values, 10) == Reals{a(0), a(2), a(1), 0, a(3), a(5), a(4), a(6), 0, a(7)});
}

TEST_CASE("csb: the arrays that docs/formats.md draws") {
  const auto A = example(6, {{0, 1}, {0, 1, 4}, {}, {2, 3, 5}});
  const heddle::detail::csb::Storage<Exec, double, int, int> storage(Exec(), A.matrix(), 2);
  REQUIRE(storage.blocks() == 4);
  const auto view = storage.view();
  using Locals = std::vector<std::uint16_t>;
  CHECK(on_host(storage.row_panels(), 3) == Ints{0, 2, 4});
  CHECK(on_host(view.block_column, 4) == Ints{0, 2, 1, 2});
  CHECK(on_host(view.block_row, 4) == Ints{0, 0, 1, 1});
  CHECK(on_host(view.list_ptr, 5) == Ints{0, 4, 5, 7, 8});
  CHECK(on_host(view.local_row, 8) == Locals{0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(on_host(view.local_column, 8) == Locals{0, 1, 0, 1, 0, 0, 1, 1});
  CHECK(on_host(storage.column_panels(), 4) == Ints{0, 1, 2, 4});
  CHECK(on_host(storage.column_order(), 4) == Ints{0, 2, 1, 3});
  CHECK(storage.sweep_columns(Exec(), false) == 8);
  CHECK(on_host(storage.column_start(), 5) == Ints{0, 4, 6, 7, 8});
  CHECK(on_host(view.values, 8) == Reals(A.host.values().data(), A.host.values().data() + 8));
}

TEST_CASE("coo: the row of each nonzero is stored, counted from the share that it lies in") {
  const Exec exec;
  for (const Pattern& pattern : all_patterns()) {
    const auto A = to_device<Type>(exec, pattern);
    const heddle::detail::segments::ShareRows<Exec, int, int, double> rows(
        exec, A.matrix(), backends::describe(exec));
    const auto table = rows.table();
    const auto edges = on_host(table.edges, table.shares + 1);
    const auto local = on_host(rows.local_row(), pattern.nonzeros());
    std::vector<std::int64_t> stored, expected;
    for (std::size_t t = 0; t + 1 < edges.size(); ++t) {
      for (auto k = edges[t].nonzero; k < edges[t + 1].nonzero; ++k) {
        stored.push_back(edges[t].row +
                         static_cast<std::int64_t>(local[static_cast<std::size_t>(k)]));
      }
    }
    for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
      expected.insert(expected.end(), pattern.rows[i].size(), static_cast<std::int64_t>(i));
    }
    CHECK_MESSAGE(stored == expected, pattern.name);
  }
}

TEST_CASE("csb: a heavy block row is cut into pieces, which cover every entry once") {
  const Exec exec;
  const auto A = to_device<Type>(exec, random_pattern("heavy", 3, 1500, 900, [](std::int64_t i) {
                                   return i / 256 == 2 ? 400 : i / 256 == 4 ? 0 : 3;
                                 }));
  const heddle::detail::csb::Storage<Exec, double, int, int> storage(exec, A.matrix(), 256);
  for (const bool through_memory : {false, true}) {
    const heddle::detail::csb::Cutting<std::int32_t> cutting{
        storage.row_panels(), storage.row_start(), 1000, through_memory};
    const heddle::detail::csb::PanelPieces<Exec, int, int> pieces(exec, storage.block_rows(),
                                                                  storage.nonzeros(), cutting);
    const auto sweep = pieces.sweep(nullptr, storage.row_start());
    REQUIRE(sweep.panels == 6);
    const std::int64_t heavy = 256 * 400 / 1000;
    CHECK(sweep.piece_count == 5 + heavy);
    CHECK(sweep.partials == heavy + (through_memory ? 5 : 0));
    const auto start = on_host(sweep.start, storage.blocks() + 1);
    std::int32_t at = 0;
    std::int64_t partials = 0;
    for (const auto& piece : on_host(sweep.pieces, sweep.piece_count)) {
      CHECK(piece.begin == at);
      CHECK(piece.end - piece.begin < 2000);
      at = piece.end;
      if (piece.begin < piece.end) {
        const auto place = static_cast<std::size_t>(piece.first_place);
        CHECK(start[place] <= piece.begin);
        CHECK(start[place + 1] > piece.begin);
      }
      const bool partial = piece.panel == 2 || through_memory;
      CHECK(piece.partial == (partial ? partials : -1));
      partials += partial;
    }
    CHECK(at == storage.nonzeros());
  }
}

/// A block row of as many blocks as are not cut, and one of a block more.
TEST_CASE("bcsr: block rows of more blocks than a piece are cut") {
  const Exec exec;
  using Pieces = heddle::detail::bcsr::BlockRowPieces<Exec, std::int32_t, std::int32_t, double>;
  const std::int32_t block_ptr[] = {0, 2, 102, 102, 203};
  const auto on_device = copy_to<Type::Space>(
      Kokkos::View<const std::int32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(block_ptr, 5));
  const Pieces none(exec, on_device.data(), 4, 2, 101);
  CHECK(none.counts().carries == 0);
  CHECK(none.bytes() == 0);
  CHECK(Pieces(exec, on_device.data(), 4, 2, 100).counts().carries == 2);
  const Pieces both(exec, on_device.data(), 4, 2, 50);
  CHECK(both.counts().carries == 2 + 3);
  REQUIRE(both.counts().cut == 2);
  const auto cut = on_host(both.cut_panels(), 2);
  CHECK(cut[0].panel == 1);
  CHECK(cut[1].panel == 3);
  CHECK(cut[1].first == 2);
  CHECK(cut[1].carries == 3);
}

namespace {

// Places where kernels read the entries of a matrix with more nonzeros and places than 32 bits
// count. test_many_nonzeros.cpp runs formats that borrow the matrix; of others the arithmetic is
// tested.

constexpr std::int64_t beyond = (std::int64_t{1} << 33) + 12345;

/// Number of elements from one pointer to another; neither need be valid.
template <class T>
std::int64_t distance(const T* from, const T* to) {
  return (reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(from)) /
         static_cast<std::int64_t>(sizeof(T));
}

template <class T>
const T* nowhere() {
  return reinterpret_cast<const T*>(std::intptr_t{1} << 20);
}

}  // namespace

TEST_CASE("indices: a panel of BCSR begins at its block times the places of a block") {
  using Size = heddle::detail::bcsr::BlockSize<8, 8>;
  heddle::detail::bcsr::View<double, std::int32_t, std::int32_t, Size> narrow{};
  narrow.values = nowhere<double>();
  // 32 bits count the blocks, but not their places.
  constexpr std::int32_t block = 2000000000;
  CHECK(distance(narrow.values, narrow.values_from(block)) == std::int64_t{block} * 64);
  heddle::detail::bcsr::View<double, std::int32_t, std::int64_t, Size> wide{};
  wide.values = nowhere<double>();
  CHECK(distance(wide.values, wide.values_from(beyond)) == beyond * 64);
}

TEST_CASE("indices: COO counts its nonzeros from any") {
  using View = heddle::detail::coo::View<float, std::int32_t, std::int64_t, std::uint16_t>;
  const View all{nowhere<std::uint16_t>(), nowhere<std::int32_t>(), nowhere<float>()};
  const View rest = all.from(beyond);
  CHECK(distance(all.local_row, rest.local_row) == beyond);
  CHECK(distance(all.col_idx, rest.col_idx) == beyond);
  CHECK(distance(all.values, rest.values) == beyond);
}

TEST_CASE("indices: a share counts its nonzeros from an aligned one before its first") {
  using heddle::detail::Share;
  using heddle::detail::share_alignment;
  using Edge = heddle::detail::ShareEdge<std::int32_t, std::int64_t>;
  const Edge edges[] = {{beyond, 2000000000, -1}, {beyond + 700, 2000000009, -1}};
  const struct {
    const Edge* edges;
  } table{edges};
  const auto share = Share<std::int32_t, std::int64_t>::at(table, 0);
  CHECK(share.origin % share_alignment == 0);
  CHECK(share.origin + share.begin == beyond);
  CHECK(share.origin + share.end == beyond + 700);
  CHECK(share.first_row == 2000000000);
  CHECK(share.ended == 9);
  CHECK(share.rows == 9);

  const std::int64_t row_ptr[] = {beyond - 5, beyond, beyond + 300, beyond + 301};
  const auto rows = Share<std::int32_t, std::int64_t>::of_rows(row_ptr, 1, 3);
  CHECK(rows.origin + rows.begin == beyond);
  CHECK(rows.origin + rows.end == beyond + 301);
  CHECK(rows.rows == 2);

  // Just below 2^31, where an aligned end would not fit in 32 bits.
  constexpr std::int32_t last = std::numeric_limits<std::int32_t>::max();
  const std::int32_t narrow[] = {last - 3, last};
  const auto end = Share<std::int32_t, std::int32_t>::of_rows(narrow, 0, 1);
  CHECK(end.origin <= last - 3);
  CHECK(end.end - end.begin == 3);
}

}  // namespace heddle::test
