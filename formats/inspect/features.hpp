// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "block_sample.hpp"
#include "pattern_features.hpp"

namespace heddle {

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
Features features_of(const Exec& exec, const CsrPattern<O, Off, Space>& A, const RowFeatures& rows,
                     Check checked) {
  return Features(
      rows,
      [exec, A, rows, checked] {
        return checked == Check::columns ? pattern_features(exec, A, rows)
                                         : pattern_features(exec, A);
      },
      [exec, A, longest = rows.longest_row](int height, int width) {
        return estimated_blocks(exec, A, height, width, longest);
      });
}

}  // namespace heddle
