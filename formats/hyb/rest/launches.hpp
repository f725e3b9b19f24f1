// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../backends/launch_simd.hpp"
#include "../../common/segments/launches.hpp"
#include "kernel.hpp"

namespace heddle::detail::hyb::rest {

/// The rest and the main part of y: in one launch where teams may wait for lower ones, else in two,
/// the rest first. Up to VectorLanes * VectorsPerLane vectors: the lanes that the rest lays side by
/// side over them; a lane of the main part holds them all, and `rows_per_lane` rows.
template <int VectorLanes, int VectorsPerLane, ExecutionSpace Exec, class Storage, Scalar V,
          Scalar Acc, class MainKernel>
void launch(const Exec& exec, const Storage& rest, const Product<V, Acc>& product,
            const MainKernel& main, int rows_per_lane, backends::Simd simd) {
  const char* const label = "heddle::spmv::hyb";
  constexpr bool lanes = backends::has_lanes<Exec>;
  using View = typename Storage::View;
  using Table = typename Storage::Table;
  using Posted = PostedSums<V, Acc, typename Storage::Mailbox>;
  const Posted posted{product.conjugate, product.x, rest.mailbox()};
  const Table& table = rest.table();
  const auto rows = static_cast<std::int64_t>(product.y.rows);
  if constexpr (lanes && Table::waits) {
    using Sums = segments::GpuSums<Exec, View, Posted, Table, VectorLanes, VectorsPerLane>;
    using Shape = typename Sums::Shape;
    const typename Sums::Kernel sums{rest.view(), posted, table};
    backends::launch_in_order<Shape>(
        exec, label,
        table.shares + ceil_div<std::int64_t>(rows, rows_per_lane * Shape::team_threads),
        Kernel<typename Sums::Kernel, MainKernel>{sums, main}, table.tickets);
  } else {
    constexpr int threads = lanes ? 256 : 1;
    segments::add_up_shares(exec, "heddle::spmv::hyb_rest", rest.view(), posted, table);
    backends::launch_simd<backends::Shape<1, threads>>(
        exec, label, ceil_div<std::int64_t>(rows, rows_per_lane * threads), main, simd);
  }
}

}  // namespace heddle::detail::hyb::rest
