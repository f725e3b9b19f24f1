// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <heddle/formats/csr/row_ends.hpp>

namespace heddle::csr {

/// What an inspection found out about the rows of a matrix, for the vectors of a CPU.
struct RowHints {
  const std::uint8_t* runs = nullptr;  ///< from RowRuns, or null
  RowEnds ends = RowEnds::unforeseen;
  bool streams = false;  ///< the matrix comes from memory at every apply
};

}  // namespace heddle::csr
