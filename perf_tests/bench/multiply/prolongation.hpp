// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A prolongation as multigrid makes one, on the host, by plain loops.
#pragma once

#include <cmath>
#include <vector>

#include "../common/load.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Groups of neighbours: the aggregate of each row, and their count.
struct Aggregates {
  std::vector<std::int32_t> of_row;
  std::int32_t count = 0;
};

/// Rows none of whose neighbours has an aggregate start one with all of them; the others join that
/// of a neighbour. A row without any is one by itself. Source: P. Vanek, J. Mandel and M. Brezina,
/// "Algebraic multigrid by smoothed aggregation", Computing 56, 1996.
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

/// P = (I - 2/3 D^-1 A) T, where T has a one in each row, at its aggregate, and D sums of
/// magnitudes of rows of A: square, its columns within range. Columns ascend.
template <Scalar S, Offset Off>
HostStorage<S, Off> smoothed_prolongation(const CsrMatrix<S, Index, Off, Kokkos::HostSpace>& A) {
  const Aggregates aggregates = aggregate(A);
  std::vector<Off> row_ptr{0};
  std::vector<Index> col_idx;
  std::vector<S> values;
  std::vector<std::pair<Index, S>> row;
  for (Index i = 0; i < A.rows(); ++i) {
    RealOf<S> sum(0);
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) sum += Kokkos::abs(A.values()(k));
    row.assign(1, {aggregates.of_row[static_cast<std::size_t>(i)], S(1)});
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1) && sum > 0; ++k) {
      row.emplace_back(aggregates.of_row[static_cast<std::size_t>(A.col_idx()(k))],
                       A.values()(k) * (RealOf<S>(-2) / (RealOf<S>(3) * sum)));
    }
    std::stable_sort(row.begin(), row.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [column, value] : row) {
      if (static_cast<std::size_t>(row_ptr.back()) < col_idx.size() && col_idx.back() == column) {
        values.back() += value;
      } else {
        col_idx.push_back(column);
        values.push_back(value);
      }
    }
    row_ptr.push_back(static_cast<Off>(col_idx.size()));
  }
  HostStorage<S, Off> P(Kokkos::DefaultHostExecutionSpace(), A.rows(), aggregates.count,
                        static_cast<std::int64_t>(col_idx.size()));
  std::copy(row_ptr.begin(), row_ptr.end(), P.row_ptr().data());
  std::copy(col_idx.begin(), col_idx.end(), P.col_idx().data());
  std::copy(values.begin(), values.end(), P.values().data());
  return P;
}

}  // namespace heddle::bench
