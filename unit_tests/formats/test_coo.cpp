// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../formats/coo/inspect.hpp"
#include "../../testing/format_suite/make_plans.hpp"
#include "../../testing/format_suite/patterns.hpp"
#include "../support/shared_formats.hpp"

// Tests of coo alone; testing/format_suite.hpp has those of every format.
namespace heddle::test {

using CooType = OnePlanType<SharedFormats>;
using CooExec = CooType::Exec;
using CooPlan = CooType::Plan<>;

/// The row of each nonzero, from the arrays that kernels see.
template <class Rows>
std::vector<std::int64_t> rows_of_nonzeros(const CooExec& exec, const Rows& rows,
                                           std::size_t nonzeros) {
  const auto table = rows.table();
  using Edges = Kokkos::View<const std::remove_cvref_t<decltype(*table.edges)>*, CooType::Space>;
  using LocalRows = Kokkos::View<const typename Rows::Row*, CooType::Space>;
  exec.fence("heddle::test::filled");
  const auto edges = to_host(Edges(table.edges, static_cast<std::size_t>(table.shares) + 1));
  const auto local = to_host(LocalRows(rows.local_row(), nonzeros));
  std::vector<std::int64_t> all;
  for (std::size_t t = 0; t + 1 < edges.extent(0); ++t) {
    for (auto k = edges(t).nonzero; k < edges(t + 1).nonzero; ++k) {
      all.push_back(edges(t).row + static_cast<std::int64_t>(local(static_cast<std::size_t>(k))));
    }
  }
  return all;
}

TEST_CASE("coo: the row of each nonzero is stored, counted from the share that it lies in") {
  const CooExec exec;
  const Device device = backends::describe(exec);
  for (const Pattern& pattern : all_patterns()) {
    const auto A = to_device<CooType>(exec, pattern);
    const heddle::detail::segments::ShareRows<CooExec, std::int32_t, std::int32_t, double> rows(
        exec, A.matrix(), device);
    std::vector<std::int64_t> expected;
    for (std::size_t i = 0; i < pattern.rows.size(); ++i) {
      expected.insert(expected.end(), pattern.rows[i].size(), static_cast<std::int64_t>(i));
    }
    const auto stored = rows_of_nonzeros(exec, rows, expected.size());
    CHECK_MESSAGE(stored == expected, pattern.name);
  }
}

TEST_CASE("coo: new values are seen without a word, and nothing but rows is kept") {
  const CooExec exec;
  const auto A = to_device<CooType>(exec, pattern_named("power law"), 1);
  const auto B = to_device<CooType>(exec, pattern_named("power law"), 2);
  CooPlan plan(exec, A.matrix(), {.scheme = Scheme("coo"), .values_in_place = true});
  Kokkos::deep_copy(A.device.values(), B.device.values());
  CHECK(apply_and_compare(exec, plan, B, Op::none, 2.0, -1.0) == "");
  const auto nonzeros = static_cast<std::size_t>(A.host.nonzeros());
  constexpr std::size_t row_bytes = backends::has_lanes<CooExec> ? 2 : 4;
  CHECK(plan.bytes() >= row_bytes * nonzeros);
  // Shares: an edge and carry-outs each, of at least 256 steps; and the alignment of four arrays.
  const std::size_t shares = (nonzeros + A.rows_of_y() * 8) / 256 + 1;
  CHECK(plan.bytes() <= row_bytes * (nonzeros + 32) + shares * (16 + 2 * 64 * 8) + 4 * 256);
  const double x_and_y = 8.0 * static_cast<double>(A.rows_of_x() + A.rows_of_y());
  // One carry-out a share and vector, though there is room for more.
  const double entries = (12.0 + row_bytes) * static_cast<double>(nonzeros);
  const double of_shares = plan.moved_bytes() - entries - x_and_y;
  CHECK(of_shares > 0);
  CHECK(of_shares <= static_cast<double>(shares + 1) * (16 + 4 * 8));
}

TEST_CASE("coo: choose ranks it, behind CSR") {
  const CooExec exec;
  for (const char* name : {"one huge row", "power law", "tridiagonal"}) {
    const auto A = to_device<CooType>(exec, pattern_named(name));
    const Choice choice = chosen_for<Formats<CooFormat, CsrFormat>>(exec, A);
    CHECK(choice.scheme.format() == "csr");
    CHECK(choice.ranking.size() > 3);
  }
}

}  // namespace heddle::test
