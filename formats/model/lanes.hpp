// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What was learned about the lanes a row of csr/blocks on a device: docs/choose.md.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "tree.hpp"

namespace heddle {

/// What a tree is asked with, in this order: numbers of a block of rows, and of the lengths of
/// these rows (detail::csr::lane_inputs). `columns` are the matrix's.
inline constexpr std::array lane_input_names = std::to_array<std::string_view>(
    {"rows", "columns", "nonzeros", "density", "shortest_row", "longest_row", "mean_row",
     "row_variance", "longest_minus_mean", "root_of_mean", "row_variation"});

/// Trees that say how many lanes a row of a block gets: the logarithm to the base 2 that most
/// leaves name, and of those that tie the least.
struct LaneForest {
  /// A leaf names at most this: wavefronts have 64 lanes.
  static constexpr int most_bits = 6;
  static constexpr int most_trees = 255;
  std::vector<ModelTree> trees;
};

}  // namespace heddle
