// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cost of full rows: numbers of reads of columns, not seconds.
#include <doctest/doctest.h>

#include <heddle/ilu.hpp>
#include <numeric>

#include "../../../solvers/ilu/row.hpp"
#include "../../support/incomplete.hpp"

namespace heddle::test {

namespace {

/// A column number that counts its reads.
struct CountedColumn {
  std::int64_t column = 0;
  static inline std::int64_t reads = 0;

  explicit operator std::int64_t() const {
    ++reads;
    return column;
  }
  friend bool operator<=(const CountedColumn& left, const CountedColumn& right) {
    return static_cast<std::int64_t>(left) <= static_cast<std::int64_t>(right);
  }
  friend bool operator==(const CountedColumn& left, const CountedColumn& right) {
    return static_cast<std::int64_t>(left) == static_cast<std::int64_t>(right);
  }
};
using Columns = std::vector<CountedColumn>;

/// Lanes that run one after another.
template <int Width>
struct LanesInTurn {
  static constexpr int width = Width;
  int me;
  int lane() const { return me; }
};

std::vector<Columns> rows_of(std::int64_t n, const std::vector<std::int64_t>& full, bool chain) {
  std::vector<Columns> rows(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const bool all = std::count(full.begin(), full.end(), i) > 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const bool here = all || i == j || std::count(full.begin(), full.end(), j) > 0 ||
                        (chain && std::abs(i - j) == 1);
      if (here) rows[static_cast<std::size_t>(i)].push_back({j});
    }
  }
  return rows;
}

/// Reads of columns for all updates of ILU(0) of these rows, or of IC(0).
template <int Width>
std::int64_t reads_of(const std::vector<Columns>& rows, bool cholesky) {
  CountedColumn::reads = 0;
  std::int64_t met = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto size = static_cast<int>(rows[i].size());
    for (int k = 0; rows[i][static_cast<std::size_t>(k)].column < static_cast<std::int64_t>(i);
         ++k) {
      const auto t = static_cast<std::size_t>(rows[i][static_cast<std::size_t>(k)].column);
      const auto diagonal = std::find_if(rows[t].begin(), rows[t].end(), [&](const auto& column) {
        return column.column == static_cast<std::int64_t>(t);
      });
      const auto below = static_cast<int>(diagonal - rows[t].begin());
      const auto above = static_cast<int>(rows[t].end() - diagonal) - 1;
      for (int lane = 0; lane < Width; ++lane) {
        heddle::detail::ilu::each_common(LanesInTurn<Width>{lane}, rows[i].data(),
                                         cholesky ? 0 : k + 1, cholesky ? k : size,
                                         cholesky ? rows[t].data() : rows[t].data() + below + 1,
                                         cholesky ? below : above, [&](int, int) { ++met; });
      }
    }
  }
  CHECK(met >= 0);
  return CountedColumn::reads;
}

}  // namespace

TEST_CASE("twice the rows around full ones are about twice the reads") {
  const std::int64_t n = 400;
  for (const bool chain : {false, true}) {
    for (const auto& of :
         std::vector<std::vector<double>>{{}, {0}, {1}, {0.5}, {0, 1}, {0.25, 0.75}, {0, 0.5, 1}}) {
      CAPTURE(chain);
      CAPTURE(of.size());
      const auto rows_with = [&](std::int64_t rows) {
        std::vector<std::int64_t> full;
        for (const double share : of) {
          full.push_back(static_cast<std::int64_t>(share * static_cast<double>(rows - 1)));
        }
        return rows_of(rows, full, chain);
      };
      const auto once = rows_with(n), twice = rows_with(2 * n);
      for (const bool cholesky : {false, true}) {
        CAPTURE(cholesky);
        CHECK(reads_of<1>(twice, cholesky) <= 2.6 * reads_of<1>(once, cholesky) + 100);
        CHECK(reads_of<32>(twice, cholesky) <= 2.6 * reads_of<32>(once, cholesky) + 100);
      }
    }
  }
}

TEST_CASE("rows meet in the same columns whoever looks, and in their order") {
  std::vector<std::int32_t> all(200), few = {3, 50, 51, 199, 300}, other = {2, 50, 120, 199};
  std::iota(all.begin(), all.end(), 0);
  const auto meet = [](const std::vector<std::int32_t>& left,
                       const std::vector<std::int32_t>& right, auto width) {
    std::vector<std::int32_t> columns;
    for (int lane = 0; lane < width(); ++lane) {
      heddle::detail::ilu::each_common(
          LanesInTurn<width()>{lane}, left.data(), std::int32_t(1),
          static_cast<std::int32_t>(left.size()), right.data(),
          static_cast<std::int32_t>(right.size()), [&](std::int32_t p, std::int32_t q) {
            CHECK(left[static_cast<std::size_t>(p)] == right[static_cast<std::size_t>(q)]);
            columns.push_back(left[static_cast<std::size_t>(p)]);
          });
    }
    return columns;
  };
  for (const auto& [left, right] :
       {std::pair(all, few), std::pair(few, all), std::pair(few, other)}) {
    std::vector<std::int32_t> expected;
    std::set_intersection(left.begin() + 1, left.end(), right.begin(), right.end(),
                          std::back_inserter(expected));
    CHECK(meet(left, right, std::integral_constant<int, 1>()) == expected);
    auto by_lanes = meet(left, right, std::integral_constant<int, 8>());
    std::sort(by_lanes.begin(), by_lanes.end());
    CHECK(by_lanes == expected);
  }
}

}  // namespace heddle::test
