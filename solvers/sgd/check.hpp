// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "../../core/error.hpp"
#include "options.hpp"

namespace heddle::detail::sgd {

/// The first rating that is of no row or column, or not finite.
template <class S, class O>
struct FirstWrong {
  const O *row, *column;
  const S* value;
  std::int64_t rows, columns;

  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& first) const {
    const bool inside = row[k] >= 0 && row[k] < rows && column[k] >= 0 && column[k] < columns;
    if (!(inside && Kokkos::isfinite(value[k])) && k < first) first = k;
  }
};

inline void check_options(const SgdOptions& options) {
  if (options.rank < 1) {
    throw Error("options.rank is " + std::to_string(options.rank), "give one or more");
  }
  if (options.block_rows < 0 || options.block_columns < 0) {
    throw Error("options.block_rows and block_columns are " + std::to_string(options.block_rows) +
                    " and " + std::to_string(options.block_columns),
                "give positive ones, or 0 for the default");
  }
  const bool sized = options.block_rows > 0 || options.block_columns > 0;
  if (sized && options.schedule != SgdSchedule::block_diagonals) {
    throw Error(std::string("options.block_rows or block_columns is set, and the schedule ") +
                    name(options.schedule) + " has no blocks",
                "leave them out, or take SgdSchedule::block_diagonals");
  }
}

/// A step of an epoch, rounded to S.
template <class S>
S checked_step(const char* name, double number) {
  const auto step = static_cast<S>(number);
  if (number >= 0 && std::isfinite(step)) return step;
  throw Error(std::string("the ") + name + " of an epoch is " + std::to_string(number),
              "give a finite number that is not negative");
}

/// Throws Error, naming an entry; waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, MemorySpace Space>
void check_ratings(const Exec& exec, const Ratings<S, O, Space>& ratings) {
  const auto most = static_cast<std::int64_t>(std::numeric_limits<O>::max());
  if (ratings.rows < 0 || ratings.columns < 0 || ratings.rows > most || ratings.columns > most) {
    throw Error("the ratings are of " + std::to_string(ratings.rows) + " rows and " +
                    std::to_string(ratings.columns) + " columns",
                "give sizes that the ordinal holds");
  }
  if (ratings.row.extent(0) != ratings.value.extent(0) ||
      ratings.column.extent(0) != ratings.value.extent(0)) {
    throw Error("there are " + std::to_string(ratings.row.extent(0)) + " rows, " +
                    std::to_string(ratings.column.extent(0)) + " columns and " +
                    std::to_string(ratings.value.extent(0)) + " values",
                "give arrays of one length");
  }
  const std::int64_t n = ratings.count();
  std::int64_t first = n;
  Kokkos::parallel_reduce("heddle::sgd::check", range_policy(exec, n),
                          FirstWrong<S, O>{ratings.row.data(), ratings.column.data(),
                                           ratings.value.data(), ratings.rows, ratings.columns},
                          Kokkos::Min<std::int64_t>(first));
  if (first < n) {
    throw Error("a rating is outside of " + std::to_string(ratings.rows) + " x " +
                    std::to_string(ratings.columns) + ", or not finite",
                Where{.entry = first}, "correct or remove it");
  }
}

}  // namespace heddle::detail::sgd
