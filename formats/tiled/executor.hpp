// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../common/owned_executor.hpp"
#include "host_kernel.hpp"
#include "kernel.hpp"
#include "parameters.hpp"
#include "storage.hpp"

namespace heddle::detail::tiled {

/// Runs the scheme tiled/16: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked)
      : Runs(in, asked, parameters_of<Parameters>(asked, in.device)) {}

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    using View = tiled::View<S, O>;
    const Delivery<View, Product<V, Acc>> deliver{storage.view(), product, storage.carries()};
    if constexpr (backends::has_lanes<Exec>) {
      using Shape = backends::Shape<2 * tile_size, tuning.team_threads>;
      backends::launch<Shape>(
          exec, "heddle::spmv::tiled",
          ceil_div<std::int64_t>(deliver.A.pieces, tuning.team_threads / Shape::subwarp_width),
          Kernel<View, Product<V, Acc>, tuning.batch, Vectors>{deliver});
    } else {
      const int shares = exec.concurrency();
      backends::launch<backends::Shape<1>>(
          exec, "heddle::spmv::tiled", shares,
          HostKernel<View, Product<V, Acc>, Vectors>{deliver, shares});
    }
    if (storage.cut() > 0) {
      finish_panels(exec, "heddle::spmv::tiled_finish", storage.cut_tile_rows(), storage.cut(),
                    storage.carries(), product, deliver);
    }
    return true;
  }

  Storage<Exec, S, O, Off, Acc> storage;
  Scheme scheme;

 private:
  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked, Parameters parameters)
      : storage(in.exec, in.A, parameters, in.device) {
    parameters.piece = parameters.piece_tiles(storage.tiles(), in.device);
    scheme = scheme_with(asked, parameters, in.device);
  }
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::tiled
