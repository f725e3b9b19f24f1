// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/loops.hpp"
#include "../common/owned_executor.hpp"
#include "host_kernel.hpp"
#include "kernel.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::bcsr {

/// Runs a scheme bcsr/RxC: owns a copy of the matrix. Square blocks of 2, 3, 4, 6 and 8 rows are
/// known to the compiler.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, tuning.most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& asked)
      : storage(in.exec, in.A, Parameters::shape_of(asked)) {
    auto parameters = parameters_of<Parameters>(asked, in.device);
    parameters.simd = simd = parameters.loads_or_none(asked, in.device);
    const BlockShape& shape = storage.shape();
    std::int64_t most_blocks = std::max<std::int64_t>(
        tuning.least_piece, storage.blocks() / (tuning.cpu_pieces * in.device.multiprocessors));
    if (in.device.has_lanes()) {
      const double columns = static_cast<double>(storage.blocks()) * shape.columns /
                             static_cast<double>(std::max<std::int64_t>(1, storage.block_rows()));
      if (!parameters.lanes) parameters.lanes = lanes_for(shape, columns, in.device);
      lanes = *parameters.lanes;
      most_blocks =
          ceil_div(lanes / shape.rows * tuning.batch * tuning.most_batches, shape.columns);
    }
    storage.cut(in.exec, most_blocks);
    scheme = scheme_with(asked, parameters, in.device);
  }

  bool has_dot(Op) const { return false; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product, const team_sums::Dot<Acc>&) const {
    const auto [rows, columns] = storage.shape();
    const BlockSize<0, 0> any{rows, columns};
    if (rows != columns) return run<Vectors>(exec, any, product);
    switch (rows) {
      case 2: return run<Vectors>(exec, BlockSize<2, 2>(), product);
      case 3: return run<Vectors>(exec, BlockSize<3, 3>(), product);
      case 4: return run<Vectors>(exec, BlockSize<4, 4>(), product);
      case 6: return run<Vectors>(exec, BlockSize<6, 6>(), product);
      case 8: return run<Vectors>(exec, BlockSize<8, 8>(), product);
      default: return run<Vectors>(exec, any, product);
    }
  }

  template <int Vectors, class Size>
  bool run(const Exec& exec, const Size& size, const Product<V, Acc>& product) const {
    constexpr int batch = Vectors == 1 ? tuning.batch : tuning.multivector_batch;
    const auto view = storage.view(size);
    using View = std::remove_const_t<decltype(view)>;
    const Delivery<View, Product<V, Acc>> deliver{view, product, storage.pieces().carries()};
    if constexpr (backends::has_lanes<Exec>) {
      using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.team_threads>;
      const int lane_bits = std::countr_zero(static_cast<unsigned>(lanes));
      backends::launch<Shape>(exec, "heddle::spmv::bcsr",
                              ceil_div<std::int64_t>(view.pieces, tuning.team_threads >> lane_bits),
                              Kernel<View, Product<V, Acc>, batch, Vectors>{deliver, lane_bits});
    } else {
      const int shares = exec.concurrency();
      backends::launch_simd<backends::Shape<1>>(
          exec, "heddle::spmv::bcsr", shares,
          HostKernel<View, Product<V, Acc>, Exec, Vectors>{deliver, shares}, simd);
    }
    const auto& pieces = storage.pieces();
    if (pieces.counts().cut == 0) return true;
    finish_panels(exec, "heddle::spmv::bcsr_finish", pieces.cut_panels(), pieces.counts().cut,
                  pieces.carries(), product, deliver);
    return true;
  }

  Scheme scheme;
  backends::Simd simd = backends::Simd::none;
  int lanes = 1;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::bcsr
