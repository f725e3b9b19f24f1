// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Square matrices for solvers and preconditioners.
#pragma once

#include "../support/grid_operator.hpp"
#include "../support/loops.hpp"
#include "draw_triangle.hpp"

namespace heddle::test {

/// One or two full rows, one or two full columns, or both: arrows, first or last, and stars.
inline Pattern draw_arrow(Random& random) {
  const std::int64_t n = 1 + random.below(cut(700));
  const std::int64_t full = std::min<std::int64_t>(n, 1 + random.below(2));
  const bool first = once_in(random, 2), has_rows = once_in(random, 2);
  const bool has_columns = !has_rows || once_in(random, 2);
  Pattern pattern;
  pattern.columns = n;
  pattern.name = std::string(first ? "first " : "last ") + std::to_string(full) +
                 (has_rows ? " rows" : "") + (has_columns ? " columns" : "") + " full";
  const auto is_full = [&](std::int64_t i) { return first ? i < full : i >= n - full; };
  for (std::int64_t i = 0; i < n; ++i) {
    std::vector<std::int64_t> row;
    for (std::int64_t j = 0; j < n; ++j) {
      if (i == j || (has_rows && is_full(i)) || (has_columns && is_full(j))) row.push_back(j);
    }
    pattern.rows.push_back(row);
  }
  return pattern;
}

/// Rows that read rows before them, rows after them, or both.
inline Pattern draw_square(Random& random) {
  if (once_in(random, 8)) return draw_arrow(random);
  const std::int64_t kind = random.below(3);
  if (kind == 0) return draw_lower(random);
  if (kind == 1) return reversed(draw_lower(random));
  const std::int64_t sizes[] = {2, 50, 900, 3000};
  const std::int64_t rows = cut(random.below(one_of(random, sizes) + 1));
  return full_pattern(rows, 1 + random.below(once_in(random, 4) ? 40 : 6), random.bits());
}

/// A square pattern of at most `most_rows` rows, for slow oracles.
inline Pattern draw_square(Random& random, std::int64_t most_rows) {
  Pattern pattern = draw_square(random);
  while (std::ssize(pattern.rows) > most_rows) pattern = draw_square(random);
  return pattern;
}

/// A diagonally dominant matrix, so that factors exist, sweeps stay bounded, and iterations
/// converge. The diagonal is anywhere in its row; entries may repeat. A symmetric one has the
/// entries of the transpose too, and is positive definite.
template <ExecutionSpace Exec>
PlainOperator<Exec, double> draw_dominant(Random& random, const Pattern& pattern,
                                          bool symmetric = false) {
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

/// The matrix times a number, in another type.
template <Scalar S, ExecutionSpace Exec>
PlainOperator<Exec, S> times(const PlainOperator<Exec, double>& a, double scale) {
  PlainOperator<Exec, S> scaled;
  scaled.n = a.n;
  scaled.row_ptr = a.row_ptr;
  scaled.col_idx = a.col_idx;
  const auto from = to_host(a.values);
  std::vector<S> values;
  for (std::size_t e = 0; e < from.extent(0); ++e) {
    values.push_back(static_cast<S>(from(e) * scale));
  }
  scaled.values = copy_in<typename Exec::memory_space>(values);
  return scaled;
}

/// Doubles the values of the matrix, in the same pattern.
template <ExecutionSpace Exec>
void double_values(const PlainOperator<Exec, double>& a) {
  const auto values = Kokkos::create_mirror(Kokkos::HostSpace(), a.values);
  Kokkos::deep_copy(values, a.values);
  for (std::size_t e = 0; e < values.extent(0); ++e) values(e) *= 2;
  Kokkos::deep_copy(a.values, values);
}

}  // namespace heddle::test
