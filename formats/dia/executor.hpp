// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "kernel.hpp"
#include "lane_sums.hpp"
#include "storage.hpp"

namespace heddle::detail::dia {

/// Runs the scheme dia, and every op by it: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Takes a scheme whose parameters are resolved.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, backends::Simd simd)
      : scheme_(scheme),
        simd_(simd),
        rows_and_columns_(static_cast<double>(in.A.rows()), static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, tuning.most_vectors, [&](const Product<V, Acc>& pass) {
      if (pass.x.count == 1) return run<tuning.batch, 1>(exec, op, pass);
      if (pass.x.count <= 4) return run<tuning.multivector_batch, 4>(exec, op, pass);
      run<tuning.multivector_batch, tuning.most_vectors>(exec, op, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const auto [rows, columns] = rows_and_columns_;
    const double y = transposes(op) ? columns : rows;
    const int passes = vectors > 0 ? ceil_div(vectors, tuning.most_vectors) : 1;
    return passes * (static_cast<double>(storage_.places()) * sizeof(S) +
                     static_cast<double>(storage_.view().diagonals) * sizeof(O)) +
           vectors * static_cast<double>(sizeof(V)) * (rows + columns + with_beta * y);
  }

 private:
  template <int Batch, int Vectors>
  void run(const Exec& exec, Op op, const Product<V, Acc>& product) const {
    using View = dia::View<S, O>;
    using Shape = backends::Shape<1, tuning.team_threads>;
    if constexpr (backends::has_lanes<Exec>) {
      backends::launch<Shape>(exec, "heddle::spmv::dia",
                              ceil_div<std::int64_t>(product.y.rows, tuning.team_threads),
                              LaneKernel<View, Product<V, Acc>, Batch, Vectors>{
                                  storage_.view(), product, transposes(op)});
    } else {
      // The packs take the place of the batch: their loads are in flight together.
      constexpr int packs = Vectors > 1 ? 1 : tuning.cpu_packs;
      using RowSums = dia::RowSums<View, Product<V, Acc>, Exec, packs, 1, Vectors>;
      backends::launch_simd<Shape>(
          exec, "heddle::spmv::dia", ceil_div<std::int64_t>(product.y.rows, RowSums::rows_per_lane),
          Kernel<RowSums>{RowSums{storage_.view(), product, transposes(op)}}, simd_);
    }
  }

  Scheme scheme_;
  backends::Simd simd_;
  std::pair<double, double> rows_and_columns_;
  Storage<Exec, S, O, Off> storage_;
};

}  // namespace heddle::detail::dia
