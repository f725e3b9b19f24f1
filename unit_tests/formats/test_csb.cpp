// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/csb/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/csb.hpp"
#include "../support/shared_formats.hpp"

// Tests of csb alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using CsbType = OnePlanType<SharedFormats>;
using CsbExec = CsbType::Exec;
using CsbStorage = heddle::detail::csb::Storage<CsbExec, double, std::int32_t, std::int32_t>;

namespace {

template <class T>
std::vector<T> on_host(const T* data, std::size_t count) {
  const auto host = to_host(Kokkos::View<const T*, CsbType::Space>(data, count));
  std::vector<T> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = host(i);
  return values;
}

}  // namespace

TEST_CASE("csb: the example of docs/csb.md") {
  const CsbExec exec;
  const Pattern pattern{"example", 6, {{0, 1}, {0, 1, 4}, {}, {2, 3, 5}}};
  const auto A = to_device<CsbType>(exec, pattern);
  const CsbStorage storage(exec, A.matrix(), 2);
  REQUIRE(storage.blocks() == 4);
  const auto view = storage.view();
  using Ints = std::vector<std::int32_t>;
  using Locals = std::vector<std::uint16_t>;
  CHECK(on_host(storage.row_panels(), 3) == Ints{0, 2, 4});
  CHECK(on_host(view.block_column, 4) == Ints{0, 2, 1, 2});
  CHECK(on_host(view.block_row, 4) == Ints{0, 0, 1, 1});
  CHECK(on_host(view.list_ptr, 5) == Ints{0, 4, 5, 7, 8});
  CHECK(on_host(view.local_row, 8) == Locals{0, 0, 1, 1, 1, 1, 1, 1});
  CHECK(on_host(view.local_column, 8) == Locals{0, 1, 0, 1, 0, 0, 1, 1});
  CHECK(on_host(storage.column_panels(), 4) == Ints{0, 1, 2, 4});
  CHECK(on_host(storage.column_order(), 4) == Ints{0, 2, 1, 3});
  CHECK(storage.sweep_columns(exec, false) == 8);
  CHECK(on_host(storage.column_start(), 5) == Ints{0, 4, 6, 7, 8});
  const auto a = A.host.values();
  CHECK(on_host(view.values, 8) ==
        std::vector<double>{a(0), a(1), a(2), a(3), a(4), a(5), a(6), a(7)});
}

TEST_CASE("csb: a heavy block row is cut into pieces, which cover every entry once") {
  const CsbExec exec;
  const Pattern pattern = random_pattern("heavy", 3, 1500, 900, [](std::int64_t i) {
    return i / 256 == 2 ? 400 : i / 256 == 4 ? 0 : 3;
  });
  const auto A = to_device<CsbType>(exec, pattern);
  const CsbStorage storage(exec, A.matrix(), 256);
  using heddle::detail::csb::Pieces;
  for (const bool through_memory : {false, true}) {
    const heddle::detail::csb::Cutting<std::int32_t> cutting{
        storage.row_panels(), storage.row_start(), 1000, through_memory};
    const Pieces<CsbExec, std::int32_t, std::int32_t> pieces(exec, storage.block_rows(),
                                                             storage.nonzeros(), cutting);
    const auto sweep = pieces.sweep(nullptr, storage.row_start());
    REQUIRE(sweep.panels == 6);
    const std::int64_t heavy = 256 * 400 / 1000;
    CHECK(sweep.piece_count == 5 + heavy);
    CHECK(sweep.partials == heavy + (through_memory ? 5 : 0));
    const auto all = on_host(sweep.pieces, static_cast<std::size_t>(sweep.piece_count));
    const auto start = on_host(sweep.start, static_cast<std::size_t>(storage.blocks()) + 1);
    std::int32_t at = 0;
    std::int64_t partials = 0;
    for (const auto& piece : all) {
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

TEST_CASE("csb: every size of blocks gives the same product, and its transpose") {
  const CsbExec exec;
  PlanMaker<CsbType> make(exec);
  const Pattern patterns[] = {
      random_pattern("a heavy block row", 1, 9000, 70000,
                     [](std::int64_t i) { return i / 500 == 3 ? 300 : i % 4; }),
      random_pattern("a heavy block column", 2, 70000, 500, [](std::int64_t i) { return i % 3; }),
      banded_pattern("band", 20000, 20000, {-70, -1, 0, 1, 70})};
  for (const Pattern& pattern : patterns) {
    const auto A = to_device<CsbType>(exec, pattern);
    const CheckedProduct<CsbType> products[] = {{A, Op::none, 2.0, -1.0},
                                                {A, Op::transpose, 0.5, 0.0}};
    for (const int beta : {256, 1024, 4096, 16384, 65536}) {
      for (const int vectors : {1, 4}) {
        auto plan = make(A, {.scheme = csb_scheme(beta), .vectors = {vectors}});
        REQUIRE(plan);
        for (const auto& product : products) {
          CHECK_MESSAGE(product.problem(exec, *plan) == "", A.name, ", ",
                        plan->scheme().to_string());
        }
      }
    }
  }
}

TEST_CASE("csb: a table of blocks larger than the matrix is refused") {
  RowFeatures rows;
  rows.rows = rows.columns = 1000000000;
  rows.nonzeros = 1000;
  const Device device = backends::describe(CsbExec());
  const auto predicted = [&](int beta) {
    return CsbFormat::predict(csb_scheme(beta), Features(rows), device, Sizes());
  };
  CHECK(predicted(256).refusal.find("blocks would need a table larger") != std::string::npos);
  CHECK(predicted(65536).possible());
}

TEST_CASE("csb: sweep is for triangles, and is predicted") {
  RowFeatures rows;
  rows.rows = rows.columns = 1000000;
  rows.nonzeros = 300000000;
  const Device device = backends::describe(CsbExec());
  const auto predicted = [&](const char* sweep, Symmetry symmetry) {
    Sizes sizes;
    sizes.symmetry = symmetry;
    return CsbFormat::predict(csb_scheme(4096, sweep), Features(rows), device, sizes);
  };
  CHECK(predicted("two", Symmetry::none).refusal ==
        "sweep is for a matrix of which one triangle is stored");
  const double both = predicted(nullptr, Symmetry::none).moved_bytes;
  const double two = predicted("two", Symmetry::symmetric).moved_bytes;
  CHECK(two > 1.9 * both);
  CHECK(predicted(nullptr, Symmetry::hermitian).moved_bytes == two);
  CHECK(predicted("atomics", Symmetry::symmetric).possible());
}

TEST_CASE("csb: bytes that are moved are counted; blocks on the diagonal are read once") {
  const CsbExec exec;
  const auto bytes_of = [&](const DeviceMatrix<CsbType>& A, Symmetry symmetry,
                            const char* sweep = nullptr) {
    return CsbType::Plan<>(exec, A.matrix(),
                           {.scheme = csb_scheme(4096, sweep), .symmetry = symmetry},
                           CsbType::Formats())
        .moved_bytes();
  };
  constexpr double piece = sizeof(heddle::detail::csb::Piece<std::int32_t, std::int32_t>);
  const auto small = to_device<CsbType>(exec, banded_pattern("small", 1000, 1000, {0}));
  const double once = 1000 * 12.0 + 8 + piece + 2000 * 8.0;
  CHECK(bytes_of(small, Symmetry::none) == once);
  CHECK(bytes_of(small, Symmetry::symmetric) == once);
  // Two block rows, and one block off the diagonal, which holds one entry.
  const auto two = to_device<CsbType>(exec, banded_pattern("two", 8000, 8000, {-1, 0}));
  const double x_and_y = 16000 * 8.0;
  const double by_rows = 15999 * 12.0 + 3 * 8 + 2 * piece + x_and_y;
  const double by_columns = 1 * 12.0 + 3 * 16 + 2 * piece + x_and_y + 8000 * 8.0;
  CHECK(bytes_of(two, Symmetry::none) == by_rows);
  CHECK(bytes_of(two, Symmetry::symmetric, "two") == by_rows + by_columns);
  CHECK(bytes_of(two, Symmetry::symmetric, "atomics") == by_rows + 2 * 8000 * 8.0);
  CHECK(bytes_of(two, Symmetry::symmetric) == by_rows + by_columns);
}

}  // namespace heddle::test
