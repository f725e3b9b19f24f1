// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/atomics.hpp"
#include "../../backends/launch.hpp"
#include "operands.hpp"

namespace heddle::detail::csr {

/// y += alpha * A' * x without a stored transpose: a subwarp a row scatters with atomic additions.
/// Not deterministic. The caller has scaled y by beta.
template <class Operands>
struct ScatterKernel {
  using Scratch = backends::NoScratch;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= operands.rows) return;
    const auto end = static_cast<std::int64_t>(operands.row_ptr[row + 1]);
    const auto begin = static_cast<std::int64_t>(operands.row_ptr[row]);
    for (std::int64_t at = begin + team.subwarp().lane(); at < end; at += Team::subwarp_width) {
      const auto k = static_cast<Off>(at);
      const auto value = operands.value(k);
      const auto column = operands.column(k);
      for (int c = 0; c < operands.x.count; ++c) {
        using V = std::remove_cvref_t<decltype(operands.y(0, 0))>;
        const Acc product = operands.alpha * Acc(value) * Acc(operands.x(row, c));
        backends::atomic_add(&operands.y(column, c), V(product));
      }
    }
  }
};

}  // namespace heddle::detail::csr
