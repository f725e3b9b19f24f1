// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "each_entry.hpp"
#include "radix_sort.hpp"

namespace heddle::detail {

template <Ordinal O>
struct PutRow {
  O* row_of;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    row_of[k] = static_cast<O>(row);
  }
};

/// The transpose of a CSR matrix, stored, with the way back: entry k of the transpose is entry
/// source(k) of the original. Within a row entries keep the order they have in the original, so a
/// transposing apply is deterministic.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Transposed {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  Transposed() = default;

  /// A stable sort by column on the device, in a time that the pattern does not change. Keeps two
  /// allocations, frees a third, for which it waits. Of a matrix whose values are null only the
  /// pattern.
  Transposed(const Exec& exec, const Matrix& A)
      : storage_(exec, A.columns(), A.rows(), A.nonzeros()),
        kept_(exec, "heddle::transpose::source", arena_bytes<Off>(A.nonzeros())),
        source_(kept_.template take<Off>(A.nonzeros())) {
    sort(exec, A);
    if (A.values().data()) update_values(exec, A);
  }

  /// New values of the same pattern.
  void update_values(const Exec& exec, const Matrix& A) {
    gather(exec, "heddle::transpose::values", storage_.values().data(), A.nonzeros(),
           A.values().data(), source_.data());
  }

  Matrix matrix() const { return storage_.matrix(); }
  auto source() const { return source_; }
  std::size_t bytes() const { return storage_.bytes() + kept_.bytes(); }

  void sort(const Exec& exec, const Matrix& A) {
    const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
    const O columns = A.columns();
    RadixSort<Exec, O, Off> by_column(exec, nonzeros);
    by_column.sort(exec, A.col_idx().data(), columns > 0 ? columns - 1 : O(0), source_.data());
    write_starts(exec, "heddle::transpose::row_ptr", storage_.row_ptr().data(),
                 static_cast<std::int64_t>(columns), by_column.sorted(), nonzeros);
    O* const row_of = by_column.room();
    each_entry(exec, "heddle::transpose::rows", A.row_ptr().data(), A.rows(), nonzeros,
               PutRow<O>{row_of});
    gather(exec, "heddle::transpose::columns", storage_.col_idx().data(), nonzeros, row_of,
           source_.data());
    exec.fence("heddle::transpose::sorted");
  }

 private:
  CsrStorage<S, O, Off, Space> storage_;
  Arena<Space> kept_;
  typename Arena<Space>::template Array<Off> source_;
};

}  // namespace heddle::detail
