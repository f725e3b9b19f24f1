// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include "../../formats/csr/parameters.hpp"
#include "../../formats/csr/row_blocks.hpp"
#include "../../testing/backends.hpp"
#include "../../testing/matrices.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE(
    "blocks hold all rows in turn: a long row alone, or up to a number of others", T, row_blocks) {
  using O = typename T::Ordinal;
  using Off = typename T::Offset;
  const typename T::Exec exec;
  for (const Pattern& pattern : test_patterns()) {
    const auto host = make_matrix<double, O, Off>(pattern);
    const auto A = host.template copy_to<typename T::Space>(exec);
    for (const std::int64_t most : {1, 7, 64, 1024}) {
      for (const std::int64_t long_row : {std::int64_t{1}, std::int64_t{40}, INT64_MAX}) {
        CAPTURE(pattern.name);
        CAPTURE(most);
        CAPTURE(long_row);
        const heddle::detail::csr::RowBlocks<typename T::Exec, O, Off> blocks(exec, A.matrix(),
                                                                              most, long_row);
        const auto table = blocks.table();
        std::vector<O> expected;
        std::int64_t since = 0;
        bool behind_long = false;
        for (std::int64_t row = 0; row < host.rows(); ++row) {
          const auto r = static_cast<std::size_t>(row);
          const bool is_long = pattern.rows[r].size() > static_cast<std::size_t>(long_row);
          since = row % most == 0 ? 0 : since + 1;
          if (since == 0 || is_long || behind_long) expected.push_back(static_cast<O>(row));
          behind_long = is_long;
        }
        expected.push_back(host.rows());
        REQUIRE(table.blocks + 1 == static_cast<std::int64_t>(expected.size()));
        if (table.blocks == 0) continue;
        const Kokkos::View<const O*, typename T::Space, Kokkos::MemoryUnmanaged> first(
            table.first, expected.size());
        const auto found = to_host(first);
        bool same = true;
        for (std::size_t b = 0; b < expected.size(); ++b) same = same && found(b) == expected[b];
        CHECK(same);
        CHECK(static_cast<std::int64_t>(table.long_row) == std::min(long_row, pattern.nonzeros()));
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(row_blocks, Every<std::tuple<double>>);

TEST_CASE("blocks of longer rows have fewer of them") {
  const heddle::detail::csr::BlockTuning tuning;
  CHECK(tuning.rows_per_block(0) == 1024);
  CHECK(tuning.rows_per_block(2) == 1024);
  CHECK(tuning.rows_per_block(5) == 256);
  CHECK(tuning.rows_per_block(100) == 16);
  CHECK(tuning.rows_per_block(1e6) == 8);
}

}  // namespace heddle::test
