// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../../backends/launch_simd.hpp"
#include "../common/slots/row_kernel.hpp"
#include "../common/team_sums/dot.hpp"
#include "lane_sums.hpp"
#include "row_sums.hpp"
#include "tuning.hpp"

namespace heddle::detail::dia {

template <int Vectors>
inline constexpr int packs_of = Vectors == 1 ? tuning.cpu_packs : 1;

/// What adds up the rows of a lane: Batch diagonals at a time on a GPU. On a CPU packs of rows take
/// their place: their loads are in flight together.
///
/// Deterministic: a row is added up in the order of its diagonals. Holes do not touch the sum.
/// Source: Y. Saad, "Krylov subspace methods on supercomputers", SIAM J. Sci. Stat. Comput. 10,
/// 1989.
template <ExecutionSpace Exec, int Batch, int Vectors, class View, class Product>
using Sums = std::conditional_t<backends::has_lanes<Exec>, LaneSums<View, Product, Batch, Vectors>,
                                RowSums<View, Product, Exec, packs_of<Vectors>, Vectors>>;

/// y of all rows by RowKernel, for up to Vectors vectors. Whether there was room for the dot, if
/// one is wanted, which one vector has.
template <int Vectors, ExecutionSpace Exec, class View, class Product>
bool run(const Exec& exec, const View& view, const Product& product, bool transposed,
         backends::Simd simd,
         [[maybe_unused]] const team_sums::Dot<typename Product::accumulator_type>& dot = {}) {
  using Sums = dia::Sums<Exec, tuning.batch, Vectors, View, Product>;
  static_assert(tuning.row_alignment % Sums::rows_per_lane == 0,
                "the last packs of rows end in the padding");
  const Sums sums{view, product, transposed};
  constexpr int threads = backends::has_lanes<Exec> ? tuning.team_threads : 1;
  using Shape = backends::Shape<1, tuning.team_threads>;
  const std::int64_t teams = ceil_div<std::int64_t>(product.y.rows, Sums::rows_per_lane * threads);
  const char* const label = "heddle::spmv::dia";
  if constexpr (Vectors == 1) {
    if (dot.result) {
      return team_sums::launch_with_dot<Shape>(exec, label, teams, slots::RowKernel<Sums>{sums},
                                               product.x, product.y, dot, simd);
    }
  }
  backends::launch_simd<Shape>(exec, label, teams, slots::RowKernel<Sums>{sums}, simd);
  return true;
}

}  // namespace heddle::detail::dia
