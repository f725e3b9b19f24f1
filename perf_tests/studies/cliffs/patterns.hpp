// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "../../../core/matrix.hpp"

namespace heddle::bench {

/// A pattern whose entries are proportional to its rows, and on which a careless algorithm takes
/// quadratic time.
struct CliffPattern {
  const char* name;
  const char* description;
  /// The columns of each of n rows in ascending order, without the diagonal.
  std::vector<std::vector<std::int32_t>> (*rows)(std::int32_t n);
};

const std::vector<CliffPattern>& cliff_patterns();

using CliffStorage = CsrStorage<double, std::int32_t, std::int32_t, Kokkos::HostSpace>;

/// A square matrix with a whole diagonal, greater than the sums of the other magnitudes of its row
/// and of its column, which are 1 each: every plan can be made, and no factor breaks down.
CliffStorage make_cliff(const CliffPattern& pattern, std::int32_t rows);

}  // namespace heddle::bench
