// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "../../../solvers/sptrsv/options.hpp"
#include "../common/load.hpp"

namespace heddle::bench {

/// The triangle of a matrix that every contestant is given, on the host: columns of a row ascend,
/// and its diagonal is whole.
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
    store();
    count_levels();
    entries_ = {};
    ends_ = {};
  }

  const HostStorage<S, Off>& storage() const { return storage_; }
  /// Rows that must be solved one after the other.
  std::int64_t levels() const { return levels_; }
  /// Entries of the diagonal that were missing or zero, and were set: to one more than the
  /// magnitudes of the other entries of the row. None of a unit diagonal.
  std::int64_t diagonal_set() const { return diagonal_set_; }

 private:
  struct Entry {
    Index column;
    S value;
  };

  /// Entries that stand there several times are added up.
  void take_rows(const HostStorage<S, Off>& from) {
    for (Index i = 0; i < from.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      const std::size_t first = entries_.size();
      for (Off k = from.row_ptr()(row); k < from.row_ptr()(row + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const Index j = from.col_idx()(at);
        if (j != i && !detail::triangle::in_triangle(triangle_, i, j)) continue;
        entries_.push_back({j, from.values()(at)});
      }
      // So that the diagonal is there; it is added to what there is of it.
      entries_.push_back({i, S(0)});
      const auto begin = entries_.begin() + static_cast<std::ptrdiff_t>(first);
      std::stable_sort(begin, entries_.end(),
                       [](const Entry& a, const Entry& b) { return a.column < b.column; });
      auto last = begin;
      for (auto next = begin + 1; next != entries_.end(); ++next) {
        if (next->column == last->column) {
          last->value += next->value;
        } else {
          *++last = *next;
        }
      }
      entries_.erase(last + 1, entries_.end());
      ends_.push_back(entries_.size());
    }
    if (entries_.size() > static_cast<std::size_t>(std::numeric_limits<Off>::max())) {
      throw Error("the triangle has " + std::to_string(entries_.size()) + " entries",
                  "use --offset 64");
    }
  }

  std::size_t rows() const { return ends_.size(); }
  std::size_t begin_of(std::size_t row) const { return row ? ends_[row - 1] : 0; }
  std::size_t diagonal_of(std::size_t row) const {
    return triangle_ == Triangle::lower ? ends_[row] - 1 : begin_of(row);
  }

  /// Random values with which the solutions of the triangle and of its transpose stay moderate:
  /// small off the diagonal, around 1.5 on it. A diagonal that is zero stays so.
  void draw_values(std::uint64_t seed) {
    std::vector<double> longest(rows(), 0);
    for (const Entry& entry : entries_) longest[static_cast<std::size_t>(entry.column)] += 1;
    test::Random random(seed + 1);
    for (std::size_t i = 0; i < rows(); ++i) {
      const auto length = static_cast<double>(ends_[i] - begin_of(i));
      for (std::size_t k = begin_of(i); k < ends_[i]; ++k) {
        S& value = entries_[k].value;
        const S draw = random.scalar<S>();
        if (k == diagonal_of(i)) {
          if (value != S(0)) value = S(1.5) + S(0.3) * draw;
        } else {
          const double scale =
              0.6 / std::max(length, longest[static_cast<std::size_t>(entries_[k].column)]);
          value = draw * S(static_cast<RealOf<S>>(scale));
        }
      }
    }
  }

  void complete_diagonal() {
    for (std::size_t i = 0; i < rows(); ++i) {
      S& value = entries_[diagonal_of(i)].value;
      if (diagonal_ == Diagonal::unit) {
        value = S(1);
      } else if (value == S(0)) {
        RealOf<S> sum(1);
        for (std::size_t k = begin_of(i); k < ends_[i]; ++k) {
          sum += Kokkos::abs(entries_[k].value);
        }
        value = S(sum);
        ++diagonal_set_;
      }
    }
  }

  void store() {
    const Kokkos::DefaultHostExecutionSpace exec;
    const auto size = static_cast<Index>(rows());
    storage_ = HostStorage<S, Off>(exec, size, size, static_cast<Off>(entries_.size()));
    exec.fence("heddle::bench::triangle");
    storage_.row_ptr()(0) = 0;
    for (std::size_t i = 0; i < rows(); ++i) storage_.row_ptr()(i + 1) = static_cast<Off>(ends_[i]);
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      storage_.col_idx()(k) = entries_[k].column;
      storage_.values()(k) = entries_[k].value;
    }
  }

  void count_levels() {
    std::vector<std::int64_t> levels(rows(), 1);
    for (std::size_t step = 0; step < rows(); ++step) {
      const std::size_t i = triangle_ == Triangle::lower ? step : rows() - 1 - step;
      for (std::size_t k = begin_of(i); k < ends_[i]; ++k) {
        const auto j = static_cast<std::size_t>(entries_[k].column);
        if (j != i) levels[i] = std::max(levels[i], levels[j] + 1);
      }
      levels_ = std::max(levels_, levels[i]);
    }
  }

  Triangle triangle_;
  Diagonal diagonal_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_;  // of rows
  HostStorage<S, Off> storage_;
  std::int64_t levels_ = 0, diagonal_set_ = 0;
};

}  // namespace heddle::bench
