// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/rest/launches.hpp"
#include "kernel.hpp"

namespace heddle::detail::dia {

/// The sums that one lane keeps: of Rows rows and Batch diagonals at a time on a GPU. On a CPU the
/// packs take their place: their loads are in flight together.
template <ExecutionSpace Exec, int Rows, int Batch, int Vectors, class View, class Product>
using LaneSums = RowSums<View, Product, Exec,
                         backends::has_lanes<Exec> ? Rows : (Vectors > 1 ? 1 : tuning.cpu_packs),
                         backends::has_lanes<Exec> ? Batch : 1, Vectors>;

/// y of all rows from whole diagonals, for up to VectorLanes * VectorsPerLane vectors; and with
/// what `rest` holds beside them, unless that is a NoRest.
template <int Rows, int Batch, int VectorLanes, int VectorsPerLane, ExecutionSpace Exec, class View,
          class Product, class Rest>
void run(const Exec& exec, const View& view, const Product& product, bool transposed,
         const Rest& rest, backends::Simd simd) {
  using Sums = LaneSums<Exec, Rows, Batch, VectorLanes * VectorsPerLane, View, Product>;
  const Sums sums{view, product, transposed};
  if constexpr (std::is_same_v<Rest, rest::NoRest>) {
    using Shape = backends::Shape<1, tuning.team_threads>;
    constexpr int threads = backends::has_lanes<Exec> ? tuning.team_threads : 1;
    backends::launch_simd<Shape>(
        exec, "heddle::spmv::dia",
        ceil_div<std::int64_t>(product.y.rows, Sums::rows_per_lane * threads), Kernel<Sums>{sums},
        simd);
  } else {
    const auto collected = rest.collected();
    using Main = Kernel<Sums, std::remove_const_t<decltype(collected)>>;
    rest::launch<VectorLanes, VectorsPerLane>(exec, {"heddle::spmv::dia", "heddle::spmv::dia_rest"},
                                              rest, product, Main{sums, collected},
                                              Sums::rows_per_lane, simd);
  }
}

/// The same for any number of vectors; with one of them and no rest a lane of a GPU takes
/// `rows_per_lane` rows.
template <ExecutionSpace Exec, class View, class Product, class Rest>
void run_passes(const Exec& exec, const View& view, const Product& product, bool transposed,
                const Rest& rest, backends::Simd simd, int rows_per_lane = 1) {
  static_assert(tuning.most_vectors == 8);
  each_pass(product, tuning.most_vectors, [&](const Product& pass) {
    constexpr int batch = tuning.batch, several = tuning.multivector_batch;
    const auto count = pass.x.count;
    if (count > 4) return run<1, several, 4, 2>(exec, view, pass, transposed, rest, simd);
    if (count > 1) return run<1, several, 4, 1>(exec, view, pass, transposed, rest, simd);
    if constexpr (backends::has_lanes<Exec> && std::is_same_v<Rest, rest::NoRest>) {
      if (rows_per_lane == 2) {
        return run<2, batch / 2, 1, 1>(exec, view, pass, transposed, rest, simd);
      }
      if (rows_per_lane == 4) {
        return run<4, batch / 4, 1, 1>(exec, view, pass, transposed, rest, simd);
      }
    }
    run<1, batch, 1, 1>(exec, view, pass, transposed, rest, simd);
  });
}

}  // namespace heddle::detail::dia
