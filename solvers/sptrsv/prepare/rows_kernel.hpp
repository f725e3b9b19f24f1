// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/scratch.hpp"
#include "view.hpp"

namespace heddle::detail::sptrsv {

/// Places [first, stop) of a triangle, an item a place or a team a share of them, which it solves
/// one after the other. What they need was solved by earlier launches, or earlier in the share; it
/// is read from x, so entries name rows.
template <class Operands>
struct RowsKernel {
  using Scratch = backends::NoScratch;
  using O = typename Operands::ordinal_type;
  using V = typename Operands::vector_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;
  std::int64_t first, stop;
  std::int64_t shares = 1;

  /// One place.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place) const {
    for (int v = 0; v < operands.x.count; ++v) solve(place, v);
  }

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t places = stop - first;
    const std::int64_t begin = first + places * team.index() / shares;
    const std::int64_t end = first + places * (team.index() + 1) / shares;
    for (std::int64_t place = begin; place < end; ++place) (*this)(place);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void solve(std::int64_t place, int vector) const {
    const auto& T = operands.T;
    Acc sum(0);
    const auto end = T.row_ptr[place + 1];
    for (auto k = T.row_ptr[place]; k < end; ++k) {
      sum += operands.value(T.values[k]) * Acc(operands.x(T.needed[k], vector));
    }
    const O row = T.row[place];
    const Acc right = operands.right_hand_side(row, vector);
    operands.x(row, vector) =
        static_cast<V>(operands.quotient(right - sum, operands.factor(place), place));
  }
};

}  // namespace heddle::detail::sptrsv
