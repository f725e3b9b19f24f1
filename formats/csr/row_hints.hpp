// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../../backends/cpu_traits.hpp"

namespace heddle::detail::csr {

/// How a CPU goes through rows that lie in no run.
enum class RowLoop {
  row,         ///< row by row, the last nonzeros one by one: branches, but nothing done in vain
  four,        ///< four rows at a time, the last nonzeros of each under a mask
  branchless,  ///< the same with the last eight nonzeros under masks: fewer branches still
  sparse,      ///< as four, with x prefetched, for matrices whose rows are mostly empty
};

inline constexpr std::array every_row_loop = {RowLoop::row, RowLoop::four, RowLoop::branchless,
                                              RowLoop::sparse};

constexpr const char* name(RowLoop loop) {
  switch (loop) {
    case RowLoop::row: return "row";
    case RowLoop::four: return "four";
    case RowLoop::branchless: return "branchless";
    case RowLoop::sparse: return "sparse";
  }
  return "?";
}

constexpr std::optional<RowLoop> row_loop_named(std::string_view text) {
  for (const RowLoop loop : every_row_loop) {
    if (text == name(loop)) return loop;
  }
  return std::nullopt;
}

/// The names of a list of values, as a grammar takes them.
template <class Values>
std::vector<std::string> names_of(const Values& values) {
  std::vector<std::string> names;
  for (const auto value : values) names.emplace_back(name(value));
  return names;
}

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
