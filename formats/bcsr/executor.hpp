// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../core/loops.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/pinned_simd.hpp"
#include "host_kernel.hpp"
#include "kernel.hpp"
#include "storage.hpp"

namespace heddle::detail::bcsr {

/// Runs a scheme bcsr/RxC: owns a copy of the matrix. Square blocks of 2, 3, 4, 6 and 8 rows are
/// known to the compiler.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme)
      : simd_(loads_or_none(scheme, in.device)),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, shape_of(scheme)) {
    const BlockShape& shape = storage_.shape();
    SchemeTerm how("simd", backends::name(simd_));
    std::int64_t most_blocks = std::max<std::int64_t>(
        tuning.least_piece, storage_.blocks() / (tuning.cpu_pieces * in.device.multiprocessors));
    if (in.device.has_lanes()) {
      const double columns = static_cast<double>(storage_.blocks()) * shape.columns /
                             static_cast<double>(std::max<std::int64_t>(1, storage_.block_rows()));
      lanes_ = lanes_of(scheme, columns, in.device);
      how = SchemeTerm("lanes", std::to_string(lanes_));
      most_blocks =
          ceil_div(lanes_ / shape.rows * tuning.batch * tuning.most_batches, shape.columns);
    }
    pieces_ = Pieces<Exec, O, Off, Acc>(in.exec, storage_.view(BlockSize<0, 0>{}).block_ptr,
                                        storage_.block_rows(), most_blocks);
    scheme_ = Scheme(scheme.format(), {scheme.terms().front(), how});
  }

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, tuning.most_vectors, [&](const Product<V, Acc>& pass) {
      const auto [rows, columns] = storage_.shape();
      if (rows != columns) return run(exec, BlockSize<0, 0>{rows, columns}, pass);
      switch (rows) {
        case 2: return run(exec, BlockSize<2, 2>(), pass);
        case 3: return run(exec, BlockSize<3, 3>(), pass);
        case 4: return run(exec, BlockSize<4, 4>(), pass);
        case 6: return run(exec, BlockSize<6, 6>(), pass);
        case 8: return run(exec, BlockSize<8, 8>(), pass);
        default: return run(exec, BlockSize<0, 0>{rows, columns}, pass);
      }
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes() + pieces_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double rows = storage_.view(BlockSize<0, 0>{}).rows;
    const int passes = passes_over_matrix(vectors, tuning.most_vectors);
    return passes * (static_cast<double>(storage_.places()) * sizeof(S) +
                     static_cast<double>(storage_.blocks()) * sizeof(O) +
                     static_cast<double>(storage_.block_rows() + 1) * sizeof(Off) +
                     pieces_.read_bytes()) +
           vectors *
               (static_cast<double>(pieces_.carries()) * storage_.shape().rows * 2 * sizeof(Acc) +
                static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta)));
  }

 private:
  template <class Size>
  void run(const Exec& exec, const Size& size, const Product<V, Acc>& product) const {
    if (product.x.count == 1) return run<tuning.batch, 1>(exec, size, product);
    run<tuning.multivector_batch, tuning.most_vectors>(exec, size, product);
  }

  template <int Batch, int Vectors, class Size>
  void run(const Exec& exec, const Size& size, const Product<V, Acc>& product) const {
    const auto view = pieces_.cut(storage_.view(size));
    using View = std::remove_const_t<decltype(view)>;
    const Delivery<View, Product<V, Acc>> deliver{view, product, pieces_.carried()};
    if constexpr (backends::has_lanes<Exec>) {
      using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning.team_threads>;
      const int lane_bits = std::countr_zero(static_cast<unsigned>(lanes_));
      backends::launch<Shape>(exec, "heddle::spmv::bcsr",
                              ceil_div<std::int64_t>(view.pieces, tuning.team_threads >> lane_bits),
                              Kernel<View, Product<V, Acc>, Batch, Vectors>{deliver, lane_bits});
    } else {
      const int shares = exec.concurrency();
      backends::launch_simd<backends::Shape<1>>(
          exec, "heddle::spmv::bcsr", shares,
          HostKernel<View, Product<V, Acc>, Exec, Vectors>{deliver, shares}, simd_);
    }
    if (pieces_.carries() == 0) return;
    parallel_for(exec, "heddle::spmv::bcsr_finish", pieces_.carries() * storage_.shape().rows,
                 FinishKernel<Delivery<View, Product<V, Acc>>>{deliver, pieces_.carries(),
                                                               pieces_.piece_of_carry()});
  }

  Scheme scheme_;
  backends::Simd simd_;
  int lanes_ = 1;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
  Pieces<Exec, O, Off, Acc> pieces_;
};

}  // namespace heddle::detail::bcsr
