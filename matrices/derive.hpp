// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "../backends/algorithms/counting_sort.hpp"
#include "../backends/algorithms/each_entry.hpp"
#include "../backends/algorithms/sort.hpp"
#include "../backends/loops.hpp"
#include "../core/matrix.hpp"
#include "../core/partition.hpp"
#include "../formats/inspect/check_csr.hpp"

namespace heddle {

namespace detail {

/// Values of a matrix that another is derived from, and their factor.
template <Scalar S>
struct Source {
  const S* values = nullptr;
  std::int64_t stride = 1;  ///< from one value to the next
  S factor = S(1);
  bool conjugated = false;

  /// A factor of 1 is not multiplied, so that infinite values stay unchanged; with a factor of 0
  /// nothing is read.
  KOKKOS_FORCEINLINE_FUNCTION S operator()(std::int64_t k) const {
    if (factor == S(0)) return S(0);
    const S value = conjugated ? conjugate(values[k * stride]) : values[k * stride];
    return factor == S(1) ? value : factor * value;
  }
};

/// No source entry.
template <Offset Off>
inline constexpr Off no_source = static_cast<Off>(-1);

/// The source entries that each entry of a derived matrix sums up. With `other_source` they are at
/// most one entry of each matrix. Without it they are a list, whose entries from `ones` on belong
/// to the other matrix; entries of each matrix are added up in their order, separately, so that the
/// order of the two matrices does not matter.
template <Scalar S, Offset Off>
struct Sources {
  const Off* first;  ///< null: one source for each entry
  const Off* source;
  const Off* other_source;
  std::int64_t ones;
  Source<S> one, other;

  KOKKOS_FORCEINLINE_FUNCTION S term(std::int64_t place) const {
    const auto from = static_cast<std::int64_t>(source[place]);
    return from < ones ? one(from) : other(from - ones);
  }
  KOKKOS_FORCEINLINE_FUNCTION S sum(std::int64_t begin, std::int64_t end) const {
    if (begin == end) return S(0);
    S sum = term(begin);
    for (std::int64_t place = begin + 1; place < end; ++place) sum += term(place);
    return sum;
  }
  /// use(sum of `one`, sum of `other`, whether `one` has entries, whether `other` has).
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION auto with_sums(std::int64_t k, const Use& use) const {
    if (other_source) {
      const bool has_one = source[k] != no_source<Off>;
      const bool has_other = other_source[k] != no_source<Off>;
      return use(has_one ? one(static_cast<std::int64_t>(source[k])) : S(0),
                 has_other ? other(static_cast<std::int64_t>(other_source[k])) : S(0), has_one,
                 has_other);
    }
    const std::int64_t begin = first ? static_cast<std::int64_t>(first[k]) : k;
    const std::int64_t end = first ? static_cast<std::int64_t>(first[k + 1]) : k + 1;
    std::int64_t middle = begin;
    while (middle < end && static_cast<std::int64_t>(source[middle]) < ones) ++middle;
    return use(sum(begin, middle), sum(middle, end), begin < middle, middle < end);
  }
};

template <Scalar S>
struct SumFactors {
  S one = S(1), other = S(1);
};

template <Scalar S, Offset Off>
struct PutSums {
  Sources<S, Off> sources;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    to[k] = sources.with_sums(k, [](const S& one, const S& other, bool has_one, bool has_other) {
      return !has_other ? one : !has_one ? other : one + other;
    });
  }
};

/// The part of a derived matrix that depends on patterns alone.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
struct Derivation {
  CsrStorage<S, O, Off, Space> storage;
  Arena<Space> kept, repeats;
  Off* first = nullptr;
  Off* source = nullptr;
  Off* other_source = nullptr;

  Derivation() = default;
  /// Allocates a matrix with one source for each entry, or with one of each of two matrices.
  template <ExecutionSpace Exec>
  Derivation(const Exec& exec, O rows, O columns, std::int64_t entries, bool of_two = false)
      : storage(exec, rows, columns, entries) {
    kept = Arena<Space>(exec, "heddle::matrix::sources", arena_array(source, entries),
                        arena_array(other_source, of_two ? entries : 0));
    if (!of_two) other_source = nullptr;
  }

  Sources<S, Off> sources(std::int64_t ones, const Source<S>& one, const Source<S>& other) const {
    return {first, source, other_source, ones, one, other};
  }
  std::size_t bytes() const { return storage.bytes() + kept.bytes() + repeats.bytes(); }
};

inline void check_entries(std::int64_t given, std::int64_t expected) {
  if (given == expected) return;
  throw Error("there are " + std::to_string(given) + " new values for a matrix derived from " +
                  std::to_string(expected),
              "give values of the same pattern, or derive anew");
}

}  // namespace detail

/// A matrix made from the entries of one or two others: a transpose, a submatrix, a sum, or
/// assembled triplets. It owns its arrays. For each entry it stores the source entries that it sums
/// up, so new values need one pass. A handle: copies share the memory. docs/matrices.md
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class DerivedCsr {
 public:
  using Space = typename Exec::memory_space;
  using Storage = CsrStorage<S, O, Off, Space>;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// An empty matrix, to be assigned to.
  DerivedCsr() = default;

  /// The borrowed matrix for other functions; valid while this object or a copy lives, so
  /// temporaries have none.
  Matrix matrix() const& { return made_.storage.matrix(); }
  Matrix matrix() const&& = delete;
  /// The matrix that owns its arrays, without the map to source entries.
  const Storage& storage() const& { return made_.storage; }
  Storage storage() const&& { return made_.storage; }
  O rows() const { return made_.storage.rows(); }
  O columns() const { return made_.storage.columns(); }
  Off nonzeros() const { return made_.storage.nonzeros(); }
  /// Device memory that it holds, in bytes.
  std::size_t bytes() const { return made_.bytes(); }

  /// Copies the values of A, which has the pattern of the matrix that this one was derived from.
  /// One launch in the order of `exec`: no wait, no allocation. Entries are added up in their order
  /// in A. Throws Error if the number of entries differs, or if this is a sum of two matrices;
  /// another pattern is not detected.
  template <MemorySpace From>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    update(exec, A.values().data(), 1);
  }
  /// Computes the values of a sum of two matrices: one.factor * A + other.factor * B.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, const CsrMatrix<S, O, Off, From>& A,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    detail::check_entries(static_cast<std::int64_t>(B.nonzeros()), others_);
    update(exec, A.values().data(), 1, B.values().data());
  }
  /// Computes alpha * A + beta * B; copies of this handle get the new factors too.
  template <MemorySpace From, MemorySpace FromB>
  void update_values(const Exec& exec, S alpha, const CsrMatrix<S, O, Off, From>& A, S beta,
                     const CsrMatrix<S, O, Off, FromB>& B) {
    detail::check_entries(static_cast<std::int64_t>(A.nonzeros()), ones_);
    detail::check_entries(static_cast<std::int64_t>(B.nonzeros()), others_);
    factors_->one = alpha;
    factors_->other = beta;
    update_values(exec, A, B);
  }
  /// Copies the values of triplets, in the order in which they were given: a View of rank 1 that
  /// `exec` can access, of any stride.
  template <VectorView Values>
  void update_values(const Exec& exec, const Values& values) {
    static_assert(std::same_as<typename Values::non_const_value_type, S> && Values::rank() == 1,
                  "one value of the matrix's type for each entry");
    detail::check_entries(static_cast<std::int64_t>(values.extent(0)), ones_);
    update(exec, values.data(), static_cast<std::int64_t>(values.stride(0)));
  }

  /// Constructor for functions that derive a matrix.
  DerivedCsr(detail::Derivation<S, O, Off, Space> made, std::int64_t ones, std::int64_t others,
             const detail::Source<S>& one, const detail::Source<S>& other, bool twice)
      : made_(std::move(made)),
        ones_(ones),
        others_(others),
        one_(one),
        other_(other),
        factors_(std::make_shared<Factors>(Factors{one.factor, other.factor})),
        twice_(twice) {}

 private:
  using Factors = detail::SumFactors<S>;

  /// Uses the values of one matrix; for both sources if they are the same matrix.
  void update(const Exec& exec, const S* ones, std::int64_t stride) {
    if (!twice_ && others_ > 0) {
      throw Error("a sum of two matrices was given new values of one", "give both");
    }
    update(exec, ones, stride, ones);
  }
  void update(const Exec& exec, const S* ones, std::int64_t stride, const S* others) {
    detail::Source<S> one = one_, other = other_;
    one.values = ones;
    other.values = others;
    one.stride = stride;
    other.stride = twice_ ? stride : 1;
    one.factor = factors_->one;
    other.factor = factors_->other;
    detail::parallel_for(
        exec, "heddle::matrix::values", static_cast<std::int64_t>(nonzeros()),
        detail::PutSums<S, Off>{made_.sources(ones_, one, other), made_.storage.values().data()});
  }

  detail::Derivation<S, O, Off, Space> made_;
  std::int64_t ones_ = 0;
  std::int64_t others_ = 0;
  detail::Source<S> one_, other_;
  std::shared_ptr<Factors> factors_ = std::make_shared<Factors>();  ///< shared by copies
  bool twice_ = false;  ///< whether both sources are one matrix
};

}  // namespace heddle

namespace heddle::detail {

/// Counts entries with a lower column than the entry before, or if `strict` an equal one.
template <Ordinal O, Offset Off>
struct CountDescents {
  const Off* row_ptr;
  const O* col_idx;
  bool strict;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k,
                                              std::int64_t& descents) const {
    if (k == static_cast<std::int64_t>(row_ptr[row])) return;
    descents += strict ? col_idx[k] <= col_idx[k - 1] : col_idx[k] < col_idx[k - 1];
  }
};

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t count_descents(const Exec& exec, const CsrPattern<O, Off, Space>& A, bool strict) {
  return sum_entries<std::int64_t>(
      exec, "heddle::matrix::order", A.row_ptr().data(), A.rows(),
      static_cast<std::int64_t>(A.nonzeros()),
      CountDescents<O, Off>{A.row_ptr().data(), A.col_idx().data(), strict});
}

}  // namespace heddle::detail

// Repeated entries, added up.

namespace heddle::detail {

/// 1 for each entry that is the first of its place, else 0.
template <Ordinal O, Offset Off>
struct MarkPlaces {
  const Off* row_ptr;
  const O* col_idx;
  Off* marks;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    marks[k] = k == static_cast<std::int64_t>(row_ptr[row]) || col_idx[k] != col_idx[k - 1] ? 1 : 0;
  }
};

template <Ordinal O, Offset Off>
struct PutPlaces {
  const Off* place;  ///< exclusive prefix sum of the marks
  const O* from;
  O* col_idx;
  Off* first;
  std::int64_t entries;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k < entries && place[k + 1] == place[k]) return;
    first[place[k]] = static_cast<Off>(k);
    if (k < entries) col_idx[place[k]] = from[k];
  }
};

/// Makes one entry of those of each place, in rows whose columns ascend. Returns whether any were
/// repeated; the values have to be set then. Waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
bool merge_repeats(const Exec& exec, Derivation<S, O, Off, Space>& made) {
  const CsrStorage<S, O, Off, Space> all = made.storage;
  const auto A = all.matrix();
  if (count_descents(exec, A, true) == 0) return false;
  const auto entries = static_cast<std::int64_t>(A.nonzeros());
  const O* const columns = A.col_idx().data();
  Off* place = nullptr;
  const Arena<Space> work(exec, "heddle::matrix::places", arena_array(place, entries + 1));
  each_entry(exec, "heddle::matrix::mark_places", A.row_ptr().data(), A.rows(), entries,
             MarkPlaces<O, Off>{A.row_ptr().data(), columns, place});
  const std::int64_t places =
      running_sum_and_total(exec, "heddle::matrix::places", place, entries, Terms<Off>{place});
  made.storage = CsrStorage<S, O, Off, Space>(exec, A.rows(), A.columns(), places);
  made.repeats = Arena<Space>(exec, "heddle::matrix::repeats", arena_array(made.first, places + 1));
  gather(exec, "heddle::matrix::row_ptr", made.storage.row_ptr().data(), std::int64_t{A.rows()} + 1,
         place, A.row_ptr().data());
  parallel_for(
      exec, "heddle::matrix::put_places", entries + 1,
      PutPlaces<O, Off>{place, columns, made.storage.col_idx().data(), made.first, entries});
  exec.fence("heddle::matrix::merged");
  return true;
}

}  // namespace heddle::detail

// Matrices from lists of entries, which are sorted by row and column.

namespace heddle::detail {

/// Options for lists of entries.
struct Listing {
  bool add_up = false;          ///< entries of one place become one
  bool columns_ascend = false;  ///< the list has ascending columns
  bool check = true;            ///< check the matrix that is listed
};

template <Ordinal O>
struct CountKept {
  const O* row_of;
  O rows;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& kept) const {
    kept += row_of[i] < rows;
  }
};

/// The entries of a list that are kept, with their columns as keys and their rows as items.
template <Ordinal O>
struct ListedByColumn {
  const O* row_of;
  const O* column_of;
  O rows;

  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION void walk(std::int64_t begin, std::int64_t end,
                                        const Visit& visit) const {
    for (std::int64_t k = begin; k < end; ++k) {
      if (row_of[k] < rows) visit(k, column_of[k], row_of[k]);
    }
  }
};

/// Writes the column of an entry, and the number that it has in the list.
template <Ordinal O, Offset Off>
struct PutListed {
  O* col_idx;
  Off* source;
  const Off* number;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, O column, std::int64_t k) const {
    col_idx[place] = column;
    source[place] = number[k];
  }
};

/// Sorts a list of `count` entries on the threads of a CPU: by column, then by row, both stable.
template <Scalar S, Offset Off, ExecutionSpace Exec, Ordinal O>
auto sort_by_counting(const Exec& exec, O rows, O columns, std::int64_t count, const O* row_of,
                      const O* column_of) {
  Off *col_ptr = nullptr, *number = nullptr;
  O* row_idx = nullptr;
  const Arena<typename Exec::memory_space> work(
      exec, "heddle::matrix::by_column", arena_array(col_ptr, std::int64_t{columns} + 1),
      arena_array(number, count), arena_array(row_idx, count));
  {
    const ListedByColumn<O> list{row_of, column_of, rows};
    const CountingSort<Exec, Off> by_column(exec, count, columns);
    by_column.count(exec, list, col_ptr);
    by_column.move(exec, list, PutItem<O, Off>{row_idx, number});
  }
  const auto kept = static_cast<std::int64_t>(col_ptr[columns]);
  Derivation<S, O, Off, typename Exec::memory_space> made(exec, rows, columns, kept);
  const EntriesByColumn<O, Off> transposed{col_ptr, row_idx, columns};
  const CountingSort<Exec, Off> by_row(exec, kept, rows);
  by_row.count(exec, transposed, made.storage.row_ptr().data());
  by_row.move(exec, transposed,
              PutListed<O, Off>{made.storage.col_idx().data(), made.source, number});
  return made;
}

/// Sorts a list as sort_by_counting does, on any device.
template <Scalar S, Offset Off, ExecutionSpace Exec, Ordinal O>
auto sort_by_digits(const Exec& exec, O rows, O columns, std::int64_t count, const O* row_of,
                    const O* column_of, bool columns_ascend) {
  O* sorted_columns = nullptr;
  Off *by_column = nullptr, *by_row = nullptr, *order = nullptr;
  const std::int64_t both = columns_ascend ? 0 : count;
  const Arena<typename Exec::memory_space> work(
      exec, "heddle::matrix::entries", arena_array(sorted_columns, both),
      arena_array(by_column, both), arena_array(by_row, both), arena_array(order, count));
  RadixSort<Exec, O, Off> sort(exec, count);
  if (columns_ascend) {
    sort.sort(exec, row_of, rows, order);
  } else {
    sort.sort(exec, column_of, columns, by_column);
    gather(exec, "heddle::matrix::rows", sorted_columns, count, row_of, by_column);
    sort.sort(exec, sorted_columns, rows, by_row);
    gather(exec, "heddle::matrix::order", order, count, by_column, by_row);
  }
  std::int64_t kept = 0;
  Kokkos::parallel_reduce("heddle::matrix::count", range_policy(exec, count),
                          CountKept<O>{sort.sorted(), rows}, kept);
  Derivation<S, O, Off, typename Exec::memory_space> made(exec, rows, columns, kept);
  write_starts(exec, "heddle::matrix::row_ptr", made.storage.row_ptr().data(), rows, sort.sorted(),
               count);
  gather(exec, "heddle::matrix::columns", made.storage.col_idx().data(), kept, column_of, order);
  copy(exec, "heddle::matrix::sources", made.source, kept, order);
  exec.fence("heddle::matrix::sorted");
  return made;
}

/// The pattern of rows x columns of the `count` entries that list(row_of, column_of) writes; an
/// entry with row `rows` is left out. Entries of one place stay in the order of the list.
/// Workspace: three ordinals and one offset for each entry, and that of the sorts; on a GPU two
/// offsets more. Waits for `exec`.
template <Scalar S, Offset Off, ExecutionSpace Exec, Ordinal O, class List>
auto derive(const Exec& exec, O rows, O columns, std::int64_t count, const Listing& listing,
            const List& list) {
  matrix_size<Off>(count, "entries");
  O *row_of = nullptr, *column_of = nullptr;
  const Arena<typename Exec::memory_space> work(
      exec, "heddle::matrix::list", arena_array(row_of, count), arena_array(column_of, count));
  list(row_of, column_of);
  auto made = [&] {
    if constexpr (backends::runs_on_host<Exec>) {
      return sort_by_counting<S, Off>(exec, rows, columns, count, row_of, column_of);
    } else {
      return sort_by_digits<S, Off>(exec, rows, columns, count, row_of, column_of,
                                    listing.columns_ascend);
    }
  }();
  if (listing.add_up) merge_repeats(exec, made);
  exec.fence("heddle::matrix::derived");
  return made;
}

/// Lists entry k of a matrix at `shift` + k, with the row and column that `map` sets.
template <Ordinal O, class Map>
struct ListEntries {
  const O* col_idx;
  O* row_of;
  O* column_of;
  std::int64_t shift;
  Map map;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    O i = static_cast<O>(row), j = col_idx[k];
    map(k, i, j);
    row_of[shift + k] = i;
    column_of[shift + k] = j;
  }
};

template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space, class Map>
void list_entries(const Exec& exec, const CsrPattern<O, Off, Space>& A, O* row_of, O* column_of,
                  std::int64_t shift, const Map& map) {
  each_entry(exec, "heddle::matrix::list", A.row_ptr().data(), A.rows(),
             static_cast<std::int64_t>(A.nonzeros()),
             ListEntries<O, Map>{A.col_idx().data(), row_of, column_of, shift, map});
}

/// Derives a matrix from A, whose entries `map(k, row, column)` keeps, moves or leaves out.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Map>
DerivedCsr<Exec, S, O, Off> derive_from(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                        O rows, O columns, const Listing& listing, const Map& map,
                                        const Source<S>& source = {}) {
  if (listing.check) check_csr(exec, A);
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  auto made = derive<S, Off>(exec, rows, columns, nonzeros, listing, [&](O* row_of, O* column_of) {
    list_entries(exec, A, row_of, column_of, 0, map);
  });
  DerivedCsr<Exec, S, O, Off> derived(std::move(made), nonzeros, 0, source, {}, false);
  derived.update_values(exec, A);
  return derived;
}

}  // namespace heddle::detail

// Matrices whose entries are some of A's, in the order of A: nothing is sorted.

namespace heddle::detail {

/// Writes an entry that has one source: its column, source and value.
template <Scalar S, Ordinal O, Offset Off>
struct PutEntry {
  O* col_idx;
  Off* source;
  S* values;
  Source<S> from;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t place, O column, std::int64_t k) const {
    col_idx[place] = column;
    source[place] = static_cast<Off>(k);
    values[place] = from(k);
  }
};

template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
PutEntry<S, O, Off> put_entry(const Derivation<S, O, Off, Space>& made, const S* values,
                              Source<S> from) {
  from.values = values;
  return {made.storage.col_idx().data(), made.source, made.storage.values().data(), from};
}

/// Shares of whole rows, of about equally many entries.
template <Offset Off>
struct RowShares {
  const Off* row_ptr;
  std::int64_t rows;
  std::int64_t entries;
  std::int64_t count;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t begin(std::int64_t share) const {
    return equal_nonzeros_row(row_ptr, rows, static_cast<Off>(entries), share, count);
  }
};

/// Counts the entries that keep(k, row, column) keeps in each share of the rows, and columns that
/// are lower than the one before.
template <class Keep, Ordinal O, Offset Off>
struct CountKeptOfShare {
  RowShares<Off> shares;
  const O* col_idx;
  Keep keep;
  std::int64_t* kept;

  KOKKOS_FUNCTION void operator()(std::int64_t share, std::int64_t& descents) const {
    std::int64_t count = 0, lower = 0;
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t row = shares.begin(share); row < stop; ++row) {
      const auto end = static_cast<std::int64_t>(shares.row_ptr[row + 1]);
      O before = 0;
      for (auto k = static_cast<std::int64_t>(shares.row_ptr[row]); k < end; ++k) {
        const O column = col_idx[k];
        lower += column < before;
        count += keep(k, row, static_cast<std::int64_t>(column));
        before = column;
      }
    }
    kept[share] = count;
    descents += lower;
  }
};

template <class Keep, class Put, Ordinal O, Offset Off>
struct PutKeptOfShare {
  RowShares<Off> shares;
  const O* col_idx;
  Keep keep;
  const std::int64_t* before;  ///< number of kept entries in the shares before each
  Off* row_ptr;
  Put put;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const Put to = put;  // a copy stays in registers, since no store can change it
    std::int64_t place = before[share];
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t row = shares.begin(share); row < stop; ++row) {
      row_ptr[row] = static_cast<Off>(place);
      const auto end = static_cast<std::int64_t>(shares.row_ptr[row + 1]);
      for (auto k = static_cast<std::int64_t>(shares.row_ptr[row]); k < end; ++k) {
        const O column = col_idx[k];
        if (keep(k, row, static_cast<std::int64_t>(column))) to(place++, column, k);
      }
    }
    if (share + 1 == shares.count) row_ptr[stop] = static_cast<Off>(place);
  }
};

template <class Keep, Ordinal O, Offset Off>
struct MarkKeptEntries {
  const O* col_idx;
  Keep keep;
  Off* marks;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    marks[k] = keep(k, row, static_cast<std::int64_t>(col_idx[k])) ? 1 : 0;
  }
};

template <class Put, Ordinal O, Offset Off>
struct PutMarked {
  const O* col_idx;
  const Off* place;  ///< exclusive prefix sum of the marks
  Put put;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (place[k + 1] != place[k]) put(static_cast<std::int64_t>(place[k]), col_idx[k], k);
  }
};

/// The entries of A that `keep` keeps, with their values by `source`; none if the columns of a row
/// descend. A has rows, and was checked. On the threads of a CPU, each with a share of the rows;
/// with lanes by entries, however long rows are. Waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Keep>
auto keep_in_order(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Keep& keep,
                   const Source<S>& source)
    -> std::optional<Derivation<S, O, Off, typename Exec::memory_space>> {
  using To = typename Exec::memory_space;
  using Made = Derivation<S, O, Off, To>;
  const auto entries = static_cast<std::int64_t>(A.nonzeros());
  const O* const columns = A.col_idx().data();
  Made made;
  if constexpr (backends::runs_on_host<Exec>) {
    const RowShares<Off> shares{A.row_ptr().data(), A.rows(), entries,
                                std::max(1, backends::threads_at_once(exec))};
    std::int64_t *before = nullptr, descents = 0;
    const Arena<To> work(exec, "heddle::matrix::shares", arena_array(before, shares.count + 1));
    Kokkos::parallel_reduce("heddle::matrix::count_kept", range_policy(exec, shares.count),
                            CountKeptOfShare<Keep, O, Off>{shares, columns, keep, before},
                            descents);
    if (descents > 0) return std::nullopt;
    const std::int64_t kept = running_sum_and_total(exec, "heddle::matrix::shares", before,
                                                    shares.count, Terms<std::int64_t>{before});
    made = Made(exec, A.rows(), A.columns(), kept);
    const auto put = put_entry(made, A.values().data(), source);
    parallel_for(exec, "heddle::matrix::put_kept", shares.count,
                 PutKeptOfShare<Keep, PutEntry<S, O, Off>, O, Off>{
                     shares, columns, keep, before, made.storage.row_ptr().data(), put});
  } else {
    if (count_descents(exec, A, false) > 0) return std::nullopt;
    Off* place = nullptr;
    const Arena<To> work(exec, "heddle::matrix::places", arena_array(place, entries + 1));
    each_entry(exec, "heddle::matrix::mark_kept", A.row_ptr().data(), A.rows(), entries,
               MarkKeptEntries<Keep, O, Off>{columns, keep, place});
    const std::int64_t kept =
        running_sum_and_total(exec, "heddle::matrix::places", place, entries, Terms<Off>{place});
    made = Made(exec, A.rows(), A.columns(), kept);
    gather(exec, "heddle::matrix::row_ptr", made.storage.row_ptr().data(),
           std::int64_t{A.rows()} + 1, place, A.row_ptr().data());
    parallel_for(exec, "heddle::matrix::put_kept", entries,
                 PutMarked<PutEntry<S, O, Off>, O, Off>{
                     columns, place, put_entry(made, A.values().data(), source)});
  }
  exec.fence("heddle::matrix::kept");
  return made;
}

/// Maps the entries that `keep` does not keep to a row that is left out.
template <Ordinal O, class Keep>
struct LeaveOut {
  Keep keep;
  O left_out;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t k, O& row, const O& column) const {
    if (!keep(k, static_cast<std::int64_t>(row), static_cast<std::int64_t>(column))) row = left_out;
  }
};

/// The entries of A for which keep(k, row, column) holds, in the shape of A and with ascending
/// columns. Sorts only if columns descend.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Keep>
DerivedCsr<Exec, S, O, Off> derive_kept(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                        Listing listing, const Keep& keep,
                                        const Source<S>& source = {}) {
  if (listing.check) check_csr(exec, A);
  listing.check = false;
  using Made = Derivation<S, O, Off, typename Exec::memory_space>;
  std::optional<Made> made;
  if (A.rows() > 0) made = keep_in_order(exec, A, keep, source);
  if (!made) {
    return derive_from(exec, A, A.rows(), A.columns(), listing, LeaveOut<O, Keep>{keep, A.rows()},
                       source);
  }
  const bool merged = listing.add_up && merge_repeats(exec, *made);
  DerivedCsr<Exec, S, O, Off> derived(std::move(*made), static_cast<std::int64_t>(A.nonzeros()), 0,
                                      source, {}, false);
  if (merged) derived.update_values(exec, A);
  return derived;
}

}  // namespace heddle::detail
