// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Coarse operators of algebraic multigrid, by smoothed aggregation (Vanek, Mandel, Brezina 1996).
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../pattern.hpp"

namespace heddle::test {

/// A pattern with the values of its entries, in their order.
struct WeightedPattern {
  Pattern pattern;
  std::vector<double> values;

  std::int64_t rows() const { return static_cast<std::int64_t>(pattern.rows.size()); }
  /// Calls use(column, value) for each entry of a row.
  template <class Use>
  void for_row(std::int64_t row, const Use& use) const {
    const auto& row_ptr = pattern.rows.row_ptr();
    const auto i = static_cast<std::size_t>(row);
    for (auto k = static_cast<std::size_t>(row_ptr[i]);
         k < static_cast<std::size_t>(row_ptr[i + 1]); ++k) {
      use(pattern.rows.col_idx()[k], values[k]);
    }
  }
};

/// The product A B, row by row (Gustavson 1978). Entries that cancel stay, so that the pattern of
/// the product depends on those of the factors and not on rounding.
inline WeightedPattern product(const WeightedPattern& A, const WeightedPattern& B) {
  WeightedPattern C{{"", B.pattern.columns, {}}, {}};
  const auto columns = static_cast<std::size_t>(B.pattern.columns);
  std::vector<double> sums(columns, 0);
  std::vector<std::int64_t> seen_in(columns, -1);
  std::vector<std::int32_t> row;
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    row.clear();
    A.for_row(i, [&](std::int32_t k, double a) {
      B.for_row(k, [&](std::int32_t j, double b) {
        const auto at = static_cast<std::size_t>(j);
        if (seen_in[at] != i) {
          seen_in[at] = i;
          sums[at] = 0;
          row.push_back(j);
        }
        sums[at] += a * b;
      });
    });
    std::sort(row.begin(), row.end());
    C.pattern.rows.push_back(row);
    for (const std::int32_t j : row) C.values.push_back(sums[static_cast<std::size_t>(j)]);
  }
  return C;
}

inline WeightedPattern transpose(const WeightedPattern& A) {
  const auto columns = static_cast<std::size_t>(A.pattern.columns);
  std::vector<std::vector<std::pair<std::int32_t, double>>> lists(columns);
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    A.for_row(i, [&](std::int32_t j, double a) {
      lists[static_cast<std::size_t>(j)].emplace_back(static_cast<std::int32_t>(i), a);
    });
  }
  WeightedPattern T{{"", A.rows(), {}}, {}};
  std::vector<std::int32_t> row;
  for (const auto& list : lists) {
    row.clear();
    for (const auto& [i, a] : list) {
      row.push_back(i);
      T.values.push_back(a);
    }
    T.pattern.rows.push_back(row);
  }
  return T;
}

/// The aggregate of each node of a symmetric pattern, numbered in the order in which they are
/// found. A node becomes a root with all its neighbours if none of them is in an aggregate; the
/// remaining nodes join the aggregate of their first neighbour.
inline std::vector<std::int32_t> aggregates(const Rows& graph) {
  std::vector<std::int32_t> of(graph.size(), -1);
  const auto taken = [&](std::int32_t node) { return of[static_cast<std::size_t>(node)] >= 0; };
  std::int32_t count = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    const auto row = graph[i];
    if (of[i] >= 0 || std::any_of(row.begin(), row.end(), taken)) continue;
    of[i] = count;
    for (const std::int32_t j : row) of[static_cast<std::size_t>(j)] = count;
    ++count;
  }
  // A node that the first pass left has a neighbour in an aggregate, else it would be a root.
  const std::vector<std::int32_t> first = of;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    for (const std::int32_t j : graph[i]) {
      if (of[i] < 0) of[i] = first[static_cast<std::size_t>(j)];
    }
  }
  return of;
}

/// The Galerkin product P'AP of a symmetric A with a positive diagonal, P = (I - 2/3 D^-1 A) T,
/// where T has a one for each node, in the column of its aggregate. Its pattern follows from A's.
inline WeightedPattern coarsened(const WeightedPattern& A) {
  constexpr double damping = 2.0 / 3.0;
  const std::vector<std::int32_t> of = aggregates(A.pattern.rows);
  const std::int32_t count = of.empty() ? 0 : 1 + *std::max_element(of.begin(), of.end());
  WeightedPattern tentative{{"", count, {}}, std::vector<double>(of.size(), 1)};
  for (const std::int32_t aggregate : of) tentative.pattern.rows.push_back(std::vector{aggregate});
  WeightedPattern smoother{A.pattern, {}};
  for (std::int64_t i = 0; i < A.rows(); ++i) {
    double diagonal = 1;
    A.for_row(i, [&](std::int32_t j, double a) { diagonal = j == i ? a : diagonal; });
    A.for_row(i, [&](std::int32_t j, double a) {
      smoother.values.push_back((j == i ? 1 : 0) - damping * a / diagonal);
    });
  }
  const WeightedPattern P = product(smoother, tentative);
  return product(transpose(P), product(A, P));
}

/// The 7-point Laplacian over a grid's pattern: 6 on the diagonal, and so Dirichlet boundaries.
inline WeightedPattern laplacian(Pattern grid) {
  WeightedPattern A{std::move(grid), {}};
  for (std::size_t i = 0; i < A.pattern.rows.size(); ++i) {
    for (const std::int32_t j : A.pattern.rows[i]) {
      A.values.push_back(static_cast<std::size_t>(j) == i ? 6 : -1);
    }
  }
  return A;
}

}  // namespace heddle::test
