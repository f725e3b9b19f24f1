// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "../pattern.hpp"

namespace heddle::test {

/// Builds a pattern row by row; the columns of a row may be added in any order, and repeated.
class RowWriter {
 public:
  RowWriter(std::int64_t rows, std::int64_t columns) {
    pattern_.columns = columns;
    pattern_.rows.reserve(static_cast<std::size_t>(rows));
  }
  void add(std::int64_t column) {
    if (column >= 0 && column < pattern_.columns) row_.push_back(static_cast<std::int32_t>(column));
  }
  void end_row() {
    std::sort(row_.begin(), row_.end());
    row_.erase(std::unique(row_.begin(), row_.end()), row_.end());
    pattern_.rows.push_back(row_);
    row_.clear();
  }
  Pattern take() { return std::move(pattern_); }

 private:
  Pattern pattern_;
  std::vector<std::int32_t> row_;
};

}  // namespace heddle::test
