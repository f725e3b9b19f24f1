// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace heddle::test {

/// The columns of each row, in the two arrays of CSR. It reads as a list of rows, which only grows.
/// At most 12 bytes a nonzero, so that 10^8 of them fit.
class Rows {
 public:
  using Row = std::span<const std::int32_t>;

  Rows() = default;
  Rows(std::initializer_list<std::vector<std::int64_t>> rows) {
    for (const auto& row : rows) push_back(row);
  }

  /// Appends a row `times` times, with its columns in their order.
  template <class Columns>
  void push_back(const Columns& columns, int times = 1) {
    for (int time = 0; time < times; ++time) {
      for (const auto column : columns) col_idx_.push_back(static_cast<std::int32_t>(column));
      row_ptr_.push_back(static_cast<std::int64_t>(col_idx_.size()));
    }
  }
  void reserve(std::size_t rows) { row_ptr_.reserve(rows + 1); }

  std::size_t size() const { return row_ptr_.size() - 1; }
  bool empty() const { return size() == 0; }
  Row operator[](std::size_t i) const {
    return Row(col_idx_.data() + row_ptr_[i], col_idx_.data() + row_ptr_[i + 1]);
  }
  std::int64_t nonzeros() const { return row_ptr_.back(); }
  const std::vector<std::int64_t>& row_ptr() const { return row_ptr_; }
  const std::vector<std::int32_t>& col_idx() const { return col_idx_; }

  class Iterator {
   public:
    Iterator(const Rows& rows, std::size_t at) : rows_(&rows), at_(at) {}
    Row operator*() const { return (*rows_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    const Rows* rows_;
    std::size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size()}; }

  friend bool operator==(const Rows&, const Rows&) = default;

 private:
  std::vector<std::int64_t> row_ptr_{0};
  std::vector<std::int32_t> col_idx_;
};

/// The places of a matrix' nonzeros, before types and values are chosen.
struct Pattern {
  std::string name;
  std::int64_t columns = 0;
  Rows rows;

  std::int64_t nonzeros() const { return rows.nonzeros(); }
};

}  // namespace heddle::test
