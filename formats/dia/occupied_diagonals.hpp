// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"

namespace heddle::detail::dia {

/// An item a row: marks the diagonals of its entries, of which diagonal 0 is that of the last row's
/// first column.
template <Ordinal O, Offset Off>
struct MarkKernel {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t rows;
  std::uint32_t* marks;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const Off begin = row_ptr[row], end = row_ptr[row + 1];
    // If the row before has the same diagonal at the same place it marks it: else all threads of a
    // banded matrix would meet at a few words.
    const Off above = row > 0 ? row_ptr[row - 1] : begin;
    const Off of_above = row > 0 ? begin - above : Off(0);
    for (Off k = begin; k < end; ++k) {
      const auto column = static_cast<std::int64_t>(col_idx[k]);
      if (k - begin < of_above && col_idx[above + (k - begin)] + 1 == column) continue;
      const std::int64_t diagonal = column - row + rows - 1;
      const std::uint32_t bit = std::uint32_t{1} << (diagonal % 32);
      std::uint32_t* word = marks + diagonal / 32;
      if (!(Kokkos::atomic_load(word) & bit)) Kokkos::atomic_or(word, bit);
    }
  }
};

/// An item a word of marks: the offsets of those that are set, behind those of the words before.
template <Ordinal O>
struct CollectKernel {
  const std::uint32_t* marks;
  std::int64_t rows;
  O* offsets;

  KOKKOS_FUNCTION void operator()(std::int64_t w, int& before, bool last) const {
    const std::uint32_t word = marks[w];
    if (last) {
      int place = before;
      for (int bit = 0; bit < 32; ++bit) {
        if (word >> bit & 1) offsets[place++] = static_cast<O>(32 * w + bit - (rows - 1));
      }
    }
    before += Kokkos::popcount(word);
  }
};

/// The offsets column - row of the diagonals that hold an entry, ascending; there is room for all.
/// Three launches, one allocation, for whose release it waits for `exec`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
void occupied_diagonals(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, O* offsets) {
  using Policy = Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t rows = A.rows();
  const std::int64_t words = ceil_div(rows + A.columns() - 1, std::int64_t{32});
  const Kokkos::View<std::uint32_t*, Space> marks(
      Kokkos::view_alloc(kokkos_space(exec), "heddle::spmv::dia_marks"),
      static_cast<std::size_t>(words));
  Kokkos::parallel_for(
      "heddle::spmv::dia_mark", Policy(exec, 0, rows),
      MarkKernel<O, Off>{A.row_ptr().data(), A.col_idx().data(), rows, marks.data()});
  Kokkos::parallel_scan("heddle::spmv::dia_collect", Policy(exec, 0, words),
                        CollectKernel<O>{marks.data(), rows, offsets});
  exec.fence("heddle::spmv::dia_collected");
}

}  // namespace heddle::detail::dia
