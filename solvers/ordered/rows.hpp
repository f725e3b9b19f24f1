// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// Chosen entries of the rows of a matrix, in the order of places: the row at place p is entries
/// row_ptr[p] to row_ptr[p + 1], of which the last is the diagonal. That one's column is the row of
/// the matrix, and its value the reciprocal of the diagonal, as Rows::update_values makes it; but
/// where D is wider than S, reciprocals stand apart, and that value is not read.
template <Scalar S, Ordinal O, Offset Off, Scalar D = S>
struct RowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  static constexpr bool apart = !std::same_as<S, D>;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const D* diagonal;    ///< of each place; null for a diagonal of ones
  const D* reciprocal;  ///< of each place, if they stand apart

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
};

/// The same where who makes the values writes them, which are not kept `apart`.
template <Scalar S, Ordinal O, Offset Off>
struct RowsWriter {
  const Off* row_ptr;
  const O* col_idx;
  S* values;
  S* diagonal;  ///< of each place; null for a diagonal of ones
};

/// The rows of a matrix, and which of their entries are taken besides the diagonal: those for which
/// choice.has(row, column). order(place) is the row at a place.
template <Ordinal O, Offset Off, class Choice, class Order>
struct ChosenEntries {
  const Off* row_ptr;
  const O* col_idx;
  Choice choice;
  Order order;

  /// visit(k, column, chosen) of each entry k of the row at a place, which is returned.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION O each(std::int64_t place, const Visit& visit) const {
    const O i = order(place);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      visit(k, col_idx[k], choice.has(i, col_idx[k]));
    }
    return i;
  }
};

template <Ordinal O, Offset Off, class Choice, class Order>
struct CountChosen {
  ChosenEntries<O, Off, Choice, Order> from;

  KOKKOS_FUNCTION Off operator()(std::int64_t place) const {
    Off entries = 1;  // the diagonal
    from.each(place, [&](Off, O, bool chosen) { entries += chosen ? 1 : 0; });
    return entries;
  }
};

template <Ordinal O, Offset Off, class Choice, class Order>
struct CopyChosen {
  ChosenEntries<O, Off, Choice, Order> from;
  const Off* row_ptr;
  O* col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    Off to = row_ptr[place];
    const O i = from.each(place, [&](Off, O j, bool chosen) {
      if (chosen) col_idx[to++] = j;
    });
    col_idx[to] = i;
  }
};

/// Where values come from, those of the diagonal too.
template <Ordinal O, Offset Off, class Choice, class Order>
struct CopySources {
  ChosenEntries<O, Off, Choice, Order> from;
  const Off* origin;
  const Off* row_ptr;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const O i = from.order(place);
    Off to = row_ptr[place];
    from.each(place, [&](Off k, O j, bool chosen) {
      if (j == i) source[row_ptr[place + 1] - 1] = origin[k];
      if (chosen) source[to++] = origin[k];
    });
  }
};

/// Where entries went, those of the diagonal too.
template <Ordinal O, Offset Off, class Choice, class Order>
struct PlacesOfEntries {
  ChosenEntries<O, Off, Choice, Order> from;
  const Off* row_ptr;
  Off* place_of;

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const O i = from.order(place);
    Off to = row_ptr[place];
    from.each(place, [&](Off k, O j, bool chosen) {
      if (chosen) place_of[k] = to++;
      if (j == i) place_of[k] = row_ptr[place + 1] - 1;
    });
  }
};

/// The places of entries and one for the diagonal of each row, also where it is not stored. Throws
/// Error where offsets of type Off do not count them.
template <Offset Off>
std::size_t entries_with_diagonal(std::int64_t entries, std::int64_t rows) {
  const Off places = matrix_size<Off>(entries + rows, "entries, those of the diagonal among them");
  return static_cast<std::size_t>(places);
}

/// The pattern that a RowsView looks at.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class RowsPattern {
 public:
  using Space = typename Exec::memory_space;

  RowsPattern() = default;

  /// Of so many rows. Rows keep the order of their entries. `entries` are those that are chosen; a
  /// readback where they are not known. Entry k is entry origin[k] of the matrix that values come
  /// from, or k if that is null. Two allocations and two launches, or three.
  template <class Choice, class Order>
  RowsPattern(const Exec& exec, std::int64_t rows, const ChosenEntries<O, Off, Choice, Order>& from,
              const Off* origin, std::optional<std::int64_t> entries)
      : places_(rows) {
    row_ptr_memory_ =
        Arena<Space>(exec, "heddle::ordered::row_ptr", arena_array(row_ptr_, rows + 1));
    const CountChosen<O, Off, Choice, Order> count{from};
    if (entries) {
      running_sum<Off>(exec, "heddle::ordered::row_ptr", row_ptr_.data(), rows, count);
    } else {
      entries =
          running_sum_and_total(exec, "heddle::ordered::row_ptr", row_ptr_.data(), rows, count) -
          rows;
    }
    const std::size_t nnz = entries_with_diagonal<Off>(*entries, rows);
    const std::size_t sources = origin ? nnz : 0;
    memory_ = Arena<Space>(exec, "heddle::ordered::columns", arena_array(col_idx_, nnz),
                           arena_array(source_, sources));
    Kokkos::parallel_for("heddle::ordered::pattern", range_policy(exec, rows),
                         CopyChosen<O, Off, Choice, Order>{from, row_ptr_.data(), col_idx_.data()});
    if (!origin) return;
    Kokkos::parallel_for(
        "heddle::ordered::sources", range_policy(exec, rows),
        CopySources<O, Off, Choice, Order>{from, origin, row_ptr_.data(), source_.data()});
  }

  std::int64_t places() const { return places_; }
  /// Those of the diagonal among them.
  std::size_t entries() const { return col_idx_.extent(0); }
  const Off* row_ptr() const { return row_ptr_.data(); }
  const O* col_idx() const { return col_idx_.data(); }
  /// Of each entry; null in the order of the row.
  const Off* source() const { return source_.extent(0) > 0 ? source_.data() : nullptr; }
  std::size_t bytes() const { return row_ptr_memory_.bytes() + memory_.bytes(); }

 private:
  std::int64_t places_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  typename Arena<Space>::template Array<Off> row_ptr_, source_;
  typename Arena<Space>::template Array<O> col_idx_;
};

/// Of a matrix with another pattern nothing is written beyond the row.
template <Scalar S, Ordinal O, Offset Off, Scalar D, class Choice, class Last>
struct UpdateRows {
  const Off* row_ptr;
  const O* col_idx;
  const S* from;
  Choice choice;
  Last last;
  const Off* place_ptr;
  const O* place_columns;
  const Off* source;  ///< of each value at its place; null: in the order of the row
  S* values;
  D* diagonal;    ///< null for a diagonal of ones
  D* reciprocal;  ///< where they stand apart

  KOKKOS_FUNCTION void operator()(std::int64_t place) const {
    const Off end = place_ptr[place + 1] - 1;
    const O i = place_columns[end];
    Off to = place_ptr[place];
    const Off stop = source ? to : end;
    D sum(0);
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      const O j = col_idx[k];
      if (j == i) {
        sum += D(from[k]);
      } else if (to < stop && choice.has(i, j)) {
        values[to++] = from[k];
      }
    }
    for (; source && to < end; ++to) values[to] = from[source[to]];
    const D inverse = diagonal ? last(sum, i) : D(1);
    if constexpr (RowsView<S, O, Off, D>::apart) {
      reciprocal[place] = inverse;
    } else {
      values[end] = inverse;
    }
    if (diagonal) diagonal[place] = sum;
  }
};

template <Scalar S, Ordinal O, Offset Off>
struct TransposeRows {
  RowsWriter<S, O, Off> from;
  PlaceOf<O> place;  ///< of its rows
  const Off* source;
  RowsWriter<S, O, Off> to;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Off end = to.row_ptr[p + 1];
    for (Off k = to.row_ptr[p]; k < end; ++k) to.values[k] = from.values[source[k]];
    if (to.diagonal) to.diagonal[p] = from.diagonal[place(to.col_idx[end - 1])];
  }
};

/// The copy of a matrix's rows that a RowsView looks at, its diagonal in D.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D, class Choice>
class Rows {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using View = RowsView<S, O, Off, D>;

  Rows() = default;

  /// The pattern (RowsPattern), and one allocation. `unit`: the diagonal is one whatever is stored
  /// there. No values yet.
  template <class Order>
  Rows(const Exec& exec, std::int64_t rows, const ChosenEntries<O, Off, Choice, Order>& from,
       const Off* origin, std::optional<std::int64_t> entries, bool unit = false)
      : choice_(from.choice), unit_(unit), pattern_(exec, rows, from, origin, entries) {
    const auto n = static_cast<std::size_t>(rows);
    const std::size_t diagonals = unit ? 0 : n, reciprocals = View::apart ? n : 0;
    memory_ =
        Arena<Space>(exec, "heddle::ordered::values", arena_array(values_, pattern_.entries()),
                     arena_array(diagonal_, diagonals), arena_array(reciprocal_, reciprocals));
  }

  /// The values of a matrix of the same pattern, in the order of `exec`: one launch, no allocation,
  /// no wait. last(diagonal, row) is the last value of a place; of a diagonal of ones it is one.
  template <class Last>
  void update_values(const Exec& exec, const Matrix& A, const Last& last) {
    Kokkos::parallel_for(
        "heddle::ordered::values", range_policy(exec, places()),
        UpdateRows<S, O, Off, D, Choice, Last>{
            A.row_ptr().data(), A.col_idx().data(), A.values().data(), choice_, last,
            pattern_.row_ptr(), pattern_.col_idx(), pattern_.source(), values_.data(),
            unit_ ? nullptr : diagonal_.data(), reciprocal_.data()});
  }

  RowsWriter<S, O, Off> writer() const
    requires(!View::apart)
  {
    return {pattern_.row_ptr(), pattern_.col_idx(), values_.data(),
            unit_ ? nullptr : diagonal_.data()};
  }
  /// Where entry k of the matrix went, for each that is chosen or on the diagonal. One launch.
  template <class Order>
  void find_entries(const Exec& exec, const ChosenEntries<O, Off, Choice, Order>& from,
                    Off* place_of) const {
    Kokkos::parallel_for(
        "heddle::ordered::places_of_entries", range_policy(exec, places()),
        PlacesOfEntries<O, Off, Choice, Order>{from, pattern_.row_ptr(), place_of});
  }
  /// The values of the same rows before they were transposed, where they have these places, and
  /// `origin` said where entries are. One launch, no wait.
  void take_transposed(const Exec& exec, const Rows& from, const PlaceOf<O>& place) const
    requires(!View::apart)
  {
    Kokkos::parallel_for(
        "heddle::ordered::transpose", range_policy(exec, places()),
        TransposeRows<S, O, Off>{from.writer(), place, pattern_.source(), writer()});
  }

  std::int64_t places() const { return pattern_.places(); }
  /// Without those of the diagonal.
  std::int64_t entries() const {
    return static_cast<std::int64_t>(pattern_.entries()) - pattern_.places();
  }
  View view() const {
    return {pattern_.row_ptr(), pattern_.col_idx(), values_.data(),
            unit_ ? nullptr : diagonal_.data(), reciprocal_.data()};
  }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes(); }

 private:
  Choice choice_{};
  bool unit_ = true;
  RowsPattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
  typename Arena<Space>::template Array<D> diagonal_, reciprocal_;
};

}  // namespace heddle::detail::ordered
