// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/loops.hpp"
#include "../common/owned_executor.hpp"
#include "../common/team_sums/dot.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::blocked_ell {

/// Runs the scheme blocked-ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : scheme(resolved),
        simd(*parameters.simd),
        lane_bits(std::countr_zero(static_cast<unsigned>(*parameters.lanes))),
        storage(in.exec, in.A, std::countr_zero(static_cast<unsigned>(*parameters.slice_rows)),
                *parameters.sigma, in.promises.sorted) {}

  /// Not where slices are cut, whose sums come in a second launch.
  bool has_dot(Op) const { return storage.cut() == 0; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product,
           [[maybe_unused]] const team_sums::Dot<Acc>& dot) const {
    constexpr int batch = Vectors == 1 ? tuning.batch : tuning.multivector_batch;
    constexpr bool lanes = backends::has_lanes<Exec>;
    constexpr int width = backends::Pack<Exec, Acc>::width;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_rows / width;
    using View = blocked_ell::View<S, O>;
    const Delivery<View, Product<V, Acc>> deliver{storage.view(), product, storage.carries()};
    constexpr int threads = lanes ? tuning.team_threads : 1;
    const std::int64_t places_per_team = std::int64_t{threads >> lane_bits} * packs * width;
    const std::int64_t places = deliver.A.pieces << deliver.A.slice_bits;
    const std::int64_t teams = ceil_div(places, places_per_team);
    const char* const label = "heddle::spmv::blocked_ell";
    using Shape = backends::Shape<1, tuning.team_threads>;
    const Kernel<View, Product<V, Acc>, threads, packs, batch, Vectors> kernel{deliver, lane_bits};
    if constexpr (Vectors == 1) {
      if (dot.result) {
        return team_sums::launch_with_dot<Shape>(exec, label, teams, kernel, product.x, product.y,
                                                 dot, simd);
      }
    }
    backends::launch_simd<Shape>(exec, label, teams, kernel, simd);
    if (storage.cut() > 0) {
      finish_panels(exec, "heddle::spmv::blocked_ell_finish", storage.cut_slices(), storage.cut(),
                    storage.carries(), product, deliver);
    }
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  int lane_bits;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::blocked_ell
