// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/execution_check.hpp"
#include "../ordered/rows.hpp"
#include "row.hpp"

namespace heddle::detail::ilu {

/// The rows of a triangle in the arrays that a solve on a CPU reads.
template <Scalar S, Ordinal O, Offset Off>
struct SolvedRows {
  ordered::RowsWriter<S, O, Off> triangle;
  ordered::PlaceOf<O> place;

  KOKKOS_FORCEINLINE_FUNCTION RowPart<S, O> operator()(O i) const {
    const auto p = static_cast<std::int64_t>(place(i));
    const Off begin = triangle.row_ptr[p];
    return {triangle.col_idx + begin, triangle.values + begin,
            static_cast<O>(triangle.row_ptr[p + 1] - begin - 1)};
  }
  KOKKOS_FORCEINLINE_FUNCTION const S* diagonal(O i) const { return triangle.diagonal + place(i); }

  /// The row off its diagonal, and what RowsWriter has for last.
  KOKKOS_FORCEINLINE_FUNCTION void write(O i, const S* from, const S& last) const {
    const auto p = static_cast<std::int64_t>(place(i));
    const Off begin = triangle.row_ptr[p], end = triangle.row_ptr[p + 1] - 1;
    for (Off k = begin; k < end; ++k) triangle.values[k] = from[k - begin];
    triangle.values[end] = last;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write_with_diagonal(O i, const S* from, const S& value) const {
    triangle.diagonal[place(i)] = value;
    write(i, from, triangle::reciprocal_or_zero(value));
  }
};

/// What Factors are, where each row is made in room of its thread and then written where the solves
/// read it: so a row is read and written once, and no copy of the factors stands beside.
template <Scalar S, Ordinal O, Offset Off, bool Cholesky>
struct SharedFactors {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  SolvedRows<S, O, Off> lower, upper;  ///< of Cholesky factors `lower` alone
  Pivots<S> pivots;
  Updates updates;
  S* room;   ///< for a row
  O* marks;  ///< of the columns of the row that is made: which entry that is, else -1

  KOKKOS_FORCEINLINE_FUNCTION S* row(O) const { return room; }
  KOKKOS_FORCEINLINE_FUNCTION O size(O i) const {
    return lower(i).size + 1 + (Cholesky ? O(0) : upper(i).size);
  }
  KOKKOS_FORCEINLINE_FUNCTION const S* pivot(O i) const {
    return Cholesky ? lower.diagonal(i) : upper.diagonal(i);
  }

  /// Row i is marked, and other's columns lie where [first, stop) does.
  HEDDLE_NO_EXECUTION_CHECK
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void each_common(const OneLane&, O i, O first, O stop,
                                               const RowPart<S, O>& other,
                                               const Visit& visit) const {
    if (much_longer(other.size, static_cast<O>(stop - first))) {
      for (O p = first; p < stop; ++p) {
        const O q = find_column(other.columns, O(0), other.size, column(i, p));
        if (q < other.size) visit(p, q);
      }
    } else {
      for (O q = 0; q < other.size; ++q) {
        const O p = marks[other.columns[q]];
        if (p >= 0) visit(p, q);
      }
    }
  }
  /// Marks the columns of row i, or takes the marks away again.
  KOKKOS_FORCEINLINE_FUNCTION void mark(O i, bool set) const {
    const auto left = lower(i);
    for (O k = 0; k < left.size; ++k) marks[left.columns[k]] = set ? k : O(-1);
    if constexpr (!Cholesky) {
      const auto right = upper(i);
      marks[i] = set ? left.size : O(-1);
      for (O k = 0; k < right.size; ++k) {
        marks[right.columns[k]] = set ? left.size + 1 + k : O(-1);
      }
    }
  }
  /// Where solves read it.
  KOKKOS_FORCEINLINE_FUNCTION void write(O i) const {
    const S* const pivot = room + lower(i).size;
    if constexpr (Cholesky) {
      lower.write_with_diagonal(i, room, *pivot);
    } else {
      lower.write(i, room, S(1));
      upper.write_with_diagonal(i, pivot + 1, *pivot);
    }
  }

 private:
  /// Of entry p of row i.
  KOKKOS_FORCEINLINE_FUNCTION O column(O i, O p) const {
    const auto left = lower(i);
    if (p < left.size) return left.columns[p];
    if constexpr (Cholesky) {
      return i;
    } else {
      return p == left.size ? i : upper(i).columns[p - left.size - 1];
    }
  }
};

/// Makes the rows at places first, ..., stop - 1, one after the other, in the room of thread `me`.
template <class Row, class LoadRow>
struct MakeRows {
  using S = typename Row::S;
  using O = typename Row::O;
  Row row;  ///< with the room of thread 0
  LoadRow load;
  heddle::RealOf<S> of_diagonal;  ///< what the diagonal of A is multiplied by
  ordered::PlaceOrder<O> order;
  std::size_t room, marks;  ///< of a thread; no marks where updates are listed

  KOKKOS_FORCEINLINE_FUNCTION void operator()(int me, std::int64_t first, std::int64_t stop) const {
    Row mine = row;
    auto& factors = mine.factors;
    factors.room += static_cast<std::size_t>(me) * room;
    factors.marks += static_cast<std::size_t>(me) * marks;
    for (std::int64_t place = first; place < stop; ++place) {
      const O i = order(place);
      load(i, factors.size(i), factors.room);
      factors.room[factors.lower(i).size] *= of_diagonal;
      if (marks > 0) factors.mark(i, true);
      mine(OneLane(), i, [](O) {});
      if (marks > 0) factors.mark(i, false);
      factors.write(i);
    }
  }
};

}  // namespace heddle::detail::ilu
