// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "host_rows.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// The matrix of a source with ascending columns and a whole diagonal. A diagonal entry that is
/// missing or zero, or any if the values are not the source's own, is set to one more than the
/// magnitudes of its row and column. `set` counts these. Throws Error if the matrix is not square.
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
  std::vector<HostRow<S>> entries(rows);
  std::vector<RealOf<S>> magnitude(rows, 1);
  for (std::size_t i = 0; i < rows; ++i) {
    auto& row = entries[i];
    const auto diagonal = static_cast<Index>(i);
    for (Off k = from.row_ptr()(i); k < from.row_ptr()(i + 1); ++k) {
      row.emplace_back(from.col_idx()(static_cast<std::size_t>(k)),
                       from.values()(static_cast<std::size_t>(k)));
    }
    row.emplace_back(diagonal, S(0));
    add_up(row);
    for (const auto& [column, value] : row) {
      if (column == diagonal) continue;
      magnitude[i] += Kokkos::abs(value);
      magnitude[static_cast<std::size_t>(column)] += Kokkos::abs(value);
    }
  }
  for (std::size_t i = 0; i < rows; ++i) {
    for (auto& [column, value] : entries[i]) {
      if (column != static_cast<Index>(i) || (value != S(0) && loaded.own_values)) continue;
      value = S(magnitude[i]);
      ++set;
    }
  }
  return stored<S, Off>(entries, from.columns());
}

}  // namespace heddle::bench
