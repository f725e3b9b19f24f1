// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "patterns.hpp"

#include <algorithm>

#include "../../../testing/random.hpp"

namespace heddle::bench {

namespace {

using Columns = std::vector<std::int32_t>;
using Rows = std::vector<Columns>;

void up_to(std::int32_t first, std::int32_t stop, std::int32_t without, Columns& columns) {
  for (std::int32_t j = first; j < stop; ++j) {
    if (j != without) columns.push_back(j);
  }
}

/// Fills the row and the column of one hub.
void hub(std::int32_t i, std::int32_t n, std::int32_t at, Columns& columns) {
  if (i == at) return up_to(0, n, i, columns);
  columns.push_back(at);
}

// The functions below append the columns of row i of n.
void chain(std::int32_t i, std::int32_t n, Columns& columns) {
  if (i > 0) columns.push_back(i - 1);
  if (i + 1 < n) columns.push_back(i + 1);
}
void arrow_first(std::int32_t i, std::int32_t n, Columns& columns) { hub(i, n, 0, columns); }
void arrow_last(std::int32_t i, std::int32_t n, Columns& columns) { hub(i, n, n - 1, columns); }
void star(std::int32_t i, std::int32_t n, Columns& columns) { hub(i, n, n / 2, columns); }
void two_rows(std::int32_t i, std::int32_t n, Columns& columns) {
  if (i == n / 2 || i == n - 1) up_to(0, n, i, columns);
}
void first_column(std::int32_t i, std::int32_t, Columns& columns) {
  if (i > 0) columns.push_back(0);
}

template <void (*row)(std::int32_t, std::int32_t, Columns&)>
Rows each(std::int32_t n) {
  Rows rows(static_cast<std::size_t>(n));
  for (std::int32_t i = 0; i < n; ++i) row(i, n, rows[static_cast<std::size_t>(i)]);
  return rows;
}

/// Edges of each node to six nodes n u^4: the first node has about 6 n^(3/4) edges, and the next
/// ones not many fewer.
Rows hubs(std::int32_t n) {
  Rows rows(static_cast<std::size_t>(n));
  test::Random random(1);
  for (std::int32_t i = 0; i < n; ++i) {
    for (int edge = 0; edge < 6; ++edge) {
      const double u = random.unit();
      const auto j = static_cast<std::int32_t>(n * (u * u * u * u));
      if (i == j) continue;
      rows[static_cast<std::size_t>(i)].push_back(j);
      rows[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  for (Columns& columns : rows) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
  return rows;
}

}  // namespace

const std::vector<CliffPattern>& cliff_patterns() {
  static const std::vector<CliffPattern> all{
      {"chain", "every row is joined to the next", each<chain>},
      {"arrow-first", "the first row and the first column are full", each<arrow_first>},
      {"arrow-last", "the last row and the last column are full", each<arrow_last>},
      {"star", "a row and a column in the middle are full", each<star>},
      {"two-rows", "the row in the middle and the last one are full", each<two_rows>},
      {"column", "the first column is full", each<first_column>},
      {"hubs", "six edges of each of n nodes to nodes n u^4, for u between 0 and 1", hubs},
  };
  return all;
}

CliffStorage make_cliff(const CliffPattern& pattern, std::int32_t rows) {
  const auto n = static_cast<std::size_t>(rows);
  std::vector<std::int64_t> magnitude(2 * n, 0);  // sums of each row, then of each column
  std::vector<std::int32_t> row_ptr(1, 0), col_idx;
  const Rows columns = pattern.rows(rows);
  for (std::int32_t i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    bool diagonal = false;
    for (const std::int32_t j : columns[at]) {
      if (j > i && !diagonal) col_idx.push_back(i), diagonal = true;
      col_idx.push_back(j);
      ++magnitude[at];
      ++magnitude[n + static_cast<std::size_t>(j)];
    }
    if (!diagonal) col_idx.push_back(i);
    row_ptr.push_back(static_cast<std::int32_t>(col_idx.size()));
  }
  CliffStorage A(Kokkos::DefaultHostExecutionSpace(), rows, rows,
                 static_cast<std::int32_t>(col_idx.size()));
  std::copy(row_ptr.begin(), row_ptr.end(), A.row_ptr().data());
  std::copy(col_idx.begin(), col_idx.end(), A.col_idx().data());
  for (std::size_t i = 0; i < n; ++i) {
    for (auto k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const bool diagonal = static_cast<std::size_t>(col_idx[static_cast<std::size_t>(k)]) == i;
      const std::int64_t off = std::max(magnitude[i], magnitude[n + i]);
      A.values()(static_cast<std::size_t>(k)) = diagonal ? static_cast<double>(off + 1) : -1.0;
    }
  }
  return A;
}

}  // namespace heddle::bench
