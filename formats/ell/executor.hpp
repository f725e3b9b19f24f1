// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/slots/row_sums.hpp"
#include "kernel.hpp"
#include "storage.hpp"

namespace heddle::detail::ell {

/// Runs the scheme ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Takes a scheme whose parameters are resolved.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, backends::Simd simd, int lanes)
      : scheme_(scheme),
        simd_(simd),
        lane_bits_(std::countr_zero(static_cast<unsigned>(lanes))),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, static_cast<int>(in.features.rows().longest_row)) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, tuning.most_vectors, [&](const Product<V, Acc>& pass) {
      if (pass.x.count == 1) return run<tuning.batch, 1>(exec, pass);
      if (pass.x.count <= 4) return run<tuning.multivector_batch, 4>(exec, pass);
      run<tuning.multivector_batch, tuning.most_vectors>(exec, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double rows = storage_.view().rows;
    const int passes = passes_over_matrix(vectors, tuning.most_vectors);
    return passes * static_cast<double>(storage_.slots()) * (sizeof(O) + sizeof(S)) +
           vectors * static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta));
  }

 private:
  template <int Batch, int Vectors>
  void run(const Exec& exec, const Product<V, Acc>& product) const {
    constexpr bool lanes = backends::has_lanes<Exec>;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_packs;
    using RowSums =
        slots::RowSums<View<S, O>, Product<V, Acc>, Exec, packs, lanes ? Batch : 1, Vectors>;
    using Shape = backends::Shape<1, tuning.team_threads>;
    const RowSums rows{storage_.view(), product};
    const auto teams_of = [&](int rows_per_team) {
      return ceil_div<std::int64_t>(rows.A.rows, rows_per_team);
    };
    if constexpr (lanes) {
      if (lane_bits_ > 0) {
        return backends::launch<Shape>(exec, "heddle::spmv::ell",
                                       teams_of(tuning.team_threads >> lane_bits_),
                                       SplitKernel<RowSums>{rows, lane_bits_});
      }
    }
    constexpr int rows_per_team = RowSums::rows_per_lane * (lanes ? tuning.team_threads : 1);
    backends::launch_simd<Shape>(exec, "heddle::spmv::ell", teams_of(rows_per_team),
                                 Kernel<RowSums>{rows}, simd_);
  }

  Scheme scheme_;
  backends::Simd simd_;
  int lane_bits_;
  double columns_;
  Storage<Exec, S, O, Off> storage_;
};

}  // namespace heddle::detail::ell
