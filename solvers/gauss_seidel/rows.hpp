// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

#include "../../backends/algorithms/bad_row.hpp"
#include "../../core/multivector.hpp"
#include "../../core/types.hpp"
#include "../ordered/rows.hpp"
#include "../triangle/triangle.hpp"

namespace heddle::detail::gauss_seidel {

/// Knowledge of the other side at the start of a half sweep. With T the side that it solves with, R
/// the other one, D the diagonal, and w the relaxation factor, the half sweep sets
///
///     x = (1 - w) x + w D^-1 (b - R x - T x),
///
/// where T x has values of this half sweep, and R x those of before it.
enum class Start {
  /// x was zero: x = w D^-1 (b - T x)
  zero,
  /// x came from a half sweep with R from zero: w D^-1 (b - R x) is x, x = (2 - w) x - w D^-1 T x
  one_half,
  /// R x is in `kept`
  kept,
  /// R x is summed up by the half sweep, which only a single thread may do
  rest
};

/// The vectors and numbers of a half sweep.
template <Scalar S>
struct HalfSweep {
  S omega;
  Multivector<const S> b;
  Multivector<S> x;
  /// R x before the half sweep, with Start::kept.
  Multivector<S> kept;
  /// Whether the half sweep writes T x into `kept`.
  bool keeps;

  KOKKOS_FORCEINLINE_FUNCTION HalfSweep slice(int first, int count) const {
    HalfSweep part = *this;
    part.b = b.slice(first, count);
    part.x = x.slice(first, count);
    part.kept = kept.slice(first, count);
    return part;
  }
  /// The minuend of T x, without an R x that Start::rest sums up.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S right_hand_side(O row, int vector) const {
    if constexpr (start == Start::one_half) return S(0);
    if constexpr (start == Start::kept) return b(row, vector) - kept(row, vector);
    return b(row, vector);
  }
  /// The multiple of the old x that is added to the quotient.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S share_of_old(O row, int vector) const {
    if constexpr (start == Start::zero) return S(0);
    if constexpr (start == Start::one_half) return (S(2) - omega) * x(row, vector);
    // With omega 1 the old value is not read, which may be anything.
    return omega == S(1) ? S(0) : (S(1) - omega) * x(row, vector);
  }
  /// quotient + share_of_old; the next row does not wait for an addition of zero.
  template <Start start, class O>
  KOKKOS_FORCEINLINE_FUNCTION S with_old(const S& quotient, O row, int vector) const {
    if (start == Start::zero || (start != Start::one_half && omega == S(1))) return quotient;
    return share_of_old<start>(row, vector) + quotient;
  }
};

/// omega / diagonal; zero if that or its reciprocal is not a normal number.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION S relaxed_reciprocal(const S& omega, const S& diagonal) {
  const S scaled = omega * triangle::reciprocal_or_zero(diagonal);
  return triangle::reciprocal_or_zero(scaled) == S(0) ? S(0) : scaled;
}

/// The last value of each row in ordered::StoredRows: relaxed_reciprocal. Marks a bad diagonal in
/// *bad, unless that is null (mark_bad_row).
template <Scalar S>
struct RelaxedReciprocals {
  S omega;
  std::int64_t* bad;

  template <Ordinal O>
  KOKKOS_FORCEINLINE_FUNCTION S operator()(const S& diagonal, O row) const {
    if (bad && triangle::is_bad_diagonal(diagonal)) triangle::mark_bad_row(bad, row);
    return relaxed_reciprocal(omega, diagonal);
  }
};

/// omega * difference / diagonal, given the relaxed reciprocal of the place.
template <class View, Scalar S>
KOKKOS_FORCEINLINE_FUNCTION S relaxed_quotient(const View& view, const S& difference,
                                               const S& reciprocal, const S& omega,
                                               std::int64_t place) {
  if (reciprocal == S(0)) return omega * (difference / view.diagonal[place]);
  return difference * reciprocal;
}

inline constexpr int vectors_together = 4;
/// Entries from which a row is summed up in several partial sums.
inline constexpr int long_row = 32;

/// Product of entries [k, end) with one vector x.
template <Scalar S, Ordinal O, Offset Off>
KOKKOS_FORCEINLINE_FUNCTION S row_sum(const O* col_idx, const S* values, const S* x,
                                      std::int64_t stride, Off k, Off end) {
  const auto product = [&](Off e) {
    return values[e] * x[static_cast<std::int64_t>(col_idx[e]) * stride];
  };
  S rest(0);
  if (end - k >= long_row) {
    S sum[4] = {};
    for (; end - k >= 4; k += 4) {
      sum[0] += product(k);
      sum[1] += product(k + 1);
      sum[2] += product(k + 2);
      sum[3] += product(k + 3);
    }
    rest = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
  for (; k < end; ++k) rest += product(k);
  return rest;
}

/// Adds the product of entries [k, end) with `vectors_together` vectors from `vector` on to `sum`.
template <class View, class X>
KOKKOS_FORCEINLINE_FUNCTION void row_sums(const View& view, const X& x, int vector,
                                          typename View::offset_type k,
                                          typename View::offset_type end,
                                          typename View::scalar_type (&sum)[vectors_together]) {
  const auto* const first = x.data + vector * x.vector_stride;
  for (; k < end; ++k) {
    const auto entry = view.values[k];
    const auto* const known = first + static_cast<std::int64_t>(view.col_idx[k]) * x.row_stride;
    for (int v = 0; v < vectors_together; ++v) sum[v] += entry * known[v * x.vector_stride];
  }
}

/// A half sweep over rows, place by place. The rows that a place depends on were solved before, so
/// all values are read from x. `rest` is the other side, for Start::rest.
template <Scalar S, Ordinal O, Offset Off, Start start>
struct SweepRowsKernel {
  using View = ordered::RowsView<S, O, Off>;
  View view;
  View rest;
  HalfSweep<S> pass;

  /// Solves for one place.
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place) const {
    int v = 0;
    for (; pass.x.count - v >= vectors_together; v += vectors_together) solve_together(place, v);
    for (; v < pass.x.count; ++v) solve<false>(place, place + 1, v);
  }
  /// Solves for places first, ..., stop - 1, one after the other.
  void operator()(std::int64_t first, std::int64_t stop) const {
    const bool straight =
        pass.x.row_stride == 1 && pass.b.row_stride == 1 && pass.kept.row_stride == 1;
    if (pass.x.count == 1 && straight) return solve<true>(first, stop, 0);
    for (std::int64_t place = first; place < stop; ++place) (*this)(place);
  }

 private:
  template <bool Straight>
  KOKKOS_FORCEINLINE_FUNCTION void solve(std::int64_t first, std::int64_t stop, int vector) const {
    // Copies stay in registers, since no store to x can change them.
    const Off* const row_ptr = view.row_ptr;
    const O* const col_idx = view.col_idx;
    const S* const values = view.values;
    HalfSweep<S> part = pass.slice(vector, 1);
    if constexpr (Straight) part.x.row_stride = part.b.row_stride = part.kept.row_stride = 1;
    const std::int64_t stride = Straight ? 1 : part.x.row_stride;
    const bool keeps = part.keeps;
    Off k = row_ptr[first];
    for (std::int64_t place = first; place < stop; ++place) {
      const Off end = row_ptr[place + 1] - 1;
      const O row = col_idx[end];
      S right = part.template right_hand_side<start>(row, 0);
      if constexpr (start == Start::rest) {
        right -= row_sum(rest.col_idx, rest.values, part.x.data, stride, rest.row_ptr[place],
                         rest.row_ptr[place + 1] - 1);
      }
      S sum(0), difference = right;
      if (end - k >= long_row) {
        sum = row_sum(col_idx, values, part.x.data, stride, k, end);
        difference -= sum;
      } else {
        // Only one product and one difference wait for the value solved last, and no sum.
        for (; k < end; ++k) {
          const S product = values[k] * part.x.data[static_cast<std::int64_t>(col_idx[k]) * stride];
          difference -= product;
          sum += product;
        }
      }
      const S quotient = relaxed_quotient(view, difference, values[end], part.omega, place);
      part.x(row, 0) = part.template with_old<start>(quotient, row, 0);
      if (keeps) part.kept(row, 0) = sum;
      k = end + 1;
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void solve_together(std::int64_t place, int vector) const {
    const Off end = view.row_ptr[place + 1] - 1;
    const O row = view.col_idx[end];
    S other[vectors_together] = {}, sum[vectors_together] = {};
    if constexpr (start == Start::rest) {
      row_sums(rest, pass.x, vector, rest.row_ptr[place], rest.row_ptr[place + 1] - 1, other);
    }
    row_sums(view, pass.x, vector, view.row_ptr[place], end, sum);
    const S reciprocal = view.values[end];
    for (int v = 0; v < vectors_together; ++v) {
      const int c = vector + v;
      const S right = pass.template right_hand_side<start>(row, c) - other[v];
      const S quotient = relaxed_quotient(view, right - sum[v], reciprocal, pass.omega, place);
      pass.x(row, c) = pass.template with_old<start>(quotient, row, c);
      if (pass.keeps) pass.kept(row, c) = sum[v];
    }
  }
};

/// to = this side times pass.x; or the residual b - A x, with pass.kept the other side times x.
/// Does not wait.
template <Scalar S, Ordinal O, Offset Off, bool residual>
struct SideKernel {
  ordered::RowsView<S, O, Off> view;
  HalfSweep<S> pass;
  Multivector<S> to;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const Off end = view.row_ptr[place + 1] - 1;
    const O row = view.col_idx[end];
    const Multivector<S>& x = pass.x;
    int v = 0;
    for (; x.count - v >= vectors_together; v += vectors_together) {
      S sum[vectors_together] = {};
      row_sums(view, x, v, view.row_ptr[place], end, sum);
      for (int i = 0; i < vectors_together; ++i) finish(place, row, v + i, sum[i]);
    }
    for (; v < x.count; ++v) {
      finish(place, row, v,
             row_sum(view.col_idx, view.values, x.data + v * x.vector_stride, x.row_stride,
                     view.row_ptr[place], end));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void finish(std::int64_t place, O row, int v, const S& sum) const {
    if constexpr (residual) {
      to(row, v) = pass.b(row, v) - pass.kept(row, v) - sum - view.diagonal[place] * pass.x(row, v);
    } else {
      to(row, v) = sum;
    }
  }
};

/// The order in which a sweep visits rows: ascending, or by rank.
template <Ordinal O>
struct RowOrder {
  const O* rank = nullptr;  ///< rank of each row; null: ascending order
  const O* row = nullptr;   ///< row of each rank

  KOKKOS_FORCEINLINE_FUNCTION O rank_of(O i) const { return rank ? rank[i] : i; }
  KOKKOS_FORCEINLINE_FUNCTION O row_at(O r) const { return row ? row[r] : r; }
  /// Whether a forward sweep visits row i before row j.
  KOKKOS_FORCEINLINE_FUNCTION bool before(O i, O j) const { return rank_of(i) < rank_of(j); }
};

/// The entries of a row that a half sweep solves with, besides the diagonal: forward those of rows
/// before it in the order, backward those of rows after it.
template <Ordinal O>
struct Side {
  RowOrder<O> order;
  bool forward;

  KOKKOS_FORCEINLINE_FUNCTION bool has(O i, O j) const {
    return forward ? order.before(j, i) : order.before(i, j);
  }
};

/// A matrix, and a side of it.
template <Scalar S, Ordinal O, Offset Off>
struct SideOf {
  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  Side<O> side;
};
template <class Matrix, Ordinal O>
SideOf<typename Matrix::scalar_type, O, typename Matrix::offset_type> side_of(const Matrix& A,
                                                                              const Side<O>& side) {
  return {A.row_ptr().data(), A.col_idx().data(), A.values().data(), side};
}

/// The ranks that the iteration of rank r reads, for Wavefronts.
template <Ordinal O, Offset Off>
struct SideReads {
  const Off* row_ptr;
  const O* col_idx;
  Side<O> side;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(O r, const Visit& visit) const {
    const O i = side.order.row_at(r);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      if (side.has(i, j)) visit(side.order.rank_of(j));
    }
  }
};

/// The row at each place of a schedule.
template <Ordinal O>
struct RowAtPlace {
  ordered::PlaceOrder<O> places;
  RowOrder<O> order;

  KOKKOS_FORCEINLINE_FUNCTION O operator()(std::int64_t place) const {
    return order.row_at(places(place));
  }
};

/// The entries that a half sweep solves with, in its order.
template <Ordinal O, Offset Off, class Pattern>
ordered::ChosenEntries<O, Off, Side<O>, RowAtPlace<O>> entries_of(const Pattern& A,
                                                                  const Side<O>& side,
                                                                  const RowAtPlace<O>& rows) {
  return {A.row_ptr().data(), A.col_idx().data(), side, rows};
}

/// The copy of a side, and the kernels of its half sweeps.
template <ExecutionSpace Exec, class Matrix>
class SideRows {
 public:
  using matrix_type = Matrix;
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using View = ordered::RowsView<S, O, Off>;
  /// The matrix that a schedule and a copy are made from.
  using Source = Matrix;
  /// Whether HandOverKernel can run them.
  static constexpr bool are_rows = true;

  SideRows() = default;

  /// Makes the pattern without values. Allocates, and waits for `exec`, for the number of entries.
  SideRows(const Exec& exec, const Source& A, const Side<O>& side, const RowAtPlace<O>& rows)
      : rows_(exec, A.rows(), entries_of<O, Off>(A, side, rows), nullptr, std::nullopt) {}

  /// Copies the values of A: ordered::StoredRows::update_values.
  void update_values(const Exec& exec, const Matrix& A, heddle::RealOf<S> omega,
                     std::int64_t* bad_diagonal) {
    rows_.update_values(exec, A, RelaxedReciprocals<S>{S(omega), bad_diagonal});
  }

  /// use(the kernel of a half sweep); `rest` is the other side in the same order, for Start::rest.
  template <Start start, class Use>
  void with_sweep(const View& rest, const HalfSweep<S>& pass, const Use& use) const {
    use(SweepRowsKernel<S, O, Off, start>{view(), rest, pass});
  }
  /// use(the kernel of this side times x, or of the residual).
  template <bool residual, class Use>
  void with_side(const HalfSweep<S>& pass, const Multivector<S>& to, const Use& use) const {
    use(SideKernel<S, O, Off, residual>{view(), pass, to});
  }

  std::int64_t places() const { return rows_.places(); }
  /// Number of entries without the diagonal.
  std::int64_t entries() const { return rows_.entries(); }
  View view() const { return rows_.view(); }
  std::size_t bytes() const { return rows_.bytes(); }

 private:
  ordered::StoredRows<Exec, S, O, Off, S, Side<O>> rows_;
};

}  // namespace heddle::detail::gauss_seidel
