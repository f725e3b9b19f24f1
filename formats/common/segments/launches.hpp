// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "../finish_kernel.hpp"
#include "host_kernel.hpp"
#include "share_kernel.hpp"
#include "tuning.hpp"

namespace heddle::detail::segments {

/// The kernel that adds up the shares of a GPU for up to VectorLanes * VectorsPerLane vectors, and
/// the shape that it is launched in.
template <ExecutionSpace Exec, class View, class Target, class Table, int VectorLanes,
          int VectorsPerLane>
struct GpuSums {
  using Acc = typename Target::accumulator_type;
  static constexpr GpuTuning tuning = gpu_tuning<backends::Tag<Exec>>;
  using Kernel = ShareKernel<View, Target, Table, tuning.threads, tuning.items(sizeof(Acc)),
                             VectorLanes, VectorsPerLane>;
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.threads,
                                Kernel::one_vector ? tuning.teams_resident
                                                   : tuning.multivector_teams_resident>;
};

/// Vectors that one launch of add_up_shares takes.
template <ExecutionSpace Exec>
inline constexpr int vectors_at_once =
    backends::has_lanes<Exec> ? vectors_per_launch<Exec> : cpu_tuning<backends::Tag<Exec>>.vectors;

/// The sums of all rows go to `target`, of at most vectors_at_once vectors: a team a share, and a
/// second launch where teams may not wait for each other.
template <ExecutionSpace Exec, class View, class Target, class Table>
void add_up_shares(const Exec& exec, const char* label, const View& A, const Target& target,
                   const Table& table) {
  const auto launch = [&]<class Shape, class Kernel>(Shape, const Kernel& kernel) {
    launch_shares_and_finish<Shape>(exec, label, target, table, kernel);
  };
  if constexpr (backends::has_lanes<Exec>) {
    const auto launch_for =
        [&]<int Lanes, int PerLane>(std::integer_sequence<int, Lanes, PerLane>) {
          using Sums = GpuSums<Exec, View, Target, Table, Lanes, PerLane>;
          launch(typename Sums::Shape(), typename Sums::Kernel{A, target, table});
        };
    const int vectors = target.x.count;
    if (vectors == 1) return launch_for(std::integer_sequence<int, 1, 1>());
    if (vectors <= 4) return launch_for(std::integer_sequence<int, 4, 1>());
    if (vectors <= 8) return launch_for(std::integer_sequence<int, 4, 2>());
    if (vectors <= 16) return launch_for(std::integer_sequence<int, 8, 2>());
    launch_for(std::integer_sequence<int, 8, 4>());
  } else {
    using Shape = backends::Shape<1>;
    if (target.x.count == 1) {
      return launch(Shape(), HostShareKernel<View, Target, Table, 1>{A, target, table});
    }
    launch(Shape(), HostShareKernel<View, Target, Table, vectors_at_once<Exec>>{A, target, table});
  }
}

}  // namespace heddle::detail::segments
