// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/loops.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "host_kernel.hpp"
#include "kernel.hpp"
#include "parameters.hpp"
#include "storage.hpp"

namespace heddle::detail::tiled {

/// Runs the scheme tiled/16: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Executor(const Inspection<Exec, Matrix>& in, const Parameters& parameters)
      : columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, parameters),
        scheme_(parameters.scheme(storage_.tiles())) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, most_vectors, [&](const Product<V, Acc>& pass) {
      if (pass.x.count == 1) return run<1>(exec, pass);
      if (pass.x.count <= 4) return run<4>(exec, pass);
      run<most_vectors>(exec, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const auto rows = static_cast<double>(storage_.view().rows);
    const int passes = passes_over_matrix(vectors, most_vectors);
    return passes * storage_.read_bytes() +
           vectors * (storage_.carried_bytes() +
                      static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta)));
  }

 private:
  template <int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product) const {
    using View = tiled::View<S, O>;
    const Delivery<View, Product<V, Acc>> deliver{storage_.view(), product, storage_.carries()};
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
    if (storage_.cut()) {
      parallel_for(exec, "heddle::spmv::tiled_finish", deliver.A.pieces * tile_size,
                   FinishKernel<View, Product<V, Acc>>{deliver});
    }
  }

  double columns_;
  Storage<Exec, S, O, Off, Acc> storage_;
  Scheme scheme_;
};

}  // namespace heddle::detail::tiled
