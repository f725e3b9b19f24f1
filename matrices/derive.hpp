// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <string>

#include "../backends/algorithms/each_entry.hpp"
#include "../backends/algorithms/sort.hpp"
#include "../backends/loops.hpp"
#include "../core/matrix.hpp"
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

/// The source entries that each entry of a derived matrix sums up; those from `ones` on belong to
/// the other matrix. Entries of each matrix are added up in their order, separately, so that the
/// order of the two matrices does not matter.
template <Scalar S, Offset Off>
struct Sources {
  const Off* first;  ///< null: one source for each entry
  const Off* source;
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
  Arena<Space> kept;
  const Off* first = nullptr;
  const Off* source = nullptr;

  Sources<S, Off> sources(std::int64_t ones, const Source<S>& one, const Source<S>& other) const {
    return {first, source, ones, one, other};
  }
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
  std::size_t bytes() const { return made_.storage.bytes() + made_.kept.bytes(); }

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

// Matrices from lists of entries: these are sorted by row and column, and repeats added up.

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

/// 1 for each kept entry, in sorted order, that begins an entry of the derived matrix; else 0.
template <Ordinal O>
struct StartsEntry {
  const O* row_of;
  const O* column_of;
  O rows;
  bool add_up;

  KOKKOS_FUNCTION std::int64_t operator()(std::int64_t i) const {
    if (row_of[i] >= rows) return 0;
    const bool repeats =
        add_up && i > 0 && row_of[i - 1] == row_of[i] && column_of[i - 1] == column_of[i];
    return repeats ? 0 : 1;
  }
};

template <Ordinal O, Offset Off>
struct PutEntries {
  StartsEntry<O> starts_entry;
  const Off* place;  ///< exclusive prefix sum of starts_entry
  const Off* order;
  O* col_idx;
  Off* first;
  Off* source;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    source[i] = order[i];
    if (starts_entry(i) == 0) return;
    col_idx[place[i]] = starts_entry.column_of[i];
    if (first) first[place[i]] = static_cast<Off>(i);
  }
};

template <Offset Off>
struct PutRowStarts {
  Off* row_ptr;
  const Off* place;
  const Off* first_of_row;
  Off* first;
  std::int64_t rows;
  std::int64_t kept;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_ptr[row] = place[first_of_row[row]];
    if (first && row == rows) first[row_ptr[row]] = static_cast<Off>(kept);
  }
};

/// The pattern of rows x columns of the `count` entries that list(row_of, column_of) writes; an
/// entry with row `rows` is left out. Entries of one place stay in the order of the list.
/// Workspace: three ordinals and three offsets for each entry, an offset for each row, and that of
/// the sort. Waits for `exec`.
template <Scalar S, Offset Off, ExecutionSpace Exec, Ordinal O, class List>
auto derive(const Exec& exec, O rows, O columns, std::int64_t count, const Listing& listing,
            const List& list) {
  using Space = typename Exec::memory_space;
  const std::int64_t n = matrix_size<Off>(count, "entries");
  const auto starts = static_cast<std::size_t>(rows) + 1;
  O *row_of = nullptr, *column_of = nullptr, *sorted_columns = nullptr;
  Off *by_column = nullptr, *order = nullptr, *place = nullptr, *first_of_row = nullptr;
  const Arena<Space> work(exec, "heddle::matrix::entries", arena_array(row_of, n),
                          arena_array(column_of, n), arena_array(sorted_columns, n),
                          arena_array(by_column, n), arena_array(order, n),
                          arena_array(place, n + 1), arena_array(first_of_row, starts));
  list(row_of, column_of);

  RadixSort<Exec, O, Off> sort(exec, count);
  if (listing.columns_ascend) {
    sort.sort(exec, row_of, rows, order);
  } else {
    sort.sort(exec, column_of, columns, by_column);
    gather(exec, "heddle::matrix::rows", sorted_columns, count, row_of, by_column);
    sort.sort(exec, sorted_columns, rows, place);
    gather(exec, "heddle::matrix::order", order, count, by_column, place);
  }
  gather(exec, "heddle::matrix::columns", sorted_columns, count, column_of, order);
  const O* const sorted_rows = sort.sorted();
  std::int64_t kept = 0;
  Kokkos::parallel_reduce("heddle::matrix::count", range_policy(exec, count),
                          CountKept<O>{sorted_rows, rows}, kept);
  const StartsEntry<O> starts_entry{sorted_rows, sorted_columns, rows, listing.add_up};
  const std::int64_t places =
      running_sum_and_total(exec, "heddle::matrix::places", place, count, starts_entry);
  write_starts(exec, "heddle::matrix::row_starts", first_of_row, rows, sorted_rows, count);

  Derivation<S, O, Off, Space> made;
  made.storage = CsrStorage<S, O, Off, Space>(exec, rows, columns, places);
  const bool sums = places < kept;
  const auto sources = static_cast<std::size_t>(kept);
  const std::size_t firsts = sums ? static_cast<std::size_t>(places) + 1 : 0;
  Off *first = nullptr, *source = nullptr;
  made.kept = Arena<Space>(exec, "heddle::matrix::sources", arena_array(first, firsts),
                           arena_array(source, sources));
  made.first = sums ? first : nullptr;
  made.source = source;
  parallel_for(exec, "heddle::matrix::fill", kept,
               PutEntries<O, Off>{starts_entry, place, order, made.storage.col_idx().data(),
                                  sums ? first : nullptr, source});
  parallel_for(exec, "heddle::matrix::row_ptr", static_cast<std::int64_t>(starts),
               PutRowStarts<Off>{made.storage.row_ptr().data(), place, first_of_row,
                                 sums ? first : nullptr, rows, kept});
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
