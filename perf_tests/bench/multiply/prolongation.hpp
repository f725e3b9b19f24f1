// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A smoothed prolongation as in multigrid, on the host, by plain loops.
#pragma once

#include <vector>

#include "../common/load.hpp"

namespace heddle::bench {

/// Groups of neighbours: the aggregate of each row, and their count.
struct Aggregates {
  std::vector<std::int32_t> of_row;
  std::int32_t count = 0;
};

/// A row starts an aggregate with all its neighbours if none of them has one; other rows join the
/// aggregate of a neighbour. A row that finds none is an aggregate of its own. Source: P. Vanek, J.
/// Mandel and M. Brezina, "Algebraic multigrid by smoothed aggregation", Computing 56, 1996.
template <class Matrix>
Aggregates aggregate(const Matrix& A) {
  const std::int32_t rows = A.rows();
  Aggregates result{std::vector<std::int32_t>(static_cast<std::size_t>(rows), -1), 0};
  auto& of_row = result.of_row;
  const auto at = [&](std::int32_t i) -> std::int32_t& {
    return of_row[static_cast<std::size_t>(i)];
  };
  const auto each_neighbour = [&](std::int32_t i, const auto& use) {
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) use(A.col_idx()(k));
  };
  for (std::int32_t i = 0; i < rows; ++i) {
    bool free = at(i) < 0;
    each_neighbour(i, [&](std::int32_t j) { free = free && at(j) < 0; });
    if (!free) continue;
    at(i) = result.count;
    each_neighbour(i, [&](std::int32_t j) { at(j) = result.count; });
    ++result.count;
  }
  const std::vector<std::int32_t> first = of_row;
  for (std::int32_t i = 0; i < rows; ++i) {
    each_neighbour(i, [&](std::int32_t j) {
      if (at(i) < 0) at(i) = first[static_cast<std::size_t>(j)];
    });
    if (at(i) < 0) at(i) = result.count++;
  }
  return result;
}

/// P = (I - 2/3 D^-1 A) T for a square A with columns in range. T has a one in each row, at its
/// aggregate, and D the sums of magnitudes of the rows of A. Columns of P ascend.
template <Scalar S, Offset Off>
HostStorage<S, Off> smoothed_prolongation(const CsrMatrix<S, Index, Off, Kokkos::HostSpace>& A) {
  const Aggregates aggregates = aggregate(A);
  const auto group = [&](std::size_t i) { return aggregates.of_row[i]; };
  std::vector<HostRow<S>> rows(static_cast<std::size_t>(A.rows()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RealOf<S> sum(0);
    each_entry(A, i, [&](std::size_t, const S& value) { sum += Kokkos::abs(value); });
    rows[i].emplace_back(group(i), S(1));
    each_entry(A, i, [&](std::size_t j, const S& value) {
      const auto share = RealOf<S>(-2) / (RealOf<S>(3) * sum);
      if (sum > 0) rows[i].emplace_back(group(j), value * share);
    });
    add_up(rows[i]);
  }
  return stored<S, Off>(rows, aggregates.count);
}

}  // namespace heddle::bench
