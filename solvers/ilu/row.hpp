// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/algorithms/csr_view.hpp"
#include "../../backends/algorithms/lowest_where.hpp"
#include "../../backends/lanes.hpp"
#include "../../core/error.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"
#include "../triangle/triangle.hpp"
#include "factor_plan.hpp"
#include "pattern.hpp"

namespace heddle::detail::ilu {

/// Whether a value can be a diagonal entry of a Hermitian matrix.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_real_but_for_rounding(const S& value) {
  if constexpr (is_complex<S>) {
    using Real = heddle::RealOf<S>;
    constexpr Real rounding = 100 * Kokkos::Experimental::epsilon_v<Real>;
    return Kokkos::abs(value.imag()) <= rounding * Kokkos::abs(value.real());
  } else {
    return true;
  }
}

template <Scalar S, Ordinal O, Offset Off>
struct HasImaginaryDiagonal {
  CsrView<S, O, Off> A;

  KOKKOS_FUNCTION bool operator()(std::int64_t i) const {
    return !is_real_but_for_rounding(A.diagonal(i));
  }
};

/// Throws Error, naming the first row whose diagonal is not real. Waits, unless A is real.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void check_real_diagonal(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  if constexpr (is_complex<S>) {
    const auto rows = static_cast<std::int64_t>(A.rows());
    const std::int64_t first = lowest_where(exec, "heddle::ilu::real_diagonal", rows,
                                            HasImaginaryDiagonal<S, O, Off>{csr_view(A)});
    if (first == rows) return;
    throw Error("the diagonal entry has an imaginary part, so the matrix is not Hermitian",
                Where{.row = first}, "give a Hermitian matrix, or use an IluPlan");
  }
}

/// The pivot floor, and the lowest row with a bad pivot.
template <Scalar S>
struct Pivots {
  using Real = heddle::RealOf<S>;

  Real floor;
  std::int64_t* bad;  ///< 0, or one more than the lowest bad row (mark_bad_row)

  KOKKOS_FORCEINLINE_FUNCTION S lifted(const S& pivot) const {
    const Real size = Kokkos::abs(pivot);
    if (!(size < floor)) return pivot;
    return size > Real(0) ? pivot * S(floor / size) : S(floor);
  }
  /// The pivot of a row of LU.
  KOKKOS_FORCEINLINE_FUNCTION S of_lu(const S& value, std::int64_t row) const {
    const S pivot = lifted(value);
    if (triangle::is_bad_diagonal(pivot)) triangle::mark_bad_row(bad, row);
    return pivot;
  }
  /// L's diagonal entry: the square root of a positive pivot, or NaN.
  KOKKOS_FORCEINLINE_FUNCTION S of_cholesky(Real value, std::int64_t row) const {
    const Real pivot = value < floor && triangle::is_finite(value) ? floor : value;
    if (!(pivot > Real(0)) || !triangle::is_finite(pivot)) {
      triangle::mark_bad_row(bad, row);
      return S(Kokkos::Experimental::quiet_NaN_v<Real>);
    }
    return S(Kokkos::sqrt(pivot));
  }
};

/// The lane that works alone at a row: on a CPU, and on devices whose teams may not wait.
struct OneLane {
  static constexpr int width = 1;
  KOKKOS_FORCEINLINE_FUNCTION int lane() const { return 0; }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T broadcast(const T& value, int) const {
    return value;
  }
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T sum(const T& value) const {
    return value;
  }
  KOKKOS_FORCEINLINE_FUNCTION void sync() const {}
};

/// The entries of a row of L or U, off its diagonal.
template <Scalar S, Ordinal O>
struct RowPart {
  const O* columns;  ///< ascending
  const S* values;
  O size;
};

/// Whether the entries of the shorter row are searched for in the longer one. A merge of both costs
/// the length of the longer row, so rows that meet a full row would cost the square of its length.
template <class O>
KOKKOS_FORCEINLINE_FUNCTION bool much_longer(O longer, O shorter) {
  return longer / 8 > shorter;
}

/// visit(p, q) for every p in [first, stop) and q in [0, size) with columns[p] == others[q], both
/// ascending. One lane merges both; several lanes search for each of `others` in `columns`. If one
/// is much longer, the entries of the shorter one are searched for in it.
HEDDLE_NO_EXECUTION_CHECK
template <class Lanes, class Column, class O, class Visit>
KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, const Column* columns, O first,
                                             O stop, const Column* others, O size,
                                             const Visit& visit) {
  if (much_longer(size, static_cast<O>(stop - first))) {
    for (O p = first + static_cast<O>(lanes.lane()); p < stop; p += static_cast<O>(Lanes::width)) {
      const O q = find_column(others, O(0), size, columns[p]);
      if (q < size) visit(p, q);
    }
  } else if (Lanes::width > 1 || much_longer(static_cast<O>(stop - first), size)) {
    for (O q = static_cast<O>(lanes.lane()); q < size; q += static_cast<O>(Lanes::width)) {
      const O p = find_column(columns, first, stop, others[q]);
      if (p < stop) visit(p, q);
    }
  } else {
    O p = first, q = 0;
    while (p < stop && q < size) {
      const Column left = columns[p], right = others[q];
      if (left == right) visit(p, q);
      p += left <= right ? 1 : 0;
      q += right <= left ? 1 : 0;
    }
  }
}

/// The common columns of rows, listed for each lower entry of each row, in the order of a
/// factorization: their number, then the two places of each that search() of a row visits. Numbers
/// have two bytes, since a factorization reads them only once. Null if rows are searched.
struct Updates {
  const std::uint16_t* list = nullptr;
  const std::int64_t* begin = nullptr;  ///< begin of each row in the list
};

/// Numbers after the end of the list that are read ahead and not used.
inline constexpr std::int64_t numbers_read_ahead = 1 + 2 * 64;

/// Iterates over the updates of a row. For each lower entry the lanes divide the updates. A lane
/// loads its first one while the entry before is subtracted: the list needs no other row, so a lane
/// that has waited for a row does not wait for the list too.
template <class Lanes>
class UpdateCursor {
 public:
  KOKKOS_FORCEINLINE_FUNCTION UpdateCursor(const Lanes& lanes, const Updates& updates,
                                           std::int64_t row)
      : lanes_(lanes), next_(updates.list ? updates.list + updates.begin[row] : nullptr) {
    if (reads_ahead && listed()) ahead_ = load();
  }

  KOKKOS_FORCEINLINE_FUNCTION bool listed() const { return next_ != nullptr; }
  /// Whether this lane has an update of the next lower entry. Its places: in_row(), in_other().
  KOKKOS_FORCEINLINE_FUNCTION bool exists() const {
    return reads_ahead && listed() && lanes_.lane() < ahead_.count;
  }
  KOKKOS_FORCEINLINE_FUNCTION int in_row() const { return ahead_.in_row; }
  KOKKOS_FORCEINLINE_FUNCTION int in_other() const { return ahead_.in_other; }

  /// visit(place in row i, place in row t) for the updates of the next lower entry that exists()
  /// does not cover, divided among the lanes; then moves to the next entry.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_other(const Visit& visit) {
    const std::uint16_t* const list = next_;
    const int count = reads_ahead ? ahead_.count : list[0];
    next_ += 1 + 2 * count;
    if constexpr (reads_ahead) ahead_ = load();
    for (int e = lanes_.lane() + (reads_ahead ? Lanes::width : 0); e < count; e += Lanes::width) {
      visit(list[1 + 2 * e], list[2 + 2 * e]);
    }
  }

 private:
  static constexpr bool reads_ahead = Lanes::width > 1;
  struct Ahead {
    int count, in_row, in_other;
  };

  /// A lane that has no update reads another's, or numbers after the end of the list.
  KOKKOS_FORCEINLINE_FUNCTION Ahead load() const {
    const std::uint16_t* const mine = next_ + 2 * lanes_.lane();
    return {next_[0], mine[1], mine[2]};
  }

  const Lanes& lanes_;
  const std::uint16_t* next_;
  Ahead ahead_{};
};

/// Incomplete factors in one array, as kernels use them: L and U combined in each row, or L alone.
template <Scalar S, Ordinal O, Offset Off>
struct Factors {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  const Off* row_ptr;
  const O* col_idx;
  const Off* diagonal;  ///< index of the diagonal entry of each row
  const S* others;      ///< values of the rows that a row needs; `values` unless a sweep runs
  S* values;
  Pivots<S> pivots;
  Updates updates;

  KOKKOS_FORCEINLINE_FUNCTION S* row(O i) const { return values + row_ptr[i]; }
  KOKKOS_FORCEINLINE_FUNCTION O size(O i) const {
    return static_cast<O>(row_ptr[i + 1] - row_ptr[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> lower(O i) const {
    return part(row_ptr[i], diagonal[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> upper(O i) const {
    return part(diagonal[i] + 1, row_ptr[i + 1]);
  }
  KOKKOS_FORCEINLINE_FUNCTION const S* pivot(O i) const { return others + diagonal[i]; }

  /// visit(p, q) for each entry p of row i in [first, stop), and q of `other` in the same column.
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_common(const Lanes& lanes, O i, O first, O stop,
                                               const RowPart<S, O>& other,
                                               const Visit& visit) const {
    ilu::each_common(lanes, col_idx + row_ptr[i], first, stop, other.columns, other.size, visit);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> part(Off begin, Off end) const {
    return {col_idx + begin, others + begin, static_cast<O>(end - begin)};
  }
};

/// Row i of LU, by the lanes of a subwarp: the rows t of its lower part are subtracted one after
/// the other, each after wait(t), in the columns of the pattern. Every entry is the same sum in the
/// same order, however many lanes there are. View is Factors or SharedFactors.
///
/// Source: IKJ variant of Gaussian elimination, Y. Saad, "Iterative methods for sparse linear
/// systems", 2nd edition, algorithm 10.4.
template <class View>
struct EliminateRow {
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  View factors;

  /// visit(p, q) for each update by lower entry k of row i, in column t: entry p of row i has the
  /// column of entry q of U's row t, right of the diagonal.
  HEDDLE_NO_EXECUTION_CHECK
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Lanes& lanes, O i, O k, O t,
                                          const Visit& visit) const {
    factors.each_common(lanes, i, k + 1, factors.size(i), factors.upper(t), visit);
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const row = factors.row(i);
    const auto lower = factors.lower(i);
    UpdateCursor<Lanes> cursor(lanes, factors.updates, static_cast<std::int64_t>(i));
    for (O k = 0; k < lower.size; ++k) {
      const O t = lower.columns[k];
      const S entry = lanes.lane() == 0 ? row[k] : S(0);
      const bool exists = cursor.exists();
      const S before = exists ? row[cursor.in_row()] : S(0);
      const S* const pivot = factors.pivot(t);  // its address needs no wait
      const S* const upper = factors.upper(t).values;
      wait(t);
      const S other = exists ? upper[cursor.in_other()] : S(0);
      S multiplier(0);
      if (lanes.lane() == 0) {
        multiplier = entry / *pivot;
        row[k] = multiplier;
      }
      multiplier = lanes.broadcast(multiplier, 0);
      const auto subtract = [&](auto p, auto q) { row[p] -= multiplier * upper[q]; };
      if (cursor.listed()) {
        if (exists) row[cursor.in_row()] = before - multiplier * other;
        cursor.each_other(subtract);
      } else {
        search(lanes, i, k, t, subtract);
      }
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      row[lower.size] = factors.pivots.of_lu(row[lower.size], static_cast<std::int64_t>(i));
    }
  }
};

/// Row i of L of an incomplete Cholesky factorization, up-looking: entry (i, j) minus the product
/// of rows i and j left of column j, divided by L(j, j).
///
/// Source: Y. Saad, "Iterative methods for sparse linear systems", 2nd edition, section 10.3.2.
template <class View>
struct CholeskyRow {
  using O = typename View::ordinal_type;
  using Off = typename View::offset_type;
  using S = typename View::scalar_type;
  using Real = heddle::RealOf<S>;
  View factors;

  /// visit(p, q) for each product that entry k of row i, in column t, sums up: entry p of row i has
  /// the column of entry q of row t, left of both diagonals.
  HEDDLE_NO_EXECUTION_CHECK
  template <class Lanes, class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void search(const Lanes& lanes, O i, O k, O t,
                                          const Visit& visit) const {
    factors.each_common(lanes, i, O(0), k, factors.lower(t), visit);
  }

  template <class Lanes, class Wait>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Lanes& lanes, O i, const Wait& wait) const {
    S* const row = factors.row(i);
    const auto lower = factors.lower(i);
    UpdateCursor<Lanes> cursor(lanes, factors.updates, static_cast<std::int64_t>(i));
    Real squares(0);
    for (O k = 0; k < lower.size; ++k) {
      const O t = lower.columns[k];
      const bool exists = cursor.exists();
      const S mine = exists ? row[cursor.in_row()] : S(0);
      const S* const pivot = factors.pivot(t);
      const S* const other = factors.lower(t).values;
      wait(t);
      S product(0);
      const auto add = [&](auto p, auto q) { product += row[p] * conjugate(other[q]); };
      if (cursor.listed()) {
        if (exists) product += mine * conjugate(other[cursor.in_other()]);
        cursor.each_other(add);
      } else {
        search(lanes, i, k, t, add);
      }
      product = lanes.sum(product);
      if (lanes.lane() == 0) {
        const S entry = (row[k] - product) / *pivot;
        row[k] = entry;
        squares += squared(entry);
      }
      lanes.sync();
    }
    if (lanes.lane() == 0) {
      const S entry = row[lower.size];
      const Real rest = is_real_but_for_rounding(entry) ? real_part(entry) - squares
                                                        : Kokkos::Experimental::quiet_NaN_v<Real>;
      row[lower.size] = factors.pivots.of_cholesky(rest, static_cast<std::int64_t>(i));
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static Real squared(const S& value) {
    if constexpr (is_complex<S>) {
      return value.real() * value.real() + value.imag() * value.imag();
    } else {
      return value * value;
    }
  }
};

}  // namespace heddle::detail::ilu
