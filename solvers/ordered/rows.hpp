// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "loop.hpp"

namespace heddle::detail::ordered {

/// Chosen entries of the rows of a matrix, in the order of places: the row at place p is entries
/// row_ptr[p] to row_ptr[p + 1]. The last is the diagonal: its column is the row of the matrix, and
/// its value the reciprocal of the diagonal, as StoredRows::update_values writes it. If D is wider
/// than S, reciprocals have an array of their own, and that value is not read.
template <Scalar S, Ordinal O, Offset Off, Scalar D = S>
struct RowsView {
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  static constexpr bool apart = !std::same_as<S, D>;

  const Off* row_ptr;
  const O* col_idx;
  const S* values;
  const D* diagonal;    ///< the diagonal of each place; null: ones
  const D* reciprocal;  ///< their reciprocals, if these have an array of their own

  KOKKOS_FORCEINLINE_FUNCTION O row(std::int64_t place) const {
    return col_idx[row_ptr[place + 1] - 1];
  }
};

/// A RowsView whose values the caller writes, with the reciprocals among them.
template <Scalar S, Ordinal O, Offset Off>
struct RowsWriter {
  const Off* row_ptr;
  const O* col_idx;
  S* values;
  S* diagonal;  ///< the diagonal of each place; null: ones
};

/// The rows of a matrix, and the predicate of the entries that are chosen besides the diagonal:
/// choice.has(row, column). order(place) is the row at a place.
template <Ordinal O, Offset Off, class Choice, class Order>
struct ChosenEntries {
  const Off* row_ptr;
  const O* col_idx;
  Choice choice;
  Order order;

  /// Calls visit(k, column, chosen) for each entry k of the row at a place; returns the row.
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

/// Writes the source of each value, those of the diagonal included.
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

/// Writes the position of each entry, those of the diagonal included.
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

/// How loops over places are shared among threads: each_place(exec, label, places, body) calls
/// body(p) for each place, in any order. InEqualShares is for lanes and for one thread;
/// ThreadsOfPlaces is for threads, which then write what they will read.
struct InEqualShares {
  template <ExecutionSpace Exec, class Body>
  void operator()(const Exec& exec, const char* label, std::int64_t places,
                  const Body& body) const {
    Kokkos::parallel_for(label, range_policy(exec, places), body);
  }
};

/// Number of entries with one for the diagonal of each row, stored or not. Throws Error if offsets
/// of type Off cannot count them.
template <Offset Off>
std::size_t entries_with_diagonal(std::int64_t entries, std::int64_t rows) {
  const Off places = matrix_size<Off>(entries + rows, "entries, those of the diagonal among them");
  return static_cast<std::size_t>(places);
}

/// The storage of the pattern of a RowsView.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class RowsPattern {
 public:
  using Space = typename Exec::memory_space;

  RowsPattern() = default;

  /// Makes the pattern of `rows` rows, which keep the order of their entries. `entries`: number of
  /// chosen ones; a readback if it is not known. Entry k is entry origin[k] of the matrix that
  /// values are read from, or k if that is null. Two allocations and two launches, or three.
  template <class Choice, class Order, class EachPlace = InEqualShares>
  RowsPattern(const Exec& exec, std::int64_t rows, const ChosenEntries<O, Off, Choice, Order>& from,
              const Off* origin, std::optional<std::int64_t> entries,
              const EachPlace& each_place = {})
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
    each_place(exec, "heddle::ordered::pattern", rows,
               CopyChosen<O, Off, Choice, Order>{from, row_ptr_.data(), col_idx_.data()});
    if (!origin) return;
    each_place(exec, "heddle::ordered::sources", rows,
               CopySources<O, Off, Choice, Order>{from, origin, row_ptr_.data(), source_.data()});
  }

  std::int64_t places() const { return places_; }
  /// Number of entries, those of the diagonal included.
  std::size_t entries() const { return col_idx_.extent(0); }
  const Off* row_ptr() const { return row_ptr_.data(); }
  const O* col_idx() const { return col_idx_.data(); }
  /// The source of each entry; null: the order of the row.
  const Off* source() const { return source_.extent(0) > 0 ? source_.data() : nullptr; }
  std::size_t bytes() const { return row_ptr_memory_.bytes() + memory_.bytes(); }

 private:
  std::int64_t places_ = 0;
  Arena<Space> row_ptr_memory_, memory_;
  typename Arena<Space>::template Array<Off> row_ptr_, source_;
  typename Arena<Space>::template Array<O> col_idx_;
};

/// Copies the values of rows; never writes beyond a row, even if the matrix has another pattern.
template <Scalar S, Ordinal O, Offset Off, Scalar D, class Choice, class Last>
struct UpdateRows {
  const Off* row_ptr;
  const O* col_idx;
  const S* from;
  Choice choice;
  Last last;
  const Off* place_ptr;
  const O* place_columns;
  const Off* source;  ///< the source of each value; null: the order of the row
  S* values;
  D* diagonal;    ///< null for a diagonal of ones
  D* reciprocal;  ///< written only if they have an array of their own

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
  PlaceOf<O> place;  ///< the place of each row in `from`
  const Off* source;
  RowsWriter<S, O, Off> to;

  KOKKOS_FUNCTION void operator()(std::int64_t p) const {
    const Off end = to.row_ptr[p + 1];
    for (Off k = to.row_ptr[p]; k < end; ++k) to.values[k] = from.values[source[k]];
    if (to.diagonal) to.diagonal[p] = from.diagonal[place(to.col_idx[end - 1])];
  }
};

/// The storage of a RowsView: a copy of a matrix's rows, with its diagonal in D.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar D, class Choice>
class StoredRows {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using View = RowsView<S, O, Off, D>;

  StoredRows() = default;

  /// Makes the pattern (RowsPattern), with one more allocation. `unit`: the diagonal is one
  /// whatever is stored there. No values yet.
  template <class Order, class EachPlace = InEqualShares>
  StoredRows(const Exec& exec, std::int64_t rows, const ChosenEntries<O, Off, Choice, Order>& from,
             const Off* origin, std::optional<std::int64_t> entries, bool unit = false,
             const EachPlace& each_place = {})
      : choice_(from.choice), unit_(unit), pattern_(exec, rows, from, origin, entries, each_place) {
    const auto n = static_cast<std::size_t>(rows);
    const std::size_t diagonals = unit ? 0 : n, reciprocals = View::apart ? n : 0;
    memory_ =
        Arena<Space>(exec, "heddle::ordered::values", arena_array(values_, pattern_.entries()),
                     arena_array(diagonal_, diagonals), arena_array(reciprocal_, reciprocals));
  }

  /// Copies the values of a matrix of the same pattern, in the order of `exec`: one launch, no
  /// allocation, no wait. last(diagonal, row) is the last value of a place; for a unit diagonal it
  /// is one.
  template <class Last, class EachPlace = InEqualShares>
  void update_values(const Exec& exec, const Matrix& A, const Last& last,
                     const EachPlace& each_place = {}) {
    each_place(exec, "heddle::ordered::values", places(),
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
  /// Writes the position of entry k of the matrix to place_of[k], if it is chosen or on the
  /// diagonal. One launch.
  template <class Order>
  void find_entries(const Exec& exec, const ChosenEntries<O, Off, Choice, Order>& from,
                    Off* place_of) const {
    Kokkos::parallel_for(
        "heddle::ordered::places_of_entries", range_policy(exec, places()),
        PlacesOfEntries<O, Off, Choice, Order>{from, pattern_.row_ptr(), place_of});
  }
  /// Copies the values from `from`, the same rows before they were transposed, whose places are
  /// `place`. Needs the `origin` of the constructor. One launch, no wait.
  void take_transposed(const Exec& exec, const StoredRows& from, const PlaceOf<O>& place) const
    requires(!View::apart)
  {
    Kokkos::parallel_for(
        "heddle::ordered::transpose", range_policy(exec, places()),
        TransposeRows<S, O, Off>{from.writer(), place, pattern_.source(), writer()});
  }

  std::int64_t places() const { return pattern_.places(); }
  /// Number of entries without those of the diagonal.
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
