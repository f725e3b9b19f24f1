// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../launch.hpp"
#include "../loops.hpp"
#include "counting_sort.hpp"
#include "each_entry.hpp"
#include "sort.hpp"

namespace heddle::detail {

/// Writes the row of each entry k to row_of[k].
template <Ordinal O, class To = O*>
struct PutRow {
  To row_of;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    row_of[k] = static_cast<O>(row);
  }
};

/// The transpose of a CSR pattern, stored, and the map to the original: entry k of the transpose is
/// entry source(k) of the original. Within a row entries keep the order they have in the original,
/// so a transposing apply is deterministic.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
class TransposedPattern {
 public:
  using Space = typename Exec::memory_space;
  using Pattern = CsrPattern<O, Off, Space>;

  TransposedPattern() = default;

  /// Stable sort by column, on the device: counted by threads of a CPU; on a GPU a radix sort, in a
  /// time independent of the pattern. Keeps one allocation. Frees another, for which it waits.
  TransposedPattern(const Exec& exec, const Pattern& A)
      : rows_(A.columns()),
        columns_(A.rows()),
        memory_(exec, "heddle::transpose::pattern",
                arena_bytes<Off, O, Off>(offsets(), A.nonzeros(), A.nonzeros())),
        row_ptr_(memory_.template take<Off>(offsets())),
        col_idx_(memory_.template take<O>(A.nonzeros())),
        source_(memory_.template take<Off>(A.nonzeros())) {
    sort(exec, A);
  }

  Pattern pattern() const { return Pattern(rows_, columns_, row_ptr_, col_idx_); }
  auto source() const { return source_; }
  std::size_t bytes() const { return memory_.bytes(); }

  void sort(const Exec& exec, const Pattern& A) {
    const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
    if constexpr (backends::runs_on_host<Exec>) {
      const EntriesByColumn<O, Off> entries{A.row_ptr().data(), A.col_idx().data(), A.rows()};
      const CountingSort<Exec, Off> by_column(exec, nonzeros, rows_);
      by_column.count(exec, entries, row_ptr_.data());
      by_column.move(exec, entries, PutItem<O, Off>{col_idx_.data(), source_.data()});
    } else {
      RadixSort<Exec, O, Off> by_column(exec, nonzeros);
      by_column.sort(exec, A.col_idx().data(), rows_ > 0 ? rows_ - 1 : O(0), source_.data());
      write_starts(exec, "heddle::transpose::row_ptr", row_ptr_.data(),
                   static_cast<std::int64_t>(rows_), by_column.sorted(), nonzeros);
      O* const row_of = by_column.room();
      each_entry(exec, "heddle::transpose::rows", A.row_ptr().data(), A.rows(), nonzeros,
                 PutRow<O>{row_of});
      gather(exec, "heddle::transpose::columns", col_idx_.data(), nonzeros, row_of, source_.data());
    }
    exec.fence("heddle::transpose::sorted");
  }

 private:
  template <class T>
  using Array = typename Arena<Space>::template Array<T>;

  std::size_t offsets() const { return static_cast<std::size_t>(rows_) + 1; }

  O rows_ = 0, columns_ = 0;
  Arena<Space> memory_;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<Off> source_;
};

/// The transpose of a CSR matrix, with its values.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Transposed {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// Keeps two allocations. Waits for the pattern, but not for the values.
  Transposed(const Exec& exec, const Matrix& A)
      : pattern_(exec, A),
        memory_(exec, "heddle::transpose::values", arena_bytes<S>(A.nonzeros())),
        values_(memory_.template take<S>(A.nonzeros())) {
    update_values(exec, A);
  }

  /// Replaces the values by those of A, which has the same pattern.
  void update_values(const Exec& exec, const Matrix& A) {
    gather(exec, "heddle::transpose::values", values_.data(), A.nonzeros(), A.values().data(),
           source().data());
  }

  Matrix matrix() const& {
    const auto of = pattern_.pattern();
    return Matrix(of.rows(), of.columns(), of.row_ptr(), of.col_idx(), values_);
  }
  Matrix matrix() const&& = delete;
  auto source() const { return pattern_.source(); }
  std::size_t bytes() const { return pattern_.bytes() + memory_.bytes(); }

 private:
  TransposedPattern<Exec, O, Off> pattern_;
  Arena<Space> memory_;
  typename Arena<Space>::template Array<S> values_;
};

}  // namespace heddle::detail
