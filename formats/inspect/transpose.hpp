// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "column_order.hpp"

namespace heddle::detail {

/// The transpose of a CSR matrix, stored, with the way back: entry k of the transpose is entry
/// source(k) of the original. Within a row entries keep the order they have in the original, so a
/// transposing apply is deterministic.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Transposed {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  Transposed() = default;

  /// Counting sort by column on the device: count, scan, fill, and order within rows. Keeps two
  /// allocations, frees a third, for which it waits.
  Transposed(const Exec& exec, const Matrix& A)
      : storage_(exec, A.columns(), A.rows(), A.nonzeros()),
        kept_(exec, "heddle::transpose::source", arena_bytes<Off>(A.nonzeros())),
        source_(kept_.template take<Off>(A.nonzeros())) {
    sort(exec, A);
    update_values(exec, A);
  }

  /// New values of the same pattern.
  void update_values(const Exec& exec, const Matrix& A) {
    const auto source = source_;
    const auto from = A.values();
    const auto to = storage_.values();
    Kokkos::parallel_for(
        "heddle::transpose::values", policy(exec, A.nonzeros()),
        KOKKOS_LAMBDA(std::int64_t k) { to(k) = from(source(k)); });
  }

  Matrix matrix() const { return storage_.matrix(); }
  auto source() const { return source_; }
  std::size_t bytes() const { return storage_.bytes() + kept_.bytes(); }

  void sort(const Exec& exec, const Matrix& A) {
    const auto n = static_cast<std::size_t>(A.nonzeros());
    const auto counts = static_cast<std::size_t>(A.columns()) + 1;
    Arena<Space> work(exec, "heddle::transpose::work", arena_bytes<Off, Off>(n, counts));
    auto unordered = work.template take<Off>(n);
    auto next = work.template take<Off>(counts);
    const auto source = source_;
    const auto rows = A.rows();
    const auto columns = A.columns();
    const auto row_ptr = A.row_ptr();
    const auto col_idx = A.col_idx();
    const auto t_row_ptr = storage_.row_ptr();
    const auto t_col_idx = storage_.col_idx();

    Kokkos::parallel_for(
        "heddle::transpose::clear", policy(exec, static_cast<std::int64_t>(columns) + 1),
        KOKKOS_LAMBDA(std::int64_t j) { next(j) = Off(0); });
    Kokkos::parallel_for(
        "heddle::transpose::count", policy(exec, A.nonzeros()),
        KOKKOS_LAMBDA(std::int64_t k) { Kokkos::atomic_inc(&next(col_idx(k))); });
    Kokkos::parallel_scan(
        "heddle::transpose::scan", policy(exec, static_cast<std::int64_t>(columns) + 1),
        KOKKOS_LAMBDA(std::int64_t j, Off& sum, bool last) {
          const Off count = j < columns ? next(j) : Off(0);
          if (last) {
            t_row_ptr(j) = sum;
            next(j) = sum;
          }
          sum += count;
        });
    Kokkos::parallel_for(
        "heddle::transpose::fill", policy(exec, A.nonzeros()), KOKKOS_LAMBDA(std::int64_t k) {
          unordered(Kokkos::atomic_fetch_inc(&next(col_idx(k)))) = static_cast<Off>(k);
        });
    order_columns(exec, col_idx.data(), t_row_ptr.data(), columns,
                  static_cast<std::int64_t>(A.nonzeros()), unordered.data(), source.data());
    Kokkos::parallel_for(
        "heddle::transpose::columns", policy(exec, A.nonzeros()), KOKKOS_LAMBDA(std::int64_t slot) {
          t_col_idx(slot) = row_of(row_ptr.data(), rows, source(slot));
        });
    exec.fence("heddle::transpose::sorted");
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
    return Kokkos::RangePolicy<KokkosSpace<Exec>, Kokkos::IndexType<std::int64_t>>(exec, 0, n);
  }

  CsrStorage<S, O, Off, Space> storage_;
  Arena<Space> kept_;
  typename Arena<Space>::template Array<Off> source_;
};

}  // namespace heddle::detail
