// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../backends/algorithms/transpose.hpp"
#include "rearrange.hpp"

/// Sums of matrices.
namespace heddle {

namespace detail {

inline void check_shapes(std::int64_t rows, std::int64_t columns, std::int64_t other_rows,
                         std::int64_t other_columns) {
  if (rows == other_rows && columns == other_columns) return;
  throw Error("A is " + std::to_string(rows) + " x " + std::to_string(columns) + " and B " +
                  std::to_string(other_rows) + " x " + std::to_string(other_columns),
              "give matrices of one shape");
}

template <Ordinal O, Offset Off>
struct RowsOfPattern {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t entries;

  /// The first entry of a row whose column is not below `column`.
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t find(std::int64_t row, O column) const {
    const auto begin = static_cast<std::int64_t>(row_ptr[row]);
    const auto end = static_cast<std::int64_t>(row_ptr[row + 1]);
    return begin + first_not_below(col_idx + begin, end - begin, column);
  }
  /// Whether the entry that find() found has this column.
  KOKKOS_FORCEINLINE_FUNCTION bool has(std::int64_t row, O column, std::int64_t found) const {
    return found < static_cast<std::int64_t>(row_ptr[row + 1]) && col_idx[found] == column;
  }
};

/// Two patterns of one shape.
template <Ordinal O, Offset Off>
struct TwoPatterns {
  RowsOfPattern<O, Off> one, other;
  const Off* other_number;  ///< number of each entry of `other` in its matrix; null: the same
  std::int64_t rows;

  KOKKOS_FORCEINLINE_FUNCTION Off source_of_other(std::int64_t l) const {
    return other_number ? other_number[l] : static_cast<Off>(l);
  }
  /// Calls use(column, k, l, has_one, has_other) for each column of a row, with an entry k of `one`
  /// or l of `other` or both; in ascending order if the columns of each strictly ascend.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void merge(std::int64_t row, const Use& use) const {
    auto k = static_cast<std::int64_t>(one.row_ptr[row]);
    auto l = static_cast<std::int64_t>(other.row_ptr[row]);
    const auto end = static_cast<std::int64_t>(one.row_ptr[row + 1]);
    const auto other_end = static_cast<std::int64_t>(other.row_ptr[row + 1]);
    while (k < end && l < other_end) {
      const O column = one.col_idx[k], other_column = other.col_idx[l];
      const bool has_one = column <= other_column, has_other = other_column <= column;
      use(has_one ? column : other_column, k, l, has_one, has_other);
      k += has_one;
      l += has_other;
    }
    for (; k < end; ++k) use(one.col_idx[k], k, l, true, false);
    for (; l < other_end; ++l) use(other.col_idx[l], k, l, false, true);
  }
};

/// Rows from begin(share) to begin(share + 1) of two patterns: about equal work.
template <Ordinal O, Offset Off>
struct SharesOfTwo {
  TwoPatterns<O, Off> patterns;
  std::int64_t count;

  KOKKOS_FUNCTION std::int64_t begin(std::int64_t share) const {
    const std::int64_t target = EqualShares{work_before(patterns.rows), count}.begin(share);
    return first_where(std::int64_t{0}, std::int64_t{patterns.rows},
                       [&](std::int64_t row) { return work_before(row) >= target; });
  }
  KOKKOS_FORCEINLINE_FUNCTION std::int64_t work_before(std::int64_t row) const {
    return row + static_cast<std::int64_t>(patterns.one.row_ptr[row]) +
           static_cast<std::int64_t>(patterns.other.row_ptr[row]);
  }
};

/// Counts the entries of the union in each share, and columns that do not ascend: those of a
/// pattern whose columns do not strictly ascend are among them.
template <Ordinal O, Offset Off>
struct CountUnionOfShare {
  SharesOfTwo<O, Off> shares;
  std::int64_t* found;

  KOKKOS_FUNCTION void operator()(std::int64_t share, std::int64_t& descents) const {
    std::int64_t count = 0, lower = 0;
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t row = shares.begin(share); row < stop; ++row) {
      O before = -1;
      shares.patterns.merge(row, [&](O column, std::int64_t, std::int64_t, bool, bool) {
        lower += column <= before;
        before = column;
        ++count;
      });
    }
    found[share] = count;
    descents += lower;
  }
};

/// Writes the entries of the union, and their values if `values` is not null.
template <Scalar S, Ordinal O, Offset Off>
struct PutUnionOfShare {
  SharesOfTwo<O, Off> shares;
  const std::int64_t* before;  ///< number of entries in the shares before each
  Off* row_ptr;
  O* col_idx;
  Off* source;
  Off* other_source;
  S* values;
  Source<S> one, other;

  KOKKOS_FUNCTION void operator()(std::int64_t share) const {
    const PutUnionOfShare to = *this;  // a copy stays in registers, since no store can change it
    std::int64_t place = before[share];
    const std::int64_t stop = shares.begin(share + 1);
    for (std::int64_t row = shares.begin(share); row < stop; ++row) {
      to.row_ptr[row] = static_cast<Off>(place);
      to.shares.patterns.merge(
          row, [&](O column, std::int64_t k, std::int64_t l, bool has_one, bool has_other) {
            const Off from = has_other ? to.shares.patterns.source_of_other(l) : no_source<Off>;
            to.col_idx[place] = column;
            to.source[place] = has_one ? static_cast<Off>(k) : no_source<Off>;
            to.other_source[place] = from;
            if (to.values) {
              const auto number = static_cast<std::int64_t>(from);
              to.values[place] = !has_other ? to.one(k)
                                 : !has_one ? to.other(number)
                                            : to.one(k) + to.other(number);
            }
            ++place;
          });
    }
    if (share + 1 == shares.count) to.row_ptr[stop] = static_cast<Off>(place);
  }
};

/// 1 for each entry of `other` whose column `one` lacks, else 0.
template <Ordinal O, Offset Off>
struct MarkNew {
  TwoPatterns<O, Off> patterns;
  Off* marks;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t l) const {
    const O column = patterns.other.col_idx[l];
    marks[l] = patterns.one.has(row, column, patterns.one.find(row, column)) ? 0 : 1;
  }
};

/// Writes the entries that `one` has. Each follows those before it in `one`, and the new ones of
/// `other` with lower columns.
template <Ordinal O, Offset Off>
struct PutOnes {
  TwoPatterns<O, Off> patterns;
  const Off* new_before;  ///< exclusive prefix sum of the marks
  O* col_idx;
  Off* source;
  Off* other_source;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const O column = patterns.one.col_idx[k];
    const std::int64_t l = patterns.other.find(row, column);
    const std::int64_t place = k + static_cast<std::int64_t>(new_before[l]);
    col_idx[place] = column;
    source[place] = static_cast<Off>(k);
    other_source[place] =
        patterns.other.has(row, column, l) ? patterns.source_of_other(l) : no_source<Off>;
  }
};

/// Writes the new entries of `other`.
template <Ordinal O, Offset Off>
struct PutNew {
  TwoPatterns<O, Off> patterns;
  const Off* new_before;
  O* col_idx;
  Off* source;
  Off* other_source;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t l) const {
    if (new_before[l + 1] == new_before[l]) return;
    const O column = patterns.other.col_idx[l];
    const std::int64_t place =
        patterns.one.find(row, column) + static_cast<std::int64_t>(new_before[l]);
    col_idx[place] = column;
    source[place] = no_source<Off>;
    other_source[place] = patterns.source_of_other(l);
  }
};

template <Offset Off>
struct PutRowsOfUnion {
  const Off* row_ptr;
  const Off* other_row_ptr;
  const Off* new_before;
  Off* to;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    to[row] = static_cast<Off>(row_ptr[row] + new_before[other_row_ptr[row]]);
  }
};

/// A union of patterns, and whether its values have been written too.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
struct Union {
  Derivation<S, O, Off, Space> made;
  bool has_values = false;
};

/// The union of two patterns with rows, whose columns strictly ascend; none if they do not. On the
/// threads of a CPU rows are merged, once to count and once to write entries with their values if
/// `values`; with lanes each entry searches the other pattern's row. Waits for `exec`.
template <Scalar S, ExecutionSpace Exec, Ordinal O, Offset Off>
auto unite_in_order(const Exec& exec, const TwoPatterns<O, Off>& patterns, O columns,
                    const Source<S>& one, const Source<S>& other, bool values)
    -> std::optional<Union<S, O, Off, typename Exec::memory_space>> {
  using Space = typename Exec::memory_space;
  using Made = Derivation<S, O, Off, Space>;
  Union<S, O, Off, Space> made;
  const auto rows = static_cast<O>(patterns.rows);
  if constexpr (backends::runs_on_host<Exec>) {
    const SharesOfTwo<O, Off> shares{patterns, std::max(1, backends::threads_at_once(exec))};
    std::int64_t *before = nullptr, descents = 0;
    const Arena<Space> work(exec, "heddle::matrix::shares", arena_array(before, shares.count + 1));
    Kokkos::parallel_reduce("heddle::matrix::count_union", range_policy(exec, shares.count),
                            CountUnionOfShare<O, Off>{shares, before}, descents);
    if (descents > 0) return std::nullopt;
    const std::int64_t entries = running_sum_and_total(exec, "heddle::matrix::shares", before,
                                                       shares.count, Terms<std::int64_t>{before});
    made.made = Made(exec, rows, columns, entries, true);
    const auto& to = made.made;
    parallel_for(
        exec, "heddle::matrix::put_union", shares.count,
        PutUnionOfShare<S, O, Off>{shares, before, to.storage.row_ptr().data(),
                                   to.storage.col_idx().data(), to.source, to.other_source,
                                   values ? to.storage.values().data() : nullptr, one, other});
    made.has_values = values;
  } else {
    const auto &A = patterns.one, &B = patterns.other;
    const auto descends = [&](const RowsOfPattern<O, Off>& of) {
      const CsrPattern<O, Off, Space> pattern(rows, columns, of.entries, of.row_ptr, of.col_idx);
      return count_descents(exec, pattern, true) > 0;
    };
    if (descends(A) || descends(B)) return std::nullopt;
    Off* new_before = nullptr;
    const Arena<Space> work(exec, "heddle::matrix::new", arena_array(new_before, B.entries + 1));
    each_entry(exec, "heddle::matrix::mark_new", B.row_ptr, patterns.rows, B.entries,
               MarkNew<O, Off>{patterns, new_before});
    const std::int64_t more = running_sum_and_total(exec, "heddle::matrix::new", new_before,
                                                    B.entries, Terms<Off>{new_before});
    made.made = Made(exec, rows, columns, A.entries + more, true);
    const auto& to = made.made;
    O* const col_idx = to.storage.col_idx().data();
    parallel_for(
        exec, "heddle::matrix::row_ptr", patterns.rows + 1,
        PutRowsOfUnion<Off>{A.row_ptr, B.row_ptr, new_before, to.storage.row_ptr().data()});
    each_entry(exec, "heddle::matrix::put_ones", A.row_ptr, patterns.rows, A.entries,
               PutOnes<O, Off>{patterns, new_before, col_idx, to.source, to.other_source});
    each_entry(exec, "heddle::matrix::put_new", B.row_ptr, patterns.rows, B.entries,
               PutNew<O, Off>{patterns, new_before, col_idx, to.source, to.other_source});
  }
  exec.fence("heddle::matrix::united");
  return made;
}

/// The union of the patterns of A and B, or of A and its transpose if `mirrored`: B is A then.
/// Entries are sorted only if the columns of a row do not strictly ascend. With `values` those of
/// one(A) + other(B) are written if that needs no other pass.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
auto derive_union(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                  const CsrMatrix<S, O, Off, Space>& B, bool mirrored, Source<S> one = {},
                  Source<S> other = {}, bool values = false) {
  using Here = typename Exec::memory_space;
  using Pattern = CsrPattern<O, Off, Here>;
  check_csr(exec, A);
  if (!mirrored) check_csr(exec, B);
  const auto ones = static_cast<std::int64_t>(A.nonzeros());
  const auto others = static_cast<std::int64_t>(B.nonzeros());
  matrix_size<Off>(ones + others, "entries");
  one.values = A.values().data();
  other.values = B.values().data();
  std::optional<Union<S, O, Off, Here>> made;
  if (A.rows() > 0) {
    TransposedPattern<Exec, O, Off> transposed;
    const RowsOfPattern<O, Off> a{A.row_ptr().data(), A.col_idx().data(), ones};
    RowsOfPattern<O, Off> b{B.row_ptr().data(), B.col_idx().data(), others};
    if (mirrored) {
      transposed = {exec, Pattern(A.rows(), A.columns(), ones, a.row_ptr, a.col_idx)};
      b.row_ptr = transposed.pattern().row_ptr().data();
      b.col_idx = transposed.pattern().col_idx().data();
    }
    const TwoPatterns<O, Off> patterns{a, b, mirrored ? transposed.source().data() : nullptr,
                                       A.rows()};
    made = unite_in_order(exec, patterns, A.columns(), one, other, values);
  }
  if (made) return std::move(*made);
  return Union<S, O, Off, Here>{derive<S, Off>(
      exec, A.rows(), A.columns(), ones + others, {.add_up = true}, [&](O* row_of, O* column_of) {
        list_entries(exec, A, row_of, column_of, 0, AsTheyAre());
        if (mirrored) {
          list_entries(exec, B, row_of, column_of, ones, Mirrored());
        } else {
          list_entries(exec, B, row_of, column_of, ones, AsTheyAre());
        }
      })};
}

/// one(A) + other(B), or one(A) + other(A') if `mirrored`: B is A then.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> derive_sum(const Exec& exec, const Source<S>& one,
                                       const CsrMatrix<S, O, Off, Space>& A, const Source<S>& other,
                                       const CsrMatrix<S, O, Off, Space>& B, bool mirrored) {
  auto united = derive_union(exec, A, B, mirrored, one, other, true);
  DerivedCsr<Exec, S, O, Off> sum(std::move(united.made), static_cast<std::int64_t>(A.nonzeros()),
                                  static_cast<std::int64_t>(B.nonzeros()), one, other, mirrored);
  if (!united.has_values) sum.update_values(exec, A, B);
  return sum;
}

}  // namespace detail

/// alpha * A + beta * B: an entry for each place where A or B has one, with ascending columns.
/// Repeated entries are added up first, those of A and of B separately. If a factor is 0, no value
/// of that matrix is read, and its places hold zeros.
///
/// Checks both, allocates, and waits for `exec`; new values need one pass (update_values(exec, A,
/// B), or with new factors). Throws Error if the shapes differ, or the type of offsets cannot hold
/// the sum of both numbers of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> add(const Exec& exec, std::type_identity_t<S> alpha,
                                const CsrMatrix<S, O, Off, Space>& A, std::type_identity_t<S> beta,
                                const CsrMatrix<S, O, Off, Space>& B) {
  detail::check_shapes(A.rows(), A.columns(), B.rows(), B.columns());
  return detail::derive_sum(exec, detail::Source<S>{.factor = alpha}, A,
                            detail::Source<S>{.factor = beta}, B, false);
}

/// (A + A') / 2, or with Symmetry::hermitian (A + A*) / 2, with both triangles. They mirror each
/// other to the last bit, even if entries of A repeat. New values of A need one pass. Throws Error
/// if A is not square, or the type of offsets cannot hold twice its number of entries.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
DerivedCsr<Exec, S, O, Off> symmetric_part(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                                           Symmetry symmetry = Symmetry::symmetric) {
  detail::check_shapes(A.rows(), A.columns(), A.columns(), A.rows());
  const detail::Source<S> half{.factor = S(0.5)};
  detail::Source<S> mirrored = half;
  mirrored.conjugated = symmetry == Symmetry::hermitian;
  return detail::derive_sum(exec, half, A, mirrored, A, true);
}

}  // namespace heddle
