// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../backends/cpu_traits.hpp"

namespace heddle::detail::csr {

/// How a CPU goes through rows that lie in no run.
enum class RowLoop {
  row,         ///< row by row, the last nonzeros one by one: branches, but nothing done in vain
  four,        ///< four rows at a time, the last nonzeros of each under a mask
  branchless,  ///< the same with the last eight nonzeros under masks: fewer branches still
  sparse,      ///< as four, with x prefetched, for matrices whose rows are mostly empty
};

/// What the kernels of a CPU are told of the rows of a matrix, and how to run.
struct RowHints {
  backends::Simd simd = backends::Simd::none;
  RowLoop loop = RowLoop::four;
  const std::uint8_t* runs = nullptr;  ///< from RowRuns, or null
  bool prefetch = false;               ///< of the matrix, which comes from memory at every apply
  /// Two vectors of x that lie apart go one by one, for what is gained on rows would be lost.
  bool two_one_by_one = false;
};

}  // namespace heddle::detail::csr
