// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/search.hpp"
#include "../inspect/recipe/compact.hpp"
#include "../inspect/recipe/fill_values.hpp"
#include "split.hpp"
#include "tuning.hpp"
#include "view.hpp"

namespace heddle::detail::dia {

/// For a recipe's split: the entries on these diagonals, whose offsets ascend.
template <Ordinal O>
struct OnDiagonals {
  const O* offsets = nullptr;
  int diagonals = 0;

  KOKKOS_FORCEINLINE_FUNCTION bool operator()(const recipe::Point& point) const {
    const std::int64_t offset = point.column - point.row;
    const int at = first_not_below(offsets, diagonals, offset);
    return at < diagonals && offsets[at] == offset;
  }
};

/// Of the one panel, where its diagonals begin and end.
struct PanelKernel {
  int* panel;
  int diagonals;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { panel[i] = i == 0 ? 0 : diagonals; }
};

/// The arrays of whole diagonals, in one allocation. The recipe: skew, so that columns become
/// diagonals; permute, so that the diagonals are those of the whole matrix; compact. With a rest a
/// split comes before.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off>
class Storage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;

  /// All diagonals of A. Counts them, with a readback and a workspace of a bit for each that there
  /// could be, which is freed; then one allocation and three launches.
  Storage(const Exec& exec, const Matrix& A) : rows_(A.rows()), stride_(padded(A.rows())) {
    const recipe::Compact<Exec, Matrix, Map> diagonals(exec, A, Map());
    diagonals_ = static_cast<int>(diagonals.keys());
    allocate(exec);
    diagonals.write(exec, all_.data(), offsets_.data());
    update_values(exec, A);
  }

  /// The full diagonals of A alone. One allocation and three launches, no wait: the split must
  /// outlive them.
  Storage(const Exec& exec, const Matrix& A, const Split<Exec, Matrix>& split)
      : rows_(A.rows()),
        stride_(padded(A.rows())),
        diagonals_(split.diagonals()),
        has_rest_(split.rest().entries > 0) {
    allocate(exec);
    if (diagonals_ == 0) return;
    Kokkos::parallel_for("heddle::spmv::dia_panel", range_policy(exec, 2),
                         PanelKernel{all_.data(), diagonals_});
    split.write_offsets(exec, offsets_.data());
    update_values(exec, A);
  }

  /// New values of the same pattern: one launch, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    if (diagonals_ == 0) return;
    if (!has_rest_) return fill(exec, A, Map());
    fill(exec, A, recipe::split(OnDiagonals<O>{offsets_.data(), diagonals_}) | Map());
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
  using Map = decltype(recipe::skew() | recipe::permute());

  void allocate(const Exec& exec) {
    const auto count = static_cast<std::size_t>(diagonals_);
    arena_ = Arena<Space>(exec, "heddle::spmv::dia", arena_bytes<int, O, S>(2, count, places()));
    all_ = arena_.template take<int>(2);
    offsets_ = arena_.template take<O>(count);
    values_ = arena_.template take<S>(places());
  }

  template <class AnyMap>
  void fill(const Exec& exec, const Matrix& A, const AnyMap& map) {
    const recipe::BlocksByColumns layout{stride_, 1, stride_};
    recipe::fill_values(exec, "heddle::spmv::dia_fill", A, map, all_.data(), offsets_.data(),
                        layout, values_.data(), recipe::Holes());
  }

  O rows_;
  std::int64_t stride_;
  int diagonals_ = 0;
  bool has_rest_ = false;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<int> all_;  // the one panel's diagonals: 0, diagonals_
  typename Arena<Space>::template Array<O> offsets_;
  typename Arena<Space>::template Array<S> values_;
};

/// The full diagonals of a matrix and the rest of its entries, which takes Vectors vectors in a
/// launch.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar Acc, int Vectors>
class SplitStorage {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = CsrMatrix<S, O, Off, Space>;
  using Rest = rest::Storage<Exec, S, O, Off, Acc, Vectors>;

  /// Waits for `exec` at the readbacks of the split and at the end, when its workspace goes.
  SplitStorage(const Exec& exec, const Matrix& A, int fill, const Device& device)
      : SplitStorage(exec, A, Split<Exec, Matrix>(exec, A, fill), device) {}

  /// New values of the same pattern: two launches, no wait.
  void update_values(const Exec& exec, const Matrix& A) {
    diagonals_.update_values(exec, A);
    if (has_rest()) rest_.template fill<false>(exec, A, Listed<O, Off>{list_.data()});
  }

  const Storage<Exec, S, O, Off>& diagonals() const { return diagonals_; }
  bool has_rest() const { return rest_.size().entries > 0; }
  const Rest& rest() const { return rest_; }
  std::size_t bytes() const { return diagonals_.bytes() + rest_.bytes() + arena_.bytes(); }

 private:
  SplitStorage(const Exec& exec, const Matrix& A, const Split<Exec, Matrix>& split,
               const Device& device)
      : diagonals_(exec, A, split) {
    if (split.rest().entries > 0) {
      rest_ = Rest(exec, A, split.rest(), split.rest_counts(), device);
      const auto entries = static_cast<std::size_t>(split.rest().entries);
      arena_ = Arena<Space>(exec, "heddle::spmv::dia_list", arena_bytes<Off>(entries));
      list_ = arena_.template take<Off>(entries);
      split.write_list(exec, list_.data());
      rest_.template fill<true>(exec, A, Listed<O, Off>{list_.data()});
    }
  }

  Storage<Exec, S, O, Off> diagonals_;
  Rest rest_;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<Off> list_;  // where update_values finds the rest
};

}  // namespace heddle::detail::dia
