// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "inspection.hpp"
#include "rows_kernel.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of CPUs and of devices whose teams may not wait: the wavefronts of a loop over
/// rows, a row a thread.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class RowsExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Waves = Wavefronts<Exec, O>;
  using Copy = ordered::Rows<Exec, S, O, Off, triangle::DiagonalOf<S, V>, triangle::InTriangle>;
  static constexpr bool on_threads = ordered::on_threads<Exec>;

  RowsExecutor() = default;

  RowsExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : waves_(schedule(in, scheme)) {
    triangle_ = Copy(in.exec, in.T.rows(), triangle::entries_of(in.graph, waves_.place_order()),
                     in.origin, in.sums.entries, in.diagonal == Diagonal::unit);
    const bool come_later = in.T.nonzeros() > 0 && !in.T.values().data();
    if (!come_later) update_values(in.exec, in.T, nullptr);
    scheme_ = as_sptrsv(waves_.scheme());
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return waves_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + waves_.bytes(); }

  /// For who makes the values of the triangle.
  const Copy& triangle() const { return triangle_; }
  const Waves& waves() const { return waves_; }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, triangle::Reciprocals{bad_diagonal});
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    if constexpr (on_threads) {
      waves_.for_each_run(exec, "heddle::sptrsv::rows", kernel(conjugate, alpha, b, x));
    } else {
      waves_.for_each_place(exec, "heddle::sptrsv::level", kernel(conjugate, alpha, b, x));
    }
  }
  RowsKernel<S, O, Off, V, Acc> kernel(bool conjugate, Acc alpha, const Multivector<const V>& b,
                                       const Multivector<V>& x) const {
    return {triangle_.view(), conjugate, alpha, b, x};
  }

 private:
  static Waves schedule(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme) {
    WavefrontsOptions options{
        .sweep = in.graph.sweep(), .threads = in.threads, .least_gain = least_gain};
    if constexpr (on_threads) {
      if (scheme.has("sequential")) return Waves::in_order(in.exec, in.graph.rows, options.sweep);
    }
    if (in.pinned) options.scheme = as_wavefronts(scheme, in.device);
    const triangle::TriangleReads<O, Off> reads{in.graph,
                                                static_cast<std::int64_t>(in.T.nonzeros())};
    return Waves(in.exec, in.graph.rows, reads, options);
  }

  Waves waves_;
  Copy triangle_;
  Scheme scheme_;
};

}  // namespace heddle::detail::sptrsv
