// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cpu_traits.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/segments/launches.hpp"
#include "kernel.hpp"
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
    const Widths& widths = storage_.widths();
    const double rows = storage_.view().slots.rows;
    constexpr double slot = sizeof(S) + sizeof(O), local_row = sizeof(typename Storage::Rest::Row);
    const double words = static_cast<double>(RowBits::words_for(storage_.view().slots.rows));
    return static_cast<double>(storage_.slots()) * slot +
           static_cast<double>(widths.rest) * (slot + local_row) +
           words * (sizeof(std::uint32_t) + sizeof(O)) +
           vectors * (static_cast<double>(widths.long_rows) * 2 * sizeof(Acc) +
                      static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta)));
  }

 private:
  using Storage = hyb::Storage<Exec, S, O, Off, Acc>;
  using RestSums = typename Storage::RestSums;
  using Posted = PostedSums<V, Acc, RestSums>;
  using RestView = coo::View<S, O, Off, typename Storage::Rest::Row>;
  using Table = typename Storage::Rest::Table;

  /// Up to VectorLanes * VectorsPerLane vectors: the lanes that the rest lays side by side over
  /// them; a lane of the slots holds them all.
  template <int Batch, int VectorLanes, int VectorsPerLane>
  void run(const Exec& exec, const Product<V, Acc>& product) const {
    constexpr bool lanes = backends::has_lanes<Exec>;
    constexpr int vectors = VectorLanes * VectorsPerLane;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || vectors > 1 ? 1 : tuning.cpu_packs;
    using RowSums =
        slots::RowSums<ell::View<S, O>, Product<V, Acc>, Exec, packs, lanes ? Batch : 1, vectors>;
    using Slots = SlotsKernel<RowSums, LongRows<O>, RestSums>;
    const auto view = storage_.view();
    const RowSums rows{view.slots, product};
    const Slots slots{rows, view.long_rows, storage_.rest_sums()};
    const Posted posted{product.conjugate, product.x, storage_.rest_sums()};
    const Table& table = storage_.rest_table();
    if constexpr (lanes && Table::waits) {
      using Sums = segments::GpuSums<Exec, RestView, Posted, Table, VectorLanes, VectorsPerLane>;
      using Both = Kernel<typename Sums::Kernel, Slots>;
      const typename Sums::Kernel rest{view.rest, posted, table};
      backends::launch_in_order<typename Sums::Shape>(
          exec, "heddle::spmv::hyb",
          table.shares + ceil_div<std::int64_t>(view.slots.rows, Sums::Shape::team_threads),
          Both{rest, slots}, table.tickets);
    } else {
      segments::add_up_shares(exec, "heddle::spmv::hyb_rest", view.rest, posted, table);
      constexpr int threads = lanes ? 256 : 1;
      backends::launch_simd<backends::Shape<1, threads>>(
          exec, "heddle::spmv::hyb",
          ceil_div<std::int64_t>(view.slots.rows, RowSums::rows_per_lane * threads), slots, simd_);
    }
  }

  Scheme scheme_;
  backends::Simd simd_;
  double columns_;
  Storage storage_;
};

}  // namespace heddle::detail::hyb
