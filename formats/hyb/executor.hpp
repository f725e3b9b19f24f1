// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "kernel.hpp"
#include "rest/launches.hpp"
#include "storage.hpp"

namespace heddle::detail::hyb {

/// Runs the scheme hyb: owns a copy of the matrix, in two parts.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Takes a scheme whose parameters are resolved.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, backends::Simd simd,
           const Widths& widths)
      : scheme_(scheme),
        simd_(simd),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, widths, in.device) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, tuning.vectors, [&](const Product<V, Acc>& pass) {
      if (pass.x.count == 1) return run<tuning.batch, 1, 1>(exec, pass);
      if (pass.x.count <= 4) return run<tuning.multivector_batch, 4, 1>(exec, pass);
      run<tuning.multivector_batch, 4, 2>(exec, pass);
    });
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double rows = storage_.view().slots.rows;
    const int passes = passes_over_matrix(vectors, tuning.vectors);
    return passes * (static_cast<double>(storage_.slots()) * (sizeof(S) + sizeof(O)) +
                     storage_.rest().moved_bytes()) +
           vectors * (storage_.rest().moved_bytes_per_vector() +
                      static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta)));
  }

 private:
  /// Up to VectorLanes * VectorsPerLane vectors.
  template <int Batch, int VectorLanes, int VectorsPerLane>
  void run(const Exec& exec, const Product<V, Acc>& product) const {
    constexpr bool lanes = backends::has_lanes<Exec>;
    constexpr int vectors = VectorLanes * VectorsPerLane;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || vectors > 1 ? 1 : tuning.cpu_packs;
    using RowSums =
        slots::RowSums<ell::View<S, O>, Product<V, Acc>, Exec, packs, lanes ? Batch : 1, vectors>;
    const auto collected = storage_.rest().collected();
    const SlotsKernel<RowSums, std::remove_const_t<decltype(collected)>> slots{
        RowSums{storage_.view().slots, product}, collected};
    rest::launch<VectorLanes, VectorsPerLane>(exec, {"heddle::spmv::hyb", "heddle::spmv::hyb_rest"},
                                              storage_.rest(), product, slots,
                                              RowSums::rows_per_lane, simd_);
  }

  Scheme scheme_;
  backends::Simd simd_;
  double columns_;
  Storage<Exec, S, O, Off, Acc> storage_;
};

}  // namespace heddle::detail::hyb
