// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <bit>
#include <string>

#include "../../backends/cpu_traits.hpp"
#include "../../backends/loops.hpp"
#include "../common/arrays.hpp"
#include "../common/cut_panels.hpp"
#include "../common/dot.hpp"
#include "../common/owned_executor.hpp"
#include "../common/prediction.hpp"
#include "../inspect/recipe/compact_and_pad.hpp"
#include "../inspect/recipe/sorted_rows.hpp"
#include "format.hpp"
#include "kernel.hpp"
#include "view.hpp"

namespace heddle::detail::blocked_ell {

/// First slot, column word and piece of the next slice; the last ones are the sizes of the arrays.
struct ArraySizes {
  std::int64_t slots = 0;
  std::int64_t column_words = 0;
  PieceCounts cuts;

  KOKKOS_INLINE_FUNCTION void add(const ArraySizes& other) {
    slots += other.slots;
    column_words += other.column_words;
    cuts.add(other.cuts);
  }
};

/// Lays slices out one after the other: a scan over their shapes. Its last sum is the sizes of the
/// arrays; it also writes the tables, once they are allocated.
template <Ordinal O>
struct LayoutKernel {
  using value_type = ArraySizes;
  static constexpr int words_per_ordinal = sizeof(O) / sizeof(std::uint16_t);

  const recipe::PanelShape<O>* shapes;
  int slice_bits;
  Slice<O>* slice;    ///< null while only sizes are counted
  SlicePiece* piece;  ///< null if no slice is cut
  CutPanel* cut;

  KOKKOS_FUNCTION void init(value_type& sum) const { sum = ArraySizes(); }
  KOKKOS_FUNCTION void join(value_type& sum, const value_type& other) const { sum.add(other); }

  KOKKOS_FUNCTION void operator()(std::int64_t s, value_type& sum, bool last) const {
    const recipe::PanelShape<O> shape = shapes[s];
    const bool narrow = shape.highest - shape.lowest < O{no_delta};
    ArraySizes size;
    size.slots = shape.width << slice_bits;
    size.column_words = size.slots * (narrow ? 1 : words_per_ordinal);
    size.cuts = PieceCounts::of(ceil_div<std::int64_t>(shape.width, piece_width));
    if (last && slice) {
      slice[s] = {sum.slots, sum.column_words, narrow ? shape.lowest : O(-1),
                  static_cast<std::int32_t>(shape.width)};
    }
    if (last && piece) {
      for (std::int64_t i = 0; i < size.cuts.pieces; ++i) {
        piece[sum.cuts.pieces + i] = {s, size.cuts.cut ? sum.cuts.carries + i : -1,
                                      static_cast<std::int32_t>(i * piece_width)};
      }
      if (size.cuts.cut) cut[sum.cuts.cut] = {s, sum.cuts.carries, size.cuts.carries};
    }
    sum.add(size);
  }
};

/// Scatters entries to slots, for fill_slots: values, and with Columns also columns.
template <class Matrix, bool Columns>
struct Slots {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;

  const O* from_columns;
  const S* from_values;
  int slice_bits;
  const Slice<O>* slice;
  std::uint16_t* columns;
  S* values;

  KOKKOS_FORCEINLINE_FUNCTION std::int64_t width(std::int64_t place) const {
    return slice[place >> slice_bits].width;
  }
  KOKKOS_FORCEINLINE_FUNCTION void put(std::int64_t place, std::int64_t j, std::int64_t k) const {
    const Slice<O>& to = slice[place >> slice_bits];
    const std::int64_t at = (j << slice_bits) + (place & ((std::int64_t{1} << slice_bits) - 1));
    values[to.first_slot + at] = k < 0 ? S(0) : from_values[k];
    if constexpr (Columns) {
      std::uint16_t* const words = columns + to.first_column;
      if (to.base >= 0) {
        words[at] = k < 0 ? no_delta : static_cast<std::uint16_t>(from_columns[k] - to.base);
      } else {
        reinterpret_cast<O*>(words)[at] = k < 0 ? O(-1) : from_columns[k];
      }
    }
  }
};

template <Ordinal O>
struct CopyRows {
  const O* from;
  O* to;
  KOKKOS_FUNCTION void operator()(std::int64_t place) const { to[place] = from[place]; }
};

/// The arrays of a matrix in blocked ELL, in one allocation and in the order that kernels read
/// them: slices, pieces, rows, columns, values, carry-outs, cut slices.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// The recipe: sort_rows(sigma), tile_rows(2^slice_bits), normalize, compact_and_pad; sigma 0
  /// leaves the rows in order. Reads the columns twice, or once if they are known to ascend, and
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
    Kokkos::parallel_scan("heddle::spmv::blocked_ell_sizes", scan_policy(exec, slices_), layout,
                          sizes_);

    const bool cuts = cut() > 0;
    Slice<O>* slice = nullptr;
    SlicePiece* piece = nullptr;
    O* row_at = nullptr;
    carries_ = {nullptr, 1 << slice_bits, most_vectors};
    std::tie(slice, piece, row_at, columns_, values_, carries_.sums, layout.cut) =
        arrays<Slice<O>, SlicePiece, O, std::uint16_t, S, Acc, CutPanel>(
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
    Kokkos::parallel_scan("heddle::spmv::blocked_ell_layout", scan_policy(exec, slices_), layout);
    if (sigma > 0) {
      Kokkos::parallel_for("heddle::spmv::blocked_ell_rows", range_policy(exec, A.rows()),
                           CopyRows<O>{sorted, row_at});
    }
    fill<true>(exec, A);
  }

  /// Writes new values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) const { fill<false>(exec, A); }

  const View<S, O>& view() const { return view_; }
  const Carries<Acc>& carries() const { return carries_; }
  /// Number of slices that are cut, and the table of them.
  std::int64_t cut() const { return sizes_.cuts.cut; }
  const CutPanel* cut_slices() const { return cut_slices_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// Bytes that an apply to one vector reads, without x and y, and the bytes that each vector adds.
  double read_bytes() const {
    const double rows = view_.row_at ? static_cast<double>(view_.rows) : 0;
    return static_cast<double>(slices_) * sizeof(Slice<O>) +
           static_cast<double>(sizes_.slots) * sizeof(S) +
           static_cast<double>(sizes_.column_words) * sizeof(std::uint16_t) + rows * sizeof(O) +
           (cut() > 0 ? static_cast<double>(sizes_.cuts.pieces) * sizeof(SlicePiece) : 0);
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

/// Number of slots that rows sorted in windows of `sigma` need, found without sorting them: the
/// first row of each slice determines its width. One launch and one readback, which waits for
/// `exec`; no allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
std::int64_t sorted_slots(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, int slice_bits,
                          std::int64_t sigma) {
  std::int64_t slots = 0;
  Kokkos::parallel_reduce("heddle::spmv::blocked_ell_slots", range_policy(exec, A.rows()),
                          SortedSlotsKernel<Off>{A.row_ptr().data(), A.rows(), slice_bits, sigma},
                          slots);
  return slots;
}

/// Runs the scheme blocked-ell: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct Runs {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Counts = VectorCounts<1, 4, most_vectors>;

  Runs(const Inspection<Exec, Matrix>& in, const Scheme& resolved, const Parameters& parameters)
      : scheme(resolved),
        simd(*parameters.simd),
        lane_bits(std::countr_zero(static_cast<unsigned>(*parameters.lanes))),
        storage(in.exec, in.A, std::countr_zero(static_cast<unsigned>(*parameters.slice_rows)),
                *parameters.sigma, in.promises.sorted) {}

  /// False if slices are cut: a second launch adds up their sums.
  bool has_dot(Op) const { return storage.cut() == 0; }

  template <int Vectors>
  bool run(const Exec& exec, Op, const Product<V, Acc>& product,
           [[maybe_unused]] const team_sums::Dot<Acc>& dot) const {
    constexpr int batch = Vectors == 1 ? tuning.batch : tuning.multivector_batch;
    constexpr bool lanes = backends::has_lanes<Exec>;
    constexpr int width = backends::Pack<Exec, Acc>::width;
    // On a CPU packs replace the batch: their loads are in flight together.
    constexpr int packs = lanes || Vectors > 1 ? 1 : tuning.cpu_rows / width;
    using View = blocked_ell::View<S, O>;
    const SliceEpilogue<View, Product<V, Acc>> deliver{storage.view(), product, storage.carries()};
    constexpr int threads = lanes ? tuning.team_threads : 1;
    const std::int64_t places_per_team = std::int64_t{threads >> lane_bits} * packs * width;
    const std::int64_t places = deliver.A.pieces << deliver.A.slice_bits;
    const std::int64_t teams = ceil_div(places, places_per_team);
    const char* const label = "heddle::spmv::blocked_ell";
    using Shape = backends::Shape<1, tuning.team_threads>;
    const Kernel<View, Product<V, Acc>, threads, packs, batch, Vectors> kernel{deliver, lane_bits};
    if constexpr (Vectors == 1) {
      if (dot.result) {
        return team_sums::launch_with_dot<Shape>(exec, label, teams, kernel, product.x, product.y,
                                                 dot, simd);
      }
    }
    backends::launch_simd<Shape>(exec, label, teams, kernel, simd);
    if (storage.cut() > 0) {
      finish_panels(exec, "heddle::spmv::blocked_ell_finish", storage.cut_slices(), storage.cut(),
                    storage.carries(), product, deliver);
    }
    return true;
  }

  Scheme scheme;
  backends::Simd simd;
  int lane_bits;
  Storage<Exec, S, O, Off, Acc> storage;
};

template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor = OwnedExecutor<Exec, Matrix, V, Acc, Runs<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::blocked_ell

namespace heddle {

namespace detail::blocked_ell {

static_assert(PatternFeatures::narrow_span == no_delta);
static_assert(sizeof(Slice<std::int64_t>) == slice_bytes);

/// Throws Refusal, before any allocation, if sorted rows need too many slots, unknown to predict.
template <ExecutionSpace Exec, class Matrix>
void refuse_padding(const Inspection<Exec, Matrix>& in, const Parameters& parameters) {
  const RowFeatures& rows = in.features.rows();
  if (!parameters.sorts()) return;
  if (too_much_padding(most_slots(rows, *parameters.slice_rows), rows).empty() &&
      *parameters.sigma % *parameters.slice_rows == 0) {
    return;
  }
  const int bits = std::countr_zero(static_cast<unsigned>(*parameters.slice_rows));
  const auto slots = static_cast<double>(sorted_slots(in.exec, in.A, bits, *parameters.sigma));
  const std::string refusal = too_much_padding(slots, rows);
  if (!refusal.empty()) {
    throw Refusal(std::string(BlockedEllFormat::name) + ": sorted, " + refusal,
                  "use csr, which holds any matrix");
  }
}

}  // namespace detail::blocked_ell

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> BlockedEllFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  using namespace detail::blocked_ell;
  Parameters parameters = Parameters::resolve(scheme, in.features.rows(), in.device);
  parameters.simd = parameters.loads_or_none(scheme, in.device);
  refuse_padding(in, parameters);
  return std::make_unique<Executor<Exec, Matrix, V, Acc>>(
      in, scheme_with(scheme, parameters, in.device), parameters);
}

template <>
inline constexpr bool detail::is_defined<BlockedEllFormat> = true;

}  // namespace heddle
