// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "error.hpp"
#include "multivector.hpp"

namespace heddle::detail {

template <class Matrix>
void check_square(const Matrix& A, const char* what) {
  if (std::cmp_equal(A.rows(), A.columns())) return;
  throw Error(std::string("the matrix of ") + what + " is " + std::to_string(A.rows()) + " x " +
                  std::to_string(A.columns()),
              "give a square matrix");
}

/// A hash of the row pointer and of the columns in their order; none if patterns are not compared.
using PatternKey = std::optional<std::uint64_t>;

/// Throws Error if the matrix with the new values differs in size from the inspected one.
template <class Matrix>
void check_same_size(const char* called, const Matrix& A, std::int64_t rows, std::int64_t columns,
                     std::int64_t nonzeros) {
  if (std::cmp_equal(A.rows(), rows) && std::cmp_equal(A.columns(), columns) &&
      std::cmp_equal(A.nonzeros(), nonzeros)) {
    return;
  }
  const auto shape = [](std::int64_t m, std::int64_t n, std::int64_t entries) {
    return std::to_string(m) + " x " + std::to_string(n) + " with " + std::to_string(entries) +
           " entries";
  };
  throw Error(std::string(called) + " was given a matrix of " +
                  shape(A.rows(), A.columns(), static_cast<std::int64_t>(A.nonzeros())) +
                  ", and the plan is for " + shape(rows, columns, nonzeros),
              "make a new plan when the pattern changes");
}

}  // namespace heddle::detail
