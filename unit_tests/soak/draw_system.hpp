// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Square matrices for solvers and preconditioners.
#pragma once

#include "../support/entries.hpp"
#include "../support/grid_operator.hpp"
#include "draw_pattern.hpp"

namespace heddle::test {

/// A diagonally dominant matrix, so that factors exist, sweeps stay bounded, and iterations
/// converge. The diagonal is anywhere in its row; entries may repeat. A symmetric one has the
/// entries of the transpose too, and is positive definite.
template <ExecutionSpace Exec>
PlainOperator<Exec, double> draw_dominant(Random& random, Report& report, const Pattern& pattern,
                                          bool symmetric = false) {
  report.says("; ", pattern.rows.size(), " rows of ", pattern.name);
  std::vector<std::vector<std::pair<int, double>>> rows(pattern.rows.size());
  const bool repeats = once_in(random, 3);
  int i = 0;
  for (const auto row : pattern.rows) {
    for (const int j : row) {
      for (int k = repeats && once_in(random, 9) ? 2 : 1; j != i && k > 0; --k) {
        const double entry = random.scalar<double>();
        rows[static_cast<std::size_t>(i)].emplace_back(j, entry);
        if (symmetric) rows[static_cast<std::size_t>(j)].emplace_back(i, entry);
      }
    }
    ++i;
  }
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  i = 0;
  for (auto& row : rows) {
    double size = 1 + random.scalar<double>() / 4;
    for (const auto& entry : row) size += std::abs(entry.second);
    row.emplace(row.begin() + random.below(std::ssize(row) + 1), i++, size);
    for (const auto& [column, value] : row) {
      col_idx.push_back(column);
      values.push_back(value);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// Gives a matrix the values that change(value, i, j) leaves, in the memory that it has.
template <class Operator, class Change>
void change_values(const Operator& a, const Change& change) {
  Kokkos::deep_copy(a.values, each_entry(a, change));
}
template <class Operator>
void scale_values(const Operator& a, double factor) {
  change_values(a, [=](double& value, std::size_t, std::size_t) { value *= factor; });
}

/// Makes rows sum to zero, without positive entries beside the diagonal. Rows that have only a
/// diagonal keep it on request.
template <class Operator>
void make_laplacian(const Operator& a, bool keeps_lone_diagonals) {
  const auto sums = row_sums(a, false);
  change_values(a, [&](double& value, std::size_t i, std::size_t j) {
    if (i != j) {
      value = -std::abs(value);
    } else if (sums[i] > 0 || !keeps_lone_diagonals) {
      value = sums[i];
    }
  });
}

/// The matrix times a number, in another type.
template <Scalar S, ExecutionSpace Exec>
PlainOperator<Exec, S> times(const PlainOperator<Exec, double>& a, double scale) {
  std::vector<S> values;
  each_entry(a, [&](double value, std::size_t, std::size_t) {
    values.push_back(static_cast<S>(value * scale));
  });
  return {a.n, a.row_ptr, a.col_idx, copy_in<typename Exec::memory_space>(values)};
}

}  // namespace heddle::test
