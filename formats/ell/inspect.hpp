// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/launch_simd.hpp"
#include "../common/owned_executor.hpp"
#include "../common/slots/kernel.hpp"
#include "../common/slots/storage.hpp"
#include "format.hpp"

namespace heddle::detail::ell {

/// RowKernel of slots::SlotRows, on a GPU with 2^lane_bits lanes for each row, each with batches of
/// its slots in turn: for matrices with fewer rows than the device has threads.
template <class Rows>
struct SplitKernel {
  using Acc = typename Rows::Acc;
  using Scratch = slots::LaneScratch<Acc, slots::tuning.team_threads>;
  static_assert(Rows::rows_per_lane == 1);

  Rows rows;
  int lane_bits;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    using Pack = backends::Pack<Team, Acc>;
    const int rows_per_team = Team::threads >> lane_bits;
    const int lane = team.thread() / rows_per_team;
    const std::int64_t row = team.index() * rows_per_team + (team.thread() & (rows_per_team - 1));
    const bool exists = row < rows.A.rows;
    Pack sum[1][Rows::vectors];
    slots::add_up<Rows::batch>(team, rows.A.strip().from(exists ? row : 0), rows.product,
                               lane * Rows::batch, Rows::batch << lane_bits,
                               exists ? rows.A.width : 0, sum);
    const auto store = [&](int v, const Pack& total) {
      store_pack(rows.product, row, v, total, Pack::Mask::first(1));
    };
    slots::add_up_lanes(team, scratch, sum, rows.product.x.count, rows_per_team, exists, store);
  }
};

/// Runs the scheme ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, slots::tuning.most_vectors>;

  /// All parameters of `resolved` are set.
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : scheme(resolved),
        simd(*parameters.simd),
        lane_bits(std::countr_zero(static_cast<unsigned>(*parameters.lanes))),
        storage(in.exec, in.A, static_cast<int>(in.features.rows().longest_row)) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    using Rows = slots::SlotRows<Exec, slots::View<S, O>, Product<V, Acc>, Vectors>;
    using Shape = backends::Shape<1, slots::tuning.team_threads>;
    const Rows rows{storage.view(), product};
    const auto teams_of = [&](int rows_per_team) {
      return ceil_div<std::int64_t>(rows.A.rows, rows_per_team);
    };
    if constexpr (backends::has_lanes<Exec>) {
      if (lane_bits > 0) {
        backends::launch<Shape>(exec, "heddle::spmv::ell",
                                teams_of(slots::tuning.team_threads >> lane_bits),
                                SplitKernel<Rows>{rows, lane_bits});
        return true;
      }
    }
    constexpr int threads = backends::has_lanes<Exec> ? slots::tuning.team_threads : 1;
    backends::launch_simd<Shape>(exec, "heddle::spmv::ell", teams_of(Rows::rows_per_lane * threads),
                                 slots::RowKernel<Rows>{rows}, simd);
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  int lane_bits;
  slots::Storage<Exec, S, O, Off> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::ell

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> EllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::ell;
  Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<EllFormat> = true;

}  // namespace heddle
