// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "sweeps.hpp"

namespace heddle::detail::csb {

/// The columns that the entries of a block span, a subwarp a block.
template <class View>
struct SpansKernel {
  using Scratch = backends::NoScratch;

  View A;
  std::int64_t blocks;
  Span* spans;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    constexpr int highest = 65535;
    const auto subwarp = team.subwarp();
    const std::int64_t block = team.index() * Team::subwarps + team.subwarp_index();
    if (block >= blocks) return;
    int before_highest = 0, last = 0;
    const auto end = static_cast<std::int64_t>(A.list_ptr[block + 1]);
    for (auto k = static_cast<std::int64_t>(A.list_ptr[block]) + subwarp.lane(); k < end;
         k += Team::subwarp_width) {
      const int column = A.local_column[k];
      before_highest = before_highest > highest - column ? before_highest : highest - column;
      last = last > column ? last : column;
    }
    const int first = highest - subwarp.max(before_highest);
    last = subwarp.max(last);
    if (subwarp.lane() == 0) spans[block] = {first, last + 1 - first};
  }
};

/// Sums over the blocks beside the diagonal; an item a block.
template <class View>
struct MirroredSumsKernel {
  using value_type = MirroredSums;

  View A;
  Heavy heavy;
  const Span* spans;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& other) const {
    sums.all += other.all;
    sums.heavy += other.heavy;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t block, value_type& sums) const {
    if (A.on_diagonal(block)) return;
    const BlockSums own{1, A.entries(block), spans[block].width};
    sums.all += own;
    if (heavy(own.entries, spans[block].width)) sums.heavy += own;
  }
};

/// The blocks in the order of block columns, and which of them become parts.
template <class View>
struct ListedBlocks {
  View A;
  std::int64_t blocks;
  Heavy heavy;
  const Span* spans;
  const typename View::offset_type* order;
};

/// Lists the parts: a scan over the places of blocks, and one more.
template <class View>
struct ListPartsKernel {
  ListedBlocks<View> listed;
  std::int64_t* part_of;
  Part* parts;
  std::int64_t* before;  ///< parts before each place, and all

  KOKKOS_FUNCTION void operator()(std::int64_t place, std::int64_t& sum, bool last) const {
    if (last) before[place] = sum;
    if (place == listed.blocks) return;
    const auto block = static_cast<std::int64_t>(listed.order[place]);
    const Span span = listed.spans[block];
    const bool diagonal = listed.A.on_diagonal(block);
    const bool is_part = !diagonal && listed.heavy(listed.A.entries(block), span.width);
    if (last) {
      part_of[block] = is_part ? sum : diagonal ? Parts::on_diagonal : Parts::by_columns;
      if (is_part) parts[sum] = {block, 0, 0, 0, span};
    }
    sum += is_part;
  }
};

struct WidestPartKernel {
  const Part* parts;
  KOKKOS_FUNCTION void operator()(std::int64_t number, int& widest) const {
    const int width = parts[number].span.width;
    widest = widest > width ? widest : width;
  }
};

/// Where the sums of each part lie: a scan over the parts.
template <class View, class Sweep>
struct PlacePartsKernel {
  View A;
  Sweep sweep;
  Part* parts;

  KOKKOS_FUNCTION void operator()(std::int64_t number, std::int64_t& sum, bool last) const {
    Part& part = parts[number];
    const std::int64_t first = piece_of(A.list_ptr[part.block]);
    const std::int64_t pieces = piece_of(A.list_ptr[part.block + 1] - 1) - first + 1;
    if (last) {
      part.first = sum;
      part.first_piece = first;
      part.pieces = pieces;
    }
    sum += pieces * part.span.width;
  }

 private:
  /// The last piece that begins at or before an entry; of those of one begin, the others are empty.
  template <class Off>
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t piece_of(Off entry) const {
    std::int64_t low = 0, high = sweep.piece_count;
    while (low + 1 < high) {
      const std::int64_t middle = low + (high - low) / 2;
      if (sweep.pieces[middle].begin <= entry) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

}  // namespace heddle::detail::csb
