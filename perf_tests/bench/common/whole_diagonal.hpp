// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "load.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A source with ascending columns and a whole diagonal, which is one more than the magnitudes of
/// row and column where it is missing or zero; and everywhere where the values are not the
/// source's own. `set` counts those rows. `who` needs a square matrix.
template <Scalar S, Offset Off>
HostStorage<S, Off> with_whole_diagonal(const Loaded<S, Off>& loaded, const std::string& who,
                                        std::int64_t& set) {
  const auto& from = loaded.matrix;
  if (from.rows() != from.columns()) {
    throw Error(who + " need a square matrix, and this one has " + std::to_string(from.rows()) +
                    " rows and " + std::to_string(from.columns()) + " columns",
                "leave it out");
  }
  const auto rows = static_cast<std::size_t>(from.rows());
  std::vector<std::vector<std::pair<Index, S>>> entries(rows);
  std::vector<RealOf<S>> magnitude(rows, 1);
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = entries[i];
    const auto diagonal = static_cast<Index>(i);
    for (Off k = from.row_ptr()(i); k < from.row_ptr()(i + 1); ++k) {
      row.emplace_back(from.col_idx()(static_cast<std::size_t>(k)),
                       from.values()(static_cast<std::size_t>(k)));
    }
    row.emplace_back(diagonal, S(0));
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::size_t last = 0;
    for (std::size_t k = 1; k < row.size(); ++k) {
      if (row[k].first == row[last].first) {
        row[last].second += row[k].second;
      } else {
        row[++last] = row[k];
      }
    }
    row.resize(last + 1);
    count += row.size();
    for (const auto& [column, value] : row) {
      if (column == diagonal) continue;
      magnitude[i] += Kokkos::abs(value);
      magnitude[static_cast<std::size_t>(column)] += Kokkos::abs(value);
    }
  }
  const Kokkos::DefaultHostExecutionSpace exec;
  HostStorage<S, Off> to(exec, from.rows(), from.rows(), static_cast<Off>(count));
  exec.fence("heddle::bench::whole_diagonal");
  std::size_t k = 0;
  to.row_ptr()(0) = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto [column, value] : entries[i]) {
      if (column == static_cast<Index>(i) && (value == S(0) || !loaded.own_values)) {
        value = S(magnitude[i]);
        ++set;
      }
      to.col_idx()(k) = column;
      to.values()(k++) = value;
    }
    to.row_ptr()(i + 1) = static_cast<Off>(k);
  }
  return to;
}

}  // namespace heddle::bench
