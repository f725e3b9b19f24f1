// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/launch.hpp>
#include <heddle/core/arena.hpp>
#include <heddle/core/matrix.hpp>
#include <heddle/formats/csr/column_order.hpp>
#include <heddle/formats/csr/operands.hpp>

namespace heddle::csr {

/// The transpose of a CSR matrix, stored, with the way back: entry k of the transpose is entry
/// source(k) of the original. Within a row entries keep the order they have in the original, so a
/// transposing apply is deterministic.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Transposed {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  Transposed() = default;

  /// Counting sort by column on the device: count, scan, fill, and order within rows. Two
  /// allocations, no wait.
  Transposed(const Exec& exec, const Matrix& A)
      : storage_(exec, A.columns(), A.rows(), A.nonzeros()),
        work_(exec, "heddle::csr::transpose_work",
              arena_bytes<Off, Off, Off>(A.nonzeros(), A.nonzeros(),
                                         static_cast<std::size_t>(A.columns()) + 1)) {
    source_ = work_.template take<Off>(A.nonzeros());
    sort(exec, A);
    update_values(exec, A);
  }

  /// New values of the same pattern.
  void update_values(const Exec& exec, const Matrix& A) {
    const auto source = source_;
    const auto from = A.values();
    const auto to = storage_.values();
    Kokkos::parallel_for(
        "heddle::csr::transpose_values", policy(exec, A.nonzeros()),
        KOKKOS_LAMBDA(std::int64_t k) { to(k) = from(source(k)); });
  }

  Matrix matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return storage_.bytes() + work_.bytes(); }

  void sort(const Exec& exec, const Matrix& A) {
    auto unordered = work_.template take<Off>(A.nonzeros());
    auto next = work_.template take<Off>(static_cast<std::size_t>(A.columns()) + 1);
    const auto source = source_;
    const auto rows = A.rows();
    const auto columns = A.columns();
    const auto row_ptr = A.row_ptr();
    const auto col_idx = A.col_idx();
    const auto t_row_ptr = storage_.row_ptr();
    const auto t_col_idx = storage_.col_idx();

    Kokkos::parallel_for(
        "heddle::csr::transpose_clear", policy(exec, static_cast<std::int64_t>(columns) + 1),
        KOKKOS_LAMBDA(std::int64_t j) { next(j) = Off(0); });
    Kokkos::parallel_for(
        "heddle::csr::transpose_count", policy(exec, A.nonzeros()),
        KOKKOS_LAMBDA(std::int64_t k) { Kokkos::atomic_inc(&next(col_idx(k))); });
    Kokkos::parallel_scan(
        "heddle::csr::transpose_scan", policy(exec, static_cast<std::int64_t>(columns) + 1),
        KOKKOS_LAMBDA(std::int64_t j, Off& sum, bool last) {
          const Off count = j < columns ? next(j) : Off(0);
          if (last) {
            t_row_ptr(j) = sum;
            next(j) = sum;
          }
          sum += count;
        });
    Kokkos::parallel_for(
        "heddle::csr::transpose_fill", policy(exec, A.nonzeros()), KOKKOS_LAMBDA(std::int64_t k) {
          unordered(Kokkos::atomic_fetch_inc(&next(col_idx(k)))) = static_cast<Off>(k);
        });
    order_columns(exec, col_idx.data(), t_row_ptr.data(), columns,
                  static_cast<std::int64_t>(A.nonzeros()), unordered.data(), source.data());
    Kokkos::parallel_for(
        "heddle::csr::transpose_columns", policy(exec, A.nonzeros()),
        KOKKOS_LAMBDA(std::int64_t slot) {
          t_col_idx(slot) = row_of(row_ptr.data(), rows, source(slot));
        });
  }

  /// The row that nonzero k lies in.
  KOKKOS_FUNCTION static O row_of(const Off* row_ptr, O rows, Off k) {
    O low = 0, high = rows - 1;
    while (low < high) {
      const O middle = low + (high - low + 1) / 2;
      if (row_ptr[middle] <= k) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

 private:
  static auto policy(const Exec& exec, std::int64_t n) {
    return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n);
  }

  CsrStorage<S, O, Off, Space> storage_;
  Arena<Space> work_;
  typename Arena<Space>::template Array<Off> source_;
};

/// y += alpha * A' * x without a stored transpose: a subwarp a row scatters with atomic additions.
/// Not deterministic. The caller has scaled y by beta.
template <class Operands>
struct ScatterKernel {
  using Scratch = backends::NoScratch;
  using Off = typename Operands::offset_type;
  using Acc = typename Operands::accumulator_type;

  Operands operands;

  template <class Team>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Team& team, Scratch&) const {
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= operands.rows) return;
    const auto end = static_cast<std::int64_t>(operands.row_ptr[row + 1]);
    const auto begin = static_cast<std::int64_t>(operands.row_ptr[row]);
    for (std::int64_t at = begin + team.subwarp().lane(); at < end; at += Team::subwarp_width) {
      const auto k = static_cast<Off>(at);
      const auto value = operands.value(k);
      const auto column = operands.column(k);
      for (int c = 0; c < operands.x.count; ++c) {
        using V = std::remove_cvref_t<decltype(operands.y(0, 0))>;
        const Acc product = operands.alpha * Acc(value) * Acc(operands.x(row, c));
        Kokkos::atomic_add(&operands.y(column, c), V(product));
      }
    }
  }
};

}  // namespace heddle::csr
