// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>

#include "../../backends/cpu_traits.hpp"
#include "../../core/loops.hpp"
#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "../common/team_sums/dot.hpp"
#include "predict.hpp"
#include "storage.hpp"

namespace heddle::detail::blocked_ell {

/// Runs the scheme blocked-ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Dot = team_sums::Dot<Acc>;

  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, const Parameters& parameters,
           backends::Simd simd)
      : scheme_(scheme),
        parameters_(parameters),
        simd_(simd),
        lane_bits_(std::countr_zero(static_cast<unsigned>(parameters.lanes))),
        columns_(static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A, std::countr_zero(static_cast<unsigned>(parameters.slice_rows)),
                 parameters.sigma, in.promises.sorted) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, most_vectors, [&](const Product<V, Acc>& pass) {
      if (pass.x.count == 1) return run<tuning.batch, 1>(exec, pass, Dot());
      if (pass.x.count <= 4) return run<tuning.multivector_batch, 4>(exec, pass, Dot());
      return run<tuning.multivector_batch, most_vectors>(exec, pass, Dot());
    });
  }

  /// Not where slices are cut, whose sums come in a second launch.
  bool has_dot(Op) const override { return !storage_.cut(); }
  bool apply_dot(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
                 const Multivector<V>& y, const Dot& dot) override {
    return run<tuning.batch, 1>(exec, {conjugates(op), alpha, beta, x, y}, dot);
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const auto rows = static_cast<double>(storage_.view().rows);
    return passes_over_matrix(vectors, most_vectors) * storage_.read_bytes() +
           vectors * (storage_.carried_bytes() +
                      static_cast<double>(sizeof(V)) * (columns_ + rows * (1 + with_beta)));
  }

 private:
  /// Whether there was room for the dot, if one is wanted.
  template <int Batch, int Vectors>
  bool run(const Exec& exec, const Product<V, Acc>& product,
           [[maybe_unused]] const Dot& dot) const {
    constexpr bool lanes = backends::has_lanes<Exec>;
    constexpr int width = backends::Pack<Exec, Acc>::width;
    // On a CPU the packs take the place of the batch: their loads are in flight together.
    constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_rows / width;
    using View = blocked_ell::View<S, O>;
    const Delivery<View, Product<V, Acc>> deliver{storage_.view(), product, storage_.carries()};
    constexpr int threads = lanes ? tuning.team_threads : 1;
    const std::int64_t places_per_team = std::int64_t{threads >> lane_bits_} * packs * width;
    const std::int64_t places = deliver.A.pieces << deliver.A.slice_bits;
    const std::int64_t teams = ceil_div(places, places_per_team);
    const char* const label = "heddle::spmv::blocked_ell";
    using Shape = backends::Shape<1, tuning.team_threads>;
    const Kernel<View, Product<V, Acc>, threads, packs, lanes ? Batch : 1, Vectors> kernel{
        deliver, lane_bits_};
    if constexpr (Vectors == 1) {
      if (dot.result) {
        return team_sums::launch_with_dot<Shape>(exec, label, teams, kernel, product.x, product.y,
                                                 dot, simd_);
      }
    }
    backends::launch_simd<Shape>(exec, label, teams, kernel, simd_);
    if (storage_.cut()) {
      parallel_for(exec, "heddle::spmv::blocked_ell_finish", places,
                   FinishKernel<View, Product<V, Acc>>{deliver});
    }
    return true;
  }

  Scheme scheme_;
  Parameters parameters_;
  backends::Simd simd_;
  int lane_bits_;
  double columns_;
  Storage<Exec, S, O, Off, Acc> storage_;
};

}  // namespace heddle::detail::blocked_ell
