// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "../../core/files/read_matrix.hpp"

/// Common parts of the fuzz targets: whatever the input, a reader returns a sound matrix or throws
/// Error.
namespace fuzz {

/// Limits the memory that a few bytes of input can request.
inline constexpr std::uint64_t max_matrix_bytes = std::uint64_t{1} << 24;

inline void initialize() {
  static const bool once = [] {
    Kokkos::initialize(
        Kokkos::InitializationSettings().set_num_threads(1).set_disable_warnings(true));
    std::atexit([] { Kokkos::finalize(); });
    return true;
  }();
  static_cast<void>(once);
}

inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "a reader broke its promise: %s\n", what);
  std::abort();
}

template <class Storage>
void require_sound(const Storage& matrix) {
  const auto row_ptr = matrix.row_ptr();
  require(row_ptr(0) == 0, "row_ptr starts at 0");
  for (std::int64_t row = 0; row < matrix.rows(); ++row) {
    require(row_ptr(row) <= row_ptr(row + 1), "row_ptr never decreases");
    for (auto k = row_ptr(row); k < row_ptr(row + 1); ++k) {
      const auto column = matrix.col_idx()(k);
      require(column >= 0 && column < matrix.columns(), "columns are in range");
      require(k == row_ptr(row) || matrix.col_idx()(k - 1) < column, "columns ascend");
    }
  }
  require(row_ptr(matrix.rows()) == matrix.nonzeros(), "row_ptr ends at the nonzeros");
}

/// Runs a reader; an Error must have a place and a remedy.
template <class Read>
void expect_matrix_or_error(const Read& read) {
  try {
    require_sound(read());
  } catch (const heddle::Error& error) {
    require(!error.problem().empty() && !error.remedy().empty(), "an error says what to do");
    require(!error.where().file.empty(), "an error names the file");
  }
}

}  // namespace fuzz
