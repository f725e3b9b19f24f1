// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/rest/launches.hpp"
#include "../common/team_sums/dot.hpp"
#include "kernel.hpp"
#include "lane_sums.hpp"

namespace heddle::detail::dia {

template <int Vectors>
inline constexpr int packs_of = Vectors == 1 ? tuning.cpu_packs : 1;

/// What adds up the rows of a lane: Batch diagonals at a time on a GPU. On a CPU packs of rows take
/// their place: their loads are in flight together.
template <ExecutionSpace Exec, int Batch, int Vectors, class View, class Product>
using Sums = std::conditional_t<backends::has_lanes<Exec>, LaneSums<View, Product, Batch, Vectors>,
                                RowSums<View, Product, Exec, packs_of<Vectors>, 1, Vectors>>;

/// y of all rows from whole diagonals, for up to VectorLanes * VectorsPerLane vectors; and with
/// what `rest` holds beside them, unless that is a NoRest. Whether there was room for the dot, if
/// one is wanted, which one vector without a rest has.
template <int Batch, int VectorLanes, int VectorsPerLane, ExecutionSpace Exec, class View,
          class Product, class Rest>
bool run(const Exec& exec, const View& view, const Product& product, bool transposed,
         const Rest& rest, backends::Simd simd,
         [[maybe_unused]] const team_sums::Dot<typename Product::accumulator_type>& dot = {}) {
  using Sums = dia::Sums<Exec, Batch, VectorLanes * VectorsPerLane, View, Product>;
  const Sums sums{view, product, transposed};
  if constexpr (std::is_same_v<Rest, rest::NoRest>) {
    constexpr int threads = backends::has_lanes<Exec> ? tuning.team_threads : 1;
    using Shape = backends::Shape<1, tuning.team_threads>;
    const std::int64_t teams =
        ceil_div<std::int64_t>(product.y.rows, Sums::rows_per_lane * threads);
    const char* const label = "heddle::spmv::dia";
    if constexpr (VectorLanes * VectorsPerLane == 1) {
      if (dot.result) {
        return team_sums::launch_with_dot<Shape>(exec, label, teams, Kernel<Sums>{sums}, product.x,
                                                 product.y, dot, simd);
      }
    }
    backends::launch_simd<Shape>(exec, label, teams, Kernel<Sums>{sums}, simd);
  } else {
    const auto collected = rest.collected();
    using Main = Kernel<Sums, std::remove_const_t<decltype(collected)>>;
    rest::launch<VectorLanes, VectorsPerLane>(exec, {"heddle::spmv::dia", "heddle::spmv::dia_rest"},
                                              rest, product, Main{sums, collected},
                                              Sums::rows_per_lane, simd);
  }
  return true;
}

/// The same for any number of vectors.
template <ExecutionSpace Exec, class View, class Product, class Rest>
void run_passes(const Exec& exec, const View& view, const Product& product, bool transposed,
                const Rest& rest, backends::Simd simd) {
  static_assert(tuning.most_vectors == 8);
  each_pass(product, tuning.most_vectors, [&](const Product& pass) {
    const auto count = pass.x.count;
    if (count > 4) return run<tuning.batch, 4, 2>(exec, view, pass, transposed, rest, simd);
    if (count > 1) return run<tuning.batch, 4, 1>(exec, view, pass, transposed, rest, simd);
    return run<tuning.batch, 1, 1>(exec, view, pass, transposed, rest, simd);
  });
}

}  // namespace heddle::detail::dia
