// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/algorithms/each_entry.hpp"
#include "../../backends/algorithms/sort.hpp"
#include "../../backends/algorithms/transpose.hpp"
#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../common/prediction.hpp"

namespace heddle::detail {

/// Bytes that the whole matrix of a triangle keeps, given its number of entries: a CSR matrix, and
/// for each value its place in the triangle.
inline std::size_t mirrored_bytes(std::int64_t rows, std::int64_t entries, const Sizes& sizes) {
  RowFeatures shape;
  shape.columns = rows;
  shape.nonzeros = entries;
  return stored_transpose_bytes(shape, sizes);
}

/// Writes the row of each entry's mirror image, which is the entry's column; the row after the last
/// for an entry on the diagonal, which has no mirror image.
template <Ordinal O>
struct PutMirroredRow {
  const O* col_idx;
  O rows;
  O* mirrored_row;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    mirrored_row[k] = std::int64_t{col_idx[k]} == row ? rows : col_idx[k];
  }
};

/// Writes the row starts of the whole matrix: sums of those of the triangle and of its mirror
/// image.
template <Offset Off>
struct AddRowStarts {
  const Off* own_ptr;
  const Off* mirrored_ptr;
  Off* row_ptr;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    row_ptr[row] = own_ptr[row] + mirrored_ptr[row];
  }
};

/// Puts the entries of one half of the whole matrix, the triangle or its mirror image, into rows. A
/// negative source, -1 - k, is the mirror image of entry k.
template <Ordinal O, Offset Off, bool IsMirrored>
struct PutHalf {
  const Off* half_ptr;
  const Off* before;  ///< row starts of the other half if it comes first, else null
  const Off* row_ptr;
  const O* column_of;  ///< column of entry k of the triangle, in this half
  const Off* order;    ///< entries of the mirror image, in its order
  O* col_idx;
  Off* source;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t place) const {
    const Off skipped = before ? before[row + 1] - before[row] : Off(0);
    const auto to = static_cast<std::int64_t>(row_ptr[row] + skipped - half_ptr[row]) + place;
    const Off k = IsMirrored ? order[place] : static_cast<Off>(place);
    col_idx[to] = column_of[k];
    source[to] = IsMirrored ? Off(-1) - k : k;
  }
};

template <Scalar S, Offset Off>
struct MirrorValues {
  const S* from;
  const Off* source;
  S* to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const Off at = source[k];
    to[k] = from[at < 0 ? Off(-1) - at : at];
  }
};

/// Copies the values of a Hermitian matrix: conjugates for the mirror image, and a real diagonal.
template <Scalar S, Ordinal O, Offset Off>
struct MirrorConjugates {
  const S* from;
  const Off* source;
  const O* col_idx;
  S* to;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    const Off at = source[k];
    const S value = at < 0 ? conjugate(from[Off(-1) - at]) : from[at];
    to[k] = std::int64_t{col_idx[k]} == row ? S(value.real()) : value;
  }
};

/// The whole of a symmetric or Hermitian matrix that has one stored triangle, with the source of
/// each value. Columns ascend if those of the triangle do; repeated entries are kept.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class WholeOfTriangle {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// `beside_diagonal` is the number of entries of A off its diagonal; with `is_lower` none is
  /// above it. A stable sort by column on the device, whose time does not depend on the pattern.
  /// Keeps two allocations, and frees others, for which it waits.
  WholeOfTriangle(const Exec& exec, const Matrix& A, std::int64_t beside_diagonal, bool is_lower,
                  Symmetry symmetry)
      : symmetry_(symmetry),
        storage_(exec, A.rows(), A.columns(),
                 static_cast<std::int64_t>(A.nonzeros()) + beside_diagonal),
        kept_(exec, "heddle::mirror::source", arena_bytes<Off>(entries())),
        source_(kept_.template take<Off>(entries())) {
    put(exec, A, is_lower);
    update_values(exec, A);
  }

  /// Copies new values of the same pattern. One launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    const char* const label = "heddle::mirror::values";
    const S* const from = A.values().data();
    S* const to = storage_.values().data();
    const auto count = static_cast<std::int64_t>(entries());
    if constexpr (is_complex<S>) {
      if (symmetry_ == Symmetry::hermitian) {
        const MirrorConjugates<S, O, Off> values{from, source_.data(), storage_.col_idx().data(),
                                                 to};
        return each_entry(exec, label, storage_.row_ptr().data(), storage_.rows(), count, values);
      }
    }
    parallel_for(exec, label, count, MirrorValues<S, Off>{from, source_.data(), to});
  }

  Matrix matrix() const& { return storage_.matrix(); }
  Matrix matrix() const&& = delete;
  std::size_t bytes() const { return storage_.bytes() + kept_.bytes(); }

  /// For the constructor alone; public, since CUDA requires it of functions that launch.
  void put(const Exec& exec, const Matrix& A, bool is_lower) {
    const O rows = A.rows();
    const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
    const auto starts = static_cast<std::size_t>(rows) + 1;
    Off* const row_ptr = storage_.row_ptr().data();
    if (rows == 0) return detail::fill(exec, "heddle::mirror::row_ptr", row_ptr, 1, Off(0));
    Off *order = nullptr, *mirrored_ptr = nullptr;
    const Arena<Space> work(exec, "heddle::mirror::work", arena_array(order, nonzeros),
                            arena_array(mirrored_ptr, starts));
    const Off* const own_ptr = A.row_ptr().data();
    RadixSort<Exec, O, Off> by_column(exec, nonzeros);
    each_entry(exec, "heddle::mirror::keys", own_ptr, rows, nonzeros,
               PutMirroredRow<O>{A.col_idx().data(), rows, by_column.room()});
    by_column.sort(exec, by_column.room(), rows, order);
    write_starts(exec, "heddle::mirror::mirrored_ptr", mirrored_ptr,
                 static_cast<std::int64_t>(rows), by_column.sorted(), nonzeros);
    O* const row_of = by_column.room();
    each_entry(exec, "heddle::mirror::rows", own_ptr, rows, nonzeros, PutRow<O>{row_of});
    O* const col_idx = storage_.col_idx().data();
    Off* const source = source_.data();
    parallel_for(exec, "heddle::mirror::row_ptr", static_cast<std::int64_t>(starts),
                 AddRowStarts<Off>{own_ptr, mirrored_ptr, row_ptr});
    each_entry(exec, "heddle::mirror::own", own_ptr, rows, nonzeros,
               PutHalf<O, Off, false>{own_ptr, is_lower ? nullptr : mirrored_ptr, row_ptr,
                                      A.col_idx().data(), nullptr, col_idx, source});
    each_entry(exec, "heddle::mirror::image", mirrored_ptr, rows, nonzeros,
               PutHalf<O, Off, true>{mirrored_ptr, is_lower ? own_ptr : nullptr, row_ptr, row_of,
                                     order, col_idx, source});
    exec.fence("heddle::mirror::put");
  }

 private:
  std::size_t entries() const { return static_cast<std::size_t>(storage_.nonzeros()); }

  Symmetry symmetry_;
  CsrStorage<S, O, Off, Space> storage_;
  Arena<Space> kept_;
  typename Arena<Space>::template Array<Off> source_;
};

}  // namespace heddle::detail
