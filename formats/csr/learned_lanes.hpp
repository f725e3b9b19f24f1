// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../backends/lanes.hpp"
#include "../../backends/launch.hpp"
#include "../../core/arena.hpp"
#include "../model/lanes.hpp"
#include "row_blocks.hpp"

namespace heddle::detail::csr {

/// What the trees of a LaneForest are asked with: lane_input_names.
struct LaneInputs {
  double of[lane_input_names.size()];
};

/// Of a block of `rows` rows, 1 at least, whose lengths have this sum, sum of squares, least and
/// greatest value.
KOKKOS_INLINE_FUNCTION LaneInputs lane_inputs(double rows, double columns, double nonzeros,
                                              double squares, double shortest, double longest) {
  const double mean = nonzeros / rows;
  const double spread = (rows * squares - nonzeros * nonzeros) / (rows * rows);
  const double variance = spread > 0 ? spread : 0;
  const double density = columns > 0 ? nonzeros / (rows * columns) : 0;
  const double variation = mean > 0 ? Kokkos::sqrt(variance) / mean : 0;
  return {{rows, columns, nonzeros, density, shortest, longest, mean, variance, longest - mean,
           Kokkos::sqrt(mean), variation}};
}

/// Eight bits for what is named by 0, 1, ... trees each; so many of them fit.
using LaneVotes = std::uint64_t;
static_assert(8 * (LaneForest::most_bits + 1) <= 64 && LaneForest::most_trees < 256);

KOKKOS_INLINE_FUNCTION int most_votes(LaneVotes votes) {
  int best = 0;
  for (int bits = 1; bits <= LaneForest::most_bits; ++bits) {
    if ((votes >> 8 * bits & 255) > (votes >> 8 * best & 255)) best = bits;
  }
  return best;
}

/// A subwarp a block: its lanes look at rows, and then at trees.
template <Ordinal O, Offset Off>
struct LearnedLanesKernel {
  using Scratch = backends::NoScratch;
  static constexpr int width = 32;
  static constexpr int threads = 256;

  const Off* row_ptr;
  double columns;
  std::int64_t blocks;
  const O* first;
  const ModelNode* nodes;
  const int* trees;  ///< where each begins
  int count;
  std::uint8_t* lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t block = team.index() * Team::subwarps + team.subwarp_index();
    if (block >= blocks) return;
    const O begin = first[block], end = first[block + 1];
    double squares = 0;
    std::int64_t longest = 0, shortfall = 0;
    const auto whole = static_cast<std::int64_t>(row_ptr[end] - row_ptr[begin]);
    for (std::int64_t row = begin + std::int64_t{subwarp.lane()}; row < end;
         row += Team::subwarp_width) {
      const auto length = static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]);
      squares += static_cast<double>(length) * static_cast<double>(length);
      longest = longest < length ? length : longest;
      shortfall = shortfall < whole - length ? whole - length : shortfall;
    }
    const LaneInputs inputs =
        lane_inputs(static_cast<double>(end - begin), columns, static_cast<double>(whole),
                    subwarp.sum(squares), static_cast<double>(whole - subwarp.max(shortfall)),
                    static_cast<double>(subwarp.max(longest)));
    LaneVotes votes = 0;
    for (int i = subwarp.lane(); i < count; i += Team::subwarp_width) {
      const auto bits = static_cast<int>(leaf_value(nodes + trees[i], inputs.of));
      votes += LaneVotes{1} << 8 * bits;
    }
    votes = subwarp.sum(votes);
    if (subwarp.lane() == 0) lane_bits[block] = static_cast<std::uint8_t>(most_votes(votes));
  }
};

/// Writes what a forest says of each block: copies it to the device, and waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
void learn_lanes(const Exec& exec, const LaneForest& forest, const Off* row_ptr, O columns,
                 const RowBlockTable<O, Off>& table, std::uint8_t* lane_bits) {
  using Space = typename Exec::memory_space;
  std::vector<ModelNode> nodes;
  std::vector<int> trees;
  for (const ModelTree& tree : forest.trees) {
    trees.push_back(static_cast<int>(nodes.size()));
    nodes.insert(nodes.end(), tree.begin(), tree.end());
  }
  Arena<Space> arena(exec, "heddle::spmv::csr_forest",
                     arena_bytes<ModelNode, int>(nodes.size(), trees.size()));
  const auto copied = [&]<class T>(const std::vector<T>& from) {
    const auto to = arena.template take<T>(from.size());
    Kokkos::deep_copy(kokkos_space(exec), to,
                      Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                          from.data(), from.size()));
    return to.data();
  };
  using Kernel = LearnedLanesKernel<O, Off>;
  const Kernel kernel{
      row_ptr,       static_cast<double>(columns),   table.blocks, table.first, copied(nodes),
      copied(trees), static_cast<int>(trees.size()), lane_bits};
  constexpr int blocks_per_team = backends::has_lanes<Exec> ? Kernel::threads / Kernel::width : 1;
  backends::launch<backends::Shape<Kernel::width, Kernel::threads>>(
      exec, "heddle::spmv::csr_learned_lanes",
      ceil_div<std::int64_t>(table.blocks, blocks_per_team), kernel);
  exec.fence("heddle::spmv::csr_forest_read");
}

}  // namespace heddle::detail::csr
