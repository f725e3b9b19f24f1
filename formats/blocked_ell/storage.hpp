// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../common/arrays.hpp"
#include "../common/refusal.hpp"
#include "../inspect/recipe/sorted_rows.hpp"
#include "kernel.hpp"
#include "layout.hpp"

namespace heddle::detail::blocked_ell {

template <Ordinal O>
struct CopyRows {
  const O* from;
  O* to;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { to[place] = from[place]; }
};

/// The arrays of a matrix in blocked ELL, in one allocation in the order that the kernels read:
/// slices, pieces, rows, columns, values, carry-outs, slices that are cut.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// The recipe: sort_rows(sigma), tile_rows(2^slice_bits), normalize, compact_and_pad; sigma 0
  /// leaves the rows as they are. Reads the columns twice, or once if they are known to ascend, and
  /// the values once; waits for `exec` once, for the sizes.
  Storage(const Exec& exec, const Matrix& A, int slice_bits, std::int64_t sigma,
          bool ascending = false)
      : slices_(ceil_div<std::int64_t>(A.rows(), std::int64_t{1} << slice_bits)) {
    const std::int64_t rows = sigma > 0 ? A.rows() : 0;
    Arena<Space> work;
    const auto [shapes, sorted] = arrays<recipe::PanelShape<O>, O>(
        work, exec, "heddle::spmv::blocked_ell_work", slices_, rows);
    const Off* const row_ptr = A.row_ptr().data();
    const O* const order = sigma > 0 ? sorted : nullptr;
    if (sigma > 0) recipe::sort_rows(exec, row_ptr, A.rows(), sigma, sorted);
    recipe::panel_shapes(exec, row_ptr, A.col_idx().data(), A.rows(), 1 << slice_bits, order,
                         shapes, ascending);
    LayoutKernel<O> layout{shapes, slice_bits, nullptr, nullptr, nullptr};
    Kokkos::parallel_scan("heddle::spmv::blocked_ell_sizes", range_policy(exec, slices_), layout,
                          sizes_);

    const bool cuts = cut() > 0;
    Slice<O>* slice = nullptr;
    Piece* piece = nullptr;
    O* row_at = nullptr;
    carries_ = {nullptr, 1 << slice_bits, most_vectors};
    std::tie(slice, piece, row_at, columns_, values_, carries_.sums, layout.cut) =
        arrays<Slice<O>, Piece, O, std::uint16_t, S, Acc, CutPanel>(
            arena_, exec, "heddle::spmv::blocked_ell", slices_, cuts ? sizes_.cuts.pieces : 0, rows,
            sizes_.column_words, sizes_.slots, (sizes_.cuts.carries * most_vectors) << slice_bits,
            cut());
    cut_slices_ = layout.cut;
    view_ = {A.rows(),
             slice_bits,
             slice,
             sigma > 0 ? row_at : nullptr,
             columns_,
             values_,
             cuts ? sizes_.cuts.pieces : slices_,
             cuts ? piece : nullptr};

    layout.slice = slice;
    layout.piece = cuts ? piece : nullptr;
    Kokkos::parallel_scan("heddle::spmv::blocked_ell_layout", range_policy(exec, slices_), layout);
    if (sigma > 0) {
      Kokkos::parallel_for("heddle::spmv::blocked_ell_rows", range_policy(exec, A.rows()),
                           CopyRows<O>{sorted, row_at});
    }
    fill<true>(exec, A);
  }

  /// New values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) const { fill<false>(exec, A); }

  const View<S, O>& view() const { return view_; }
  const Carries<Acc>& carries() const { return carries_; }
  /// How many slices are cut, and which.
  std::int64_t cut() const { return sizes_.cuts.cut; }
  const CutPanel* cut_slices() const { return cut_slices_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// Bytes that one apply to one vector reads, without x and y, and those that each vector adds.
  double read_bytes() const {
    const double rows = view_.row_at ? static_cast<double>(view_.rows) : 0;
    return static_cast<double>(slices_) * sizeof(Slice<O>) +
           static_cast<double>(sizes_.slots) * sizeof(S) +
           static_cast<double>(sizes_.column_words) * sizeof(std::uint16_t) + rows * sizeof(O) +
           (cut() > 0 ? static_cast<double>(sizes_.cuts.pieces) * sizeof(Piece) : 0);
  }
  double carried_bytes() const {
    return 2 * static_cast<double>(sizes_.cuts.carries << view_.slice_bits) * sizeof(Acc);
  }

  template <bool Columns>
  void fill(const Exec& exec, const Matrix& A) const {
    recipe::fill_slots(
        exec, Columns ? "heddle::spmv::blocked_ell_fill" : "heddle::spmv::blocked_ell_values",
        A.row_ptr().data(), A.rows(), view_.row_at, slices_ << view_.slice_bits,
        Slots<Matrix, Columns>{A.col_idx().data(), A.values().data(), view_.slice_bits, view_.slice,
                               columns_, values_});
  }

 private:
  std::int64_t slices_;
  ArraySizes sizes_;
  Arena<Space> arena_;
  View<S, O> view_;
  std::uint16_t* columns_ = nullptr;
  S* values_ = nullptr;
  Carries<Acc> carries_;
  const CutPanel* cut_slices_ = nullptr;
};

template <Offset Off>
struct SortedSlotsKernel {
  const Off* row_ptr;
  std::int64_t rows;
  int slice_bits;
  std::int64_t sigma;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& sum) const {
    const std::int64_t place =
        row / sigma * sigma + recipe::rank_in_window(row_ptr, rows, sigma, row);
    const bool first = (place & ((std::int64_t{1} << slice_bits) - 1)) == 0;
    if (first) sum += static_cast<std::int64_t>(row_ptr[row + 1] - row_ptr[row]) << slice_bits;
  }
};

/// Slots that rows sorted inside windows of `sigma` need, without a place to put them in order: a
/// row that comes first in its slice says how wide that is. One launch and one readback, which
/// waits for `exec`; no allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t sorted_slots(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, int slice_bits,
                          std::int64_t sigma) {
  std::int64_t slots = 0;
  Kokkos::parallel_reduce("heddle::spmv::blocked_ell_slots", range_policy(exec, A.rows()),
                          SortedSlotsKernel<Off>{A.row_ptr().data(), A.rows(), slice_bits, sigma},
                          slots);
  return slots;
}

}  // namespace heddle::detail::blocked_ell
