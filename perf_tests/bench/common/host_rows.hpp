// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrices that are made on the host, row by row.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "load.hpp"

namespace heddle::bench {

/// Column and value of each entry of a row.
template <Scalar S>
using HostRow = std::vector<std::pair<std::int32_t, S>>;

/// Sorts a row by columns, and adds up repeated entries in their order.
template <Scalar S>
void add_up(HostRow<S>& row) {
  std::stable_sort(row.begin(), row.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::size_t kept = 0;
  for (const auto& entry : row) {
    if (kept > 0 && row[kept - 1].first == entry.first) {
      row[kept - 1].second += entry.second;
    } else {
      row[kept++] = entry;
    }
  }
  row.resize(kept);
}

/// The rows as a CSR matrix.
template <Scalar S, Offset Off>
HostStorage<S, Off> stored(const std::vector<HostRow<S>>& rows, std::int32_t columns) {
  std::size_t count = 0;
  for (const auto& row : rows) count += row.size();
  if (count > static_cast<std::size_t>(std::numeric_limits<Off>::max())) {
    throw Error("the matrix has " + std::to_string(count) + " entries", "use --offset 64");
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  HostStorage<S, Off> to(exec, rows.size(), columns, count);
  exec.fence("heddle::bench::stored");
  std::size_t k = 0;
  to.row_ptr()(0) = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (const auto& [column, value] : rows[i]) {
      to.col_idx()(k) = column;
      to.values()(k++) = value;
    }
    to.row_ptr()(i + 1) = static_cast<Off>(k);
  }
  return to;
}

}  // namespace heddle::bench
