// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/pack_entries.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "occupied_diagonals.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::dia {

/// An item a row, which it owns: its places become holes, then its entries are added to them in
/// order, so that repeated ones add up the same way every time.
template <class Matrix>
struct FillKernel {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  const Off* row_ptr;
  const O* col_idx;
  const S* from;
  std::int64_t rows;
  std::int64_t stride;
  int diagonals;
  const O* offsets;
  S* values;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    for (int d = 0; d < diagonals; ++d) backends::put_hole(values + d * stride + row);
    if (row >= rows) return;
    int d = -1;
    for (Off k = row_ptr[row]; k < row_ptr[row + 1]; ++k) {
      const auto offset = static_cast<O>(col_idx[k] - row);
      // Mostly the next diagonal.
      ++d;
      if (d >= diagonals || offsets[d] != offset) d = diagonal_of(offset);
      backends::add_entry(values + d * stride + row, from[k]);
    }
  }

  KOKKOS_FUNCTION int diagonal_of(O offset) const {
    int low = 0, high = diagonals - 1;
    while (low < high) {
      const int middle = (low + high) / 2;
      if (offsets[middle] < offset) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// The arrays of a DIA matrix, both in one allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// `diagonals` is the number of those that hold an entry of A. One allocation that is kept, one
  /// of a bit for each diagonal that there could be, for whose release it waits for `exec`; three
  /// launches.
  Storage(const Exec& exec, const Matrix& A, int diagonals)
      : rows_(A.rows()),
        stride_(padded(A.rows())),
        diagonals_(diagonals),
        arena_(exec, "heddle::spmv::dia",
               arena_bytes<O, S>(static_cast<std::size_t>(diagonals), places())),
        offsets_(arena_.template take<O>(static_cast<std::size_t>(diagonals))),
        values_(arena_.template take<S>(places())) {
    if (diagonals == 0) return;
    occupied_diagonals(exec, A, offsets_.data());
    update_values(exec, A);
  }

  /// New values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    using Policy = Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>;
    Kokkos::parallel_for(
        "heddle::spmv::dia_fill", Policy(exec, 0, diagonals_ > 0 ? stride_ : 0),
        FillKernel<Matrix>{A.row_ptr().data(), A.col_idx().data(), A.values().data(), rows_,
                           stride_, diagonals_, offsets_.data(), values_.data()});
  }

  View<S, O> view() const { return {rows_, stride_, diagonals_, offsets_.data(), values_.data()}; }
  std::size_t bytes() const { return arena_.bytes(); }
  std::size_t places() const {
    return static_cast<std::size_t>(stride_) * static_cast<std::size_t>(diagonals_);
  }

  static std::int64_t padded(std::int64_t rows) {
    return ceil_div(rows, tuning.row_alignment) * tuning.row_alignment;
  }

 private:
  O rows_;
  std::int64_t stride_;
  int diagonals_;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<O> offsets_;
  typename Arena<Space>::template Array<S> values_;
};

}  // namespace heddle::detail::dia
