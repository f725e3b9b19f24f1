// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>

#include "../../../core/multivector.hpp"
#include "../../ordered/rows.hpp"
#include "../../triangle/triangle.hpp"
#include "../../wavefronts/wavefronts.hpp"
#include "../select/choose.hpp"
#include "operands.hpp"

namespace heddle::detail::sptrsv {

/// Number of entries from which a row is added up in several independent sums.
inline constexpr int long_row = 32;

/// Returns difference - product(k) - ... - product(end - 1), computed by one thread.
template <class Acc, class Off, class Product>
KOKKOS_FORCEINLINE_FUNCTION Acc row_difference(Acc difference, Off k, Off end,
                                               const Product& product) {
  if (end - k >= long_row) {
    Acc sum[4] = {};
    for (; end - k >= 4; k += 4) {
      sum[0] += product(k);
      sum[1] += product(k + 1);
      sum[2] += product(k + 2);
      sum[3] += product(k + 3);
    }
    difference -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (; k < end; ++k) difference -= product(k);
  return difference;
}

/// x = alpha * op(T)^-1 * b, place by place. The values that a place needs are solved before it,
/// and are read from x.
template <Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
struct SolveRowsKernel {
  using D = triangle::DiagonalOf<S, V>;

  ordered::RowsView<S, O, Off, D> T;
  bool conjugate;
  Acc alpha;
  Multivector<const V> b;
  Multivector<V> x;

  /// Solves one place.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place) const {
    for (int v = 0; v < x.count; ++v) {
      if (conjugate) {
        solve<true, false>(place, place + 1, v);
      } else {
        solve<false, false>(place, place + 1, v);
      }
    }
  }

  /// Solves a run of places, in order.
  void operator()(std::int64_t first, std::int64_t stop) const {
    if constexpr (is_complex<S>) {
      if (conjugate) return solve_run<true>(first, stop);
    }
    solve_run<false>(first, stop);
  }

 private:
  static constexpr int vectors_together = 4;

  template <bool Conjugate>
  void solve_run(std::int64_t first, std::int64_t stop) const {
    const bool straight = x.row_stride == 1 && b.row_stride == 1;
    if (x.count == 1 && straight) return solve<Conjugate, true>(first, stop, 0);
    if (x.count == 1) return solve<Conjugate, false>(first, stop, 0);
    const bool beside = x.vector_stride == 1 && b.vector_stride == 1;
    for (std::int64_t place = first; place < stop; ++place) {
      int v = 0;
      for (; x.count - v >= vectors_together; v += vectors_together) {
        if (beside) {
          solve_together<Conjugate, true>(place, v);
        } else {
          solve_together<Conjugate, false>(place, v);
        }
      }
      for (; v < x.count; ++v) solve<Conjugate, false>(place, place + 1, v);
    }
  }

  template <bool Conjugate, Scalar Entry>
  KOKKOS_FORCEINLINE_FUNCTION static Acc value(const Entry& entry) {
    return Acc(Conjugate ? heddle::conjugate(entry) : entry);
  }

  /// The reciprocal of the diagonal of the place whose last entry is `end`.
  template <bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION static Acc factor(const S* values, const D* reciprocal,
                                                std::int64_t place, Off end) {
    if constexpr (ordered::RowsView<S, O, Off, D>::apart) {
      return value<Conjugate>(reciprocal[place]);
    } else {
      return value<Conjugate>(values[end]);
    }
  }

  /// Returns difference / diagonal of a place, given its reciprocal; 0: divides.
  template <bool Conjugate>
  KOKKOS_FORCEINLINE_FUNCTION V quotient(const Acc& difference, const Acc& reciprocal,
                                         std::int64_t place) const {
    if (reciprocal == Acc(0)) {
      return static_cast<V>(difference / value<Conjugate>(T.diagonal[place]));
    }
    return static_cast<V>(difference * reciprocal);
  }

  /// Solves places [first, stop) for one vector. Straight: the rows of x and b have stride 1.
  template <bool Conjugate, bool Straight>
  KOKKOS_FORCEINLINE_FUNCTION void solve(std::int64_t first, std::int64_t stop, int vector) const {
    // Local copies, which no store to x can change, so that they stay in registers.
    const Off* const row_ptr = T.row_ptr;
    const O* const col_idx = T.col_idx;
    const S* const values = T.values;
    const D* const reciprocal = T.reciprocal;
    V* const to = x.data + vector * x.vector_stride;
    const V* const from = b.data + vector * b.vector_stride;
    const std::int64_t stride = Straight ? 1 : x.row_stride, b_stride = Straight ? 1 : b.row_stride;
    const Acc scale = alpha;
    const auto product = [&](Off k) {
      return value<Conjugate>(values[k]) * Acc(to[static_cast<std::int64_t>(col_idx[k]) * stride]);
    };
    Off k = row_ptr[first];
    for (std::int64_t place = first; place < stop; ++place) {
      const Off end = row_ptr[place + 1] - 1;
      const auto row = static_cast<std::int64_t>(col_idx[end]);
      const Acc difference = row_difference(scale * Acc(from[row * b_stride]), k, end, product);
      to[row * stride] =
          quotient<Conjugate>(difference, factor<Conjugate>(values, reciprocal, place, end), place);
      k = end + 1;
    }
  }

  /// Solves one place for vectors_together vectors, from `vector` on. Beside: x and b are
  /// row-major, with vector stride 1.
  template <bool Conjugate, bool Beside>
  KOKKOS_FORCEINLINE_FUNCTION void solve_together(std::int64_t place, int vector) const {
    const std::int64_t stride = Beside ? 1 : x.vector_stride,
                       b_stride = Beside ? 1 : b.vector_stride;
    V* const to = x.data + vector * x.vector_stride;
    const Off end = T.row_ptr[place + 1] - 1;
    const auto row = static_cast<std::int64_t>(T.col_idx[end]);
    const V* const from = b.data + vector * b.vector_stride + row * b.row_stride;
    Acc difference[vectors_together];
    for (int c = 0; c < vectors_together; ++c) difference[c] = alpha * Acc(from[c * b_stride]);
    for (Off k = T.row_ptr[place]; k < end; ++k) {
      const Acc entry = value<Conjugate>(T.values[k]);
      const V* const known = to + static_cast<std::int64_t>(T.col_idx[k]) * x.row_stride;
      for (int c = 0; c < vectors_together; ++c) difference[c] -= entry * Acc(known[c * stride]);
    }
    const Acc reciprocal = factor<Conjugate>(T.values, T.reciprocal, place, end);
    V* const solved = to + row * x.row_stride;
    for (int c = 0; c < vectors_together; ++c) {
      solved[c * stride] = quotient<Conjugate>(difference[c], reciprocal, place);
    }
  }
};

/// Runs the schemes of CPUs and of devices whose teams may not wait: wavefronts of a loop over
/// rows, one thread for each row.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class RowsExecutor {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Waves = Wavefronts<Exec, O>;
  using Copy =
      ordered::StoredRows<Exec, S, O, Off, triangle::DiagonalOf<S, V>, triangle::InTriangle>;
  static constexpr bool on_threads = ordered::on_threads<Exec>;

  RowsExecutor() = default;

  RowsExecutor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme)
      : waves_(schedule(in, scheme)) {
    triangle_ =
        Copy(in.exec, in.T.rows(), triangle::entries_of(in.graph, waves_.place_order()), in.origin,
             in.sums.entries, in.diagonal == Diagonal::unit, waves_.threads_of_places());
    const bool come_later = in.T.nonzeros() > 0 && !in.T.values().data();
    if (!come_later) update_values(in.exec, in.T, nullptr);
    scheme_ = as_sptrsv(waves_.scheme());
  }

  const Scheme& scheme() const { return scheme_; }
  int levels() const { return waves_.levels(); }
  std::size_t bytes() const { return triangle_.bytes() + waves_.bytes(); }

  /// For callers that write the values of the triangle themselves.
  const Copy& triangle() const { return triangle_; }
  const Waves& waves() const { return waves_; }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    triangle_.update_values(exec, T, triangle::Reciprocals{bad_diagonal},
                            waves_.threads_of_places());
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    if constexpr (on_threads) {
      waves_.for_each_run(exec, "heddle::sptrsv::rows", kernel(conjugate, alpha, b, x));
    } else {
      waves_.for_each_place(exec, "heddle::sptrsv::level", kernel(conjugate, alpha, b, x));
    }
  }
  SolveRowsKernel<S, O, Off, V, Acc> kernel(bool conjugate, Acc alpha,
                                            const Multivector<const V>& b,
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
