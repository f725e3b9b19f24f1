// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/arena.hpp"
#include "../../core/matrix.hpp"
#include "../../core/search.hpp"

/// The product of the matrix that smooths and a tentative prolongation, whose rows are those of one
/// aggregate: so that a row of the product is found by the few aggregates in it, and needs none of
/// what a product of any two matrices does.
namespace heddle::detail::multigrid {

/// Ascending numbers, each once, of as many as were added: by insertion, or of a long row by a
/// heap, so that no row costs the square of its length.
template <Ordinal O, Offset Off>
struct AscendingList {
  static constexpr Off longest_by_insertion = 64;
  O* numbers;
  Off count = 0;
  bool by_insertion;

  KOKKOS_FORCEINLINE_FUNCTION AscendingList(O* to, Off most)
      : numbers(to), by_insertion(most <= longest_by_insertion) {}

  KOKKOS_FUNCTION void add(O number) {
    Off place = count;
    if (by_insertion) {
      while (place > 0 && numbers[place - 1] > number) --place;
      if (place > 0 && numbers[place - 1] == number) return;
      for (Off k = count; k > place; --k) numbers[k] = numbers[k - 1];
    }
    numbers[place] = number;
    ++count;
  }
  KOKKOS_FUNCTION void finish() {
    if (by_insertion) return;
    for (Off root = count / 2; root-- > 0;) sink(root, count);
    for (Off end = count; --end > 0;) {
      swap(0, end);
      sink(0, end);
    }
    Off kept = 0;
    for (Off k = 0; k < count; ++k) {
      if (kept == 0 || numbers[kept - 1] != numbers[k]) numbers[kept++] = numbers[k];
    }
    count = kept;
  }

 private:
  KOKKOS_FUNCTION void swap(Off a, Off b) {
    const O number = numbers[a];
    numbers[a] = numbers[b];
    numbers[b] = number;
  }
  KOKKOS_FUNCTION void sink(Off root, Off end) {
    while (2 * root + 1 < end) {
      Off child = 2 * root + 1;
      if (child + 1 < end && numbers[child] < numbers[child + 1]) ++child;
      if (numbers[root] >= numbers[child]) return;
      swap(root, child);
      root = child;
    }
  }
};

/// The first column of each aggregate that a row of the product has, where that row of the matrix
/// that smooths begins, and how many entries these make.
template <class Matrix>
struct ListAggregates {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  Matrix smoothing, tentative;
  int vectors;
  O* list;
  Off* entries_of_row;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Off begin = smoothing.row_ptr().data()[i], end = smoothing.row_ptr().data()[i + 1];
    AscendingList<O, Off> found(list + begin, end - begin);
    for (Off k = begin; k < end; ++k) {
      const auto j = smoothing.col_idx().data()[k];
      const Off first = tentative.row_ptr().data()[j];
      if (first < tentative.row_ptr().data()[j + 1]) found.add(tentative.col_idx().data()[first]);
    }
    found.finish();
    entries_of_row[i] = found.count * static_cast<Off>(vectors);
  }
};

template <class Matrix>
struct PutProlongation {
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  const Off* begin_of_list;
  const O* list;
  const Off* row_ptr;
  O* col_idx;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const O* from = list + begin_of_list[i];
    for (Off k = row_ptr[i]; k < row_ptr[i + 1]; ++from) {
      for (int v = 0; v < vectors; ++v) col_idx[k++] = *from + static_cast<O>(v);
    }
  }
};

/// Each entry is added up in the order of the smoothing matrix's row, starting from zero.
template <class Matrix>
struct SumProlongation {
  using S = typename Matrix::scalar_type;
  using Off = typename Matrix::offset_type;
  Matrix smoothing, tentative, product;
  S* values;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const Off begin = product.row_ptr().data()[i];
    const Off count = product.row_ptr().data()[i + 1] - begin;
    const auto* const columns = product.col_idx().data() + begin;
    S* const sums = values + begin;
    for (Off k = 0; k < count; ++k) sums[k] = S(0);
    for (Off k = smoothing.row_ptr().data()[i]; k < smoothing.row_ptr().data()[i + 1]; ++k) {
      const auto j = smoothing.col_idx().data()[k];
      const Off first = tentative.row_ptr().data()[j];
      if (first == tentative.row_ptr().data()[j + 1]) continue;
      const Off place = first_not_below(columns, count, tentative.col_idx().data()[first]);
      const S weight = smoothing.values().data()[k];
      for (int v = 0; v < vectors; ++v) {
        sums[place + v] += weight * tentative.values().data()[first + v];
      }
    }
  }
};

/// The pattern by the constructor, which allocates and waits, the values by numeric.
template <ExecutionSpace Exec, class Matrix>
class SmoothedProlongation {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;
  using Space = typename Exec::memory_space;

  /// `vectors` entries in each row of the tentative one, or none.
  SmoothedProlongation(const Exec& exec, const Matrix& smoothing, const Matrix& tentative,
                       int vectors)
      : vectors_(vectors) {
    const std::int64_t rows = smoothing.rows();
    const auto n = static_cast<std::size_t>(rows);
    const auto most = static_cast<std::size_t>(smoothing.nonzeros());
    Arena<Space> work(exec, "heddle::multigrid::aggregates_of_rows",
                      arena_bytes<O, Off>(most, n + 1));
    O* const list = work.template take<O>(most).data();
    Off* const starts = work.template take<Off>(n + 1).data();
    parallel_for(exec, "heddle::multigrid::list_aggregates", rows,
                 ListAggregates<Matrix>{smoothing, tentative, vectors, list, starts});
    const std::int64_t entries = running_sum_and_total(
        exec, "heddle::multigrid::prolongation_row_ptr", starts, rows, Terms<Off>{starts});
    storage_ = CsrStorage<S, O, Off, Space>(exec, smoothing.rows(), tentative.columns(), entries);
    detail::copy(exec, "heddle::multigrid::prolongation_row_ptr", storage_.row_ptr().data(),
                 rows + 1, starts);
    parallel_for(
        exec, "heddle::multigrid::put_prolongation", rows,
        PutProlongation<Matrix>{smoothing.row_ptr().data(), list, storage_.row_ptr().data(),
                                storage_.col_idx().data(), vectors});
    exec.fence("heddle::multigrid::prolongation");
  }

  /// No wait, no allocation.
  void numeric(const Exec& exec, const Matrix& smoothing, const Matrix& tentative) {
    parallel_for(exec, "heddle::multigrid::sum_prolongation", std::int64_t{smoothing.rows()},
                 SumProlongation<Matrix>{smoothing, tentative, matrix(), storage_.values().data(),
                                         vectors_});
  }
  Matrix matrix() const { return storage_.matrix(); }
  std::size_t bytes() const { return storage_.bytes(); }

 private:
  int vectors_;
  CsrStorage<S, O, Off, Space> storage_;
};

}  // namespace heddle::detail::multigrid
