// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <vector>

#include "../../../solvers/sptrsv/options.hpp"
#include "../common/host_rows.hpp"

namespace heddle::bench {

/// The triangle of a matrix on the host, which every contestant solves with: columns of a row
/// ascend, and its diagonal is whole.
template <Scalar S, Offset Off>
class HostTriangle {
 public:
  HostTriangle(const Loaded<S, Off>& loaded, Triangle triangle, Diagonal diagonal,
               std::uint64_t seed)
      : triangle_(triangle), diagonal_(diagonal) {
    if (loaded.matrix.rows() != loaded.matrix.columns()) {
      throw Error("a triangular solve needs a square matrix, and this one has " +
                      std::to_string(loaded.matrix.rows()) + " rows and " +
                      std::to_string(loaded.matrix.columns()) + " columns",
                  "leave it out");
    }
    take_rows(loaded.matrix);
    if (!loaded.own_values) draw_values(seed);
    complete_diagonal();
    storage_ = stored<S, Off>(rows_, loaded.matrix.columns());
    count_levels();
    rows_ = {};
  }

  const HostStorage<S, Off>& storage() const { return storage_; }
  /// Number of rows of the longest chain of dependencies.
  std::int64_t levels() const { return levels_; }
  /// Number of diagonal entries that were missing or zero, and were set to one more than the
  /// magnitudes of the other entries of the row. 0 for a unit diagonal.
  std::int64_t diagonal_set() const { return diagonal_set_; }

 private:
  /// Extracts the rows of the triangle; repeated entries are added up.
  void take_rows(const HostStorage<S, Off>& from) {
    rows_.resize(static_cast<std::size_t>(from.rows()));
    for (Index i = 0; i < from.rows(); ++i) {
      auto& row = rows_[static_cast<std::size_t>(i)];
      for (Off k = from.row_ptr()(i); k < from.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const Index j = from.col_idx()(at);
        if (j != i && !detail::triangle::in_triangle(triangle_, i, j)) continue;
        row.emplace_back(j, from.values()(at));
      }
      row.emplace_back(i, S(0));  // so that the diagonal is there
      add_up(row);
    }
  }

  S& diagonal_of(HostRow<S>& row) const {
    return (triangle_ == Triangle::lower ? row.back() : row.front()).second;
  }

  /// Draws random values with which the solutions of the triangle and of its transpose stay
  /// moderate: small off the diagonal, around 1.5 on it. A diagonal entry of zero stays zero.
  void draw_values(std::uint64_t seed) {
    std::vector<double> longest(rows_.size(), 0);
    for (const auto& row : rows_) {
      for (const auto& entry : row) longest[static_cast<std::size_t>(entry.first)] += 1;
    }
    test::Random random(seed + 1);
    for (auto& row : rows_) {
      for (auto& [column, value] : row) {
        const S draw = random.scalar<S>();
        if (&value == &diagonal_of(row)) {
          if (value != S(0)) value = S(1.5) + S(0.3) * draw;
        } else {
          const double scale = 0.6 / std::max(static_cast<double>(row.size()),
                                              longest[static_cast<std::size_t>(column)]);
          value = draw * S(static_cast<RealOf<S>>(scale));
        }
      }
    }
  }

  void complete_diagonal() {
    for (auto& row : rows_) {
      S& value = diagonal_of(row);
      if (diagonal_ == Diagonal::unit) {
        value = S(1);
      } else if (value == S(0)) {
        RealOf<S> sum(1);
        for (const auto& entry : row) sum += Kokkos::abs(entry.second);
        value = S(sum);
        ++diagonal_set_;
      }
    }
  }

  void count_levels() {
    std::vector<std::int64_t> levels(rows_.size(), 1);
    for (std::size_t step = 0; step < rows_.size(); ++step) {
      const std::size_t i = triangle_ == Triangle::lower ? step : rows_.size() - 1 - step;
      for (const auto& entry : rows_[i]) {
        const auto j = static_cast<std::size_t>(entry.first);
        if (j != i) levels[i] = std::max(levels[i], levels[j] + 1);
      }
      levels_ = std::max(levels_, levels[i]);
    }
  }

  Triangle triangle_;
  Diagonal diagonal_;
  std::vector<HostRow<S>> rows_;
  HostStorage<S, Off> storage_;
  std::int64_t levels_ = 0, diagonal_set_ = 0;
};

}  // namespace heddle::bench
