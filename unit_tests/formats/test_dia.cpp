// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/dia/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of dia alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using DiaType = OnePlanType<SharedFormats>;
using DiaPlan = DiaType::Plan<>;
using DiaStorage = heddle::detail::dia::Storage<DiaType::Exec, double, std::int32_t, std::int32_t>;

namespace {

/// All schemes of DIA.
std::vector<Scheme> schemes_of_dia() {
  return Formats<DiaFormat>::variants(backends::describe(DiaType::Exec()));
}

}  // namespace

TEST_CASE("dia: the example of docs/dia.md") {
  const DiaType::Exec exec;
  const Pattern pattern{"example", 5, {{0, 1, 3}, {1, 2}, {3, 2, 3}, {0, 3}}};
  const auto A = to_device<DiaType>(exec, pattern);
  const DiaStorage storage(exec, A.matrix());
  const auto view = storage.view();
  CHECK(view.stride == 32);
  CHECK(view.diagonals == 4);
  exec.fence("heddle::test::filled");
  const auto offsets = to_host(Kokkos::View<const std::int32_t*, DiaType::Space>(view.offsets, 4));
  const auto values =
      to_host(Kokkos::View<const double*, DiaType::Space>(view.values, storage.places()));
  const auto a = A.host.values();
  const double hole = std::numeric_limits<double>::quiet_NaN();
  const std::int32_t expected_offsets[4] = {-3, 0, 1, 3};
  const double expected[4][4] = {{hole, hole, hole, a(8)},
                                 {a(0), a(3), a(6), a(9)},
                                 {a(1), a(4), a(5) + a(7), hole},
                                 {a(2), hole, hole, hole}};
  for (std::size_t d = 0; d < 4; ++d) {
    CHECK(offsets(d) == expected_offsets[d]);
    for (std::size_t row = 0; row < 32; ++row) {
      const double& value = values(d * 32 + row);
      if (row < 4 && expected[d][row] == expected[d][row]) {
        CHECK(value == expected[d][row]);
      } else {
        CHECK(backends::is_hole(value));
      }
    }
  }
}

TEST_CASE("dia: fill-in is refused above its bound, and counted below") {
  const DiaType::Exec exec;
  const auto plan_of = [&](const Pattern& pattern) {
    const auto A = to_device<DiaType>(exec, pattern);
    return DiaPlan(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats());
  };
  CHECK_THROWS_AS(plan_of(pattern_named("one huge row")), Refusal);
  // Three diagonals of 64 rows, two of them with one entry: 192 places for 66 entries.
  const auto with_entries_beside = [](std::int64_t count) {
    return with_rows_changed(banded_pattern("diagonals", 64, 64, {0}),
                             [row = std::int64_t{0}, count](auto& columns) mutable {
                               if (row >= 10 && row < 10 + count) columns.push_back(2 * row);
                               ++row;
                             });
  };
  const DiaPlan plan = plan_of(with_entries_beside(2));
  CHECK(plan.moved_bytes() == 192 * 8.0 + 3 * 4.0 + 128 * 8.0);
  CHECK(plan.moved_bytes(Op::transpose, 9, true) ==
        2 * (192 * 8.0 + 3 * 4.0) + 9 * (128 + 64) * 8.0);
  CHECK(plan.bytes() == 2 * 256 + 192 * 8);
  CHECK_THROWS_AS(plan_of(with_entries_beside(3)), Refusal);
}

TEST_CASE("dia: a NaN in the matrix is no hole, not even the one that marks holes") {
  const DiaType::Exec exec;
  const Pattern pattern = pattern_named("tridiagonal");
  const auto host = make_matrix<double, std::int32_t, std::int32_t>(pattern);
  backends::put_hole(&host.values()(6));                        // entry (2, 2)
  host.values()(8) = std::numeric_limits<double>::quiet_NaN();  // entry (3, 2)
  const auto A = to_device<DiaType>(exec, "NaN", host);
  DiaPlan plan(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats());
  for (const Op op : {Op::none, Op::transpose}) {
    const Kokkos::View<double*, DiaType::Space> x("x", 1000), y("y", 1000);
    Kokkos::deep_copy(x, 1.0);
    plan.apply(exec, op, 1.0, x, 0.0, y);
    exec.fence("heddle::test::applied");
    const auto result = to_host(y);
    for (std::size_t i = 0; i < 1000; ++i) {
      const bool holds = i == 2 || (op == Op::none && i == 3);
      CHECK(std::isnan(result(i)) == holds);
    }
  }
}

TEST_CASE("dia: an infinite entry of x stays out of the holes of the transpose too") {
  const DiaType::Exec exec;
  const Pattern pattern = diagonals_with_holes();
  const auto A = to_device<DiaType>(exec, pattern);
  DiaPlan plan(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats());
  for (const std::size_t infinite : {0, 31, 60, 229}) {
    const Kokkos::View<double*, Kokkos::HostSpace> x("x", A.rows_of_x(Op::transpose));
    Kokkos::deep_copy(x, 1.0);
    x(infinite) = std::numeric_limits<double>::infinity();
    const Kokkos::View<double*, DiaType::Space> y("y", A.rows_of_y(Op::transpose));
    plan.apply(exec, Op::transpose, 1.0, copy_to<DiaType::Space>(x), 0.0, y);
    exec.fence("heddle::test::applied");
    const auto result = to_host(y);
    const auto row = pattern.rows[infinite];
    for (std::size_t j = 0; j < result.extent(0); ++j) {
      const bool holds = std::find(row.begin(), row.end(), static_cast<int>(j)) != row.end();
      CHECK(std::isfinite(result(j)) == !holds);
    }
  }
}

TEST_CASE("dia: more diagonals than scratch holds offsets") {
  const DiaType::Exec exec;
  for (const auto& [rows, columns] :
       {std::pair(300, 300), std::pair(20, 700), std::pair(700, 20)}) {
    const auto dense =
        random_pattern("dense", 1, rows, columns, [=](std::int64_t) { return columns; });
    const auto A = to_device<DiaType>(exec, dense);
    CAPTURE(rows);
    if (rows == 700) {
      CHECK_THROWS_AS(DiaPlan(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats()),
                      Refusal);
      continue;
    }
    DiaPlan plan(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats());
    for (const Op op : {Op::none, Op::transpose}) {
      CHECK(apply_and_compare(exec, plan, A, op, 1.0, 0.0) == "");
    }
  }
}

TEST_CASE("dia: rectangular, with diagonals that begin or end beyond the edges, by every op") {
  const DiaType::Exec exec;
  const std::vector<std::int64_t> offsets{-90, -33, -32, -1, 0, 2, 31, 60, 119};
  for (const auto& [rows, columns] : {std::pair(100, 100), std::pair(100, 120), std::pair(120, 100),
                                      std::pair(97, 131), std::pair(131, 97)}) {
    const auto A = to_device<DiaType>(exec, banded_pattern("banded", rows, columns, offsets));
    for (const Scheme& scheme : schemes_of_dia()) {
      CAPTURE(scheme.to_string());
      DiaPlan plan(exec, A.matrix(), {.scheme = scheme}, DiaType::Formats());
      for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
        CHECK(apply_and_compare(exec, plan, A, op, 2.0, -1.0) == "");
      }
    }
  }
}

TEST_CASE("dia: over many strips of rows, several vectors at once") {
  const DiaType::Exec exec;
  const std::vector<std::int64_t> offsets{-1030, -70, -3, -1, 0, 1, 2, 5, 64, 65, 900};
  const auto A = to_device<DiaType>(exec, banded_pattern("banded", 2500, 2400, offsets));
  for (const Scheme& scheme : schemes_of_dia()) {
    CAPTURE(scheme.to_string());
    DiaPlan plan(exec, A.matrix(), {.scheme = scheme}, DiaType::Formats());
    for (const std::size_t count : {1, 3, 8, 11}) {
      for (const Op op : {Op::none, Op::transpose}) {
        const auto x = random_vectors<double>(A.rows_of_x(op), count, true, 3);
        const auto y = random_vectors<double>(A.rows_of_y(op), count, false, 4);
        const auto x_device = x.in<DiaType::Space>();
        const auto y_device = y.in<DiaType::Space>();
        plan.apply(exec, op, 2.0, x_device.view(), 0.5, y_device.view());
        exec.fence("heddle::test::applied");
        CHECK(mismatch(reference_of(A, op, 2.0, x, 0.5, y),
                       y_device.in<Kokkos::HostSpace>().view()) == "");
      }
    }
  }
}

/// Each row is summed in the order of its diagonals, however many rows a lane has.
TEST_CASE("dia: every scheme of a GPU gives the same bits") {
  const DiaType::Exec exec;
  if (!backends::has_lanes<DiaType::Exec>) return;
  const std::vector<std::int64_t> offsets{-1030, -70, -3, -1, 0, 1, 2, 5, 64, 65, 900};
  const auto A = to_device<DiaType>(exec, banded_pattern("banded", 5000, 5000, offsets));
  DiaPlan first(exec, A.matrix(), {.scheme = Scheme("dia")}, DiaType::Formats());
  for (const Scheme& scheme : schemes_of_dia()) {
    DiaPlan plan(exec, A.matrix(), {.scheme = scheme}, DiaType::Formats());
    for (const Op op : {Op::none, Op::transpose}) {
      const CheckedProduct<DiaType> product(A, op, 1.0, 0.0);
      CHECK_MESSAGE(same_bits(product.result(exec, first), product.result(exec, plan)),
                    scheme.to_string());
    }
  }
}

TEST_CASE("dia: choose counts diagonals only where few of them would be the best") {
  Device gpu;
  gpu.lanes = 32;
  gpu.multiprocessors = 132;
  gpu.threads_per_multiprocessor = 2048;
  gpu.cache_bytes = 60 << 20;
  PatternFeatures grid;
  grid.rows = grid.columns = 1440000;
  grid.nonzeros = 7195200;
  grid.longest_row = grid.diagonals = 5;
  int looks = 0;
  const auto chosen = [&](const PatternFeatures& pattern, std::int64_t applies) {
    const Features features(pattern, [&] {
      ++looks;
      return pattern;
    });
    ChooseOptions options;
    options.expected_applies = applies;
    return choose<AllFormats>(features, gpu, options).scheme.to_string();
  };
  CHECK(chosen(grid, 1000) == "dia");
  CHECK(looks == 1);
  const auto is_dia = [](const std::string& scheme) { return scheme.rfind("dia", 0) == 0; };
  CHECK(!is_dia(chosen(grid, 1)));
  PatternFeatures irregular = grid;
  irregular.longest_row = 90;
  CHECK(!is_dia(chosen(irregular, 1000)));
  CHECK(looks == 1);
  PatternFeatures scattered = grid;
  scattered.diagonals = 100000;
  CHECK(!is_dia(chosen(scattered, 1000)));
  CHECK(looks == 2);
}

}  // namespace heddle::test
