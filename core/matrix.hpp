// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <utility>

#include "arena.hpp"
#include "error.hpp"
#include "types.hpp"

namespace heddle {

/// A sparse matrix in compressed sparse row form, borrowed: it points at the caller's arrays and
/// neither copies nor owns them.
///
/// Entry k with row_ptr(i) <= k < row_ptr(i + 1) lies at row i, column col_idx(k), and has
/// values(k). Rows may be empty, columns unsorted, entries repeated (they add up). The arrays must
/// outlive the matrix and whatever was built from it.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
class CsrMatrix {
 public:
  using scalar_type = S;
  using ordinal_type = O;
  using offset_type = Off;
  using memory_space = Space;
  template <class T>
  using Array = Kokkos::View<const T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  CsrMatrix() = default;

  /// From raw pointers into `Space`: rows + 1 offsets, then `nonzeros` columns and values. Of a
  /// matrix without rows, row_ptr may be null.
  CsrMatrix(O rows, O columns, Off nonzeros, const Off* row_ptr, const O* col_idx, const S* values)
      : rows_(rows),
        columns_(columns),
        row_ptr_(row_ptr, row_ptr ? static_cast<std::size_t>(rows) + 1 : 0),
        col_idx_(col_idx, entries(nonzeros)),
        values_(values, entries(nonzeros)) {
    check_shape();
  }

  /// From Kokkos Views of rank 1: row_ptr of rows + 1 (or, without rows, 0) entries, col_idx and
  /// values of one length. Throws Error where the entries of one do not lie side by side.
  template <class RowPtr, class ColIdx, class Values>
    requires(Kokkos::is_view_v<RowPtr> && Kokkos::is_view_v<ColIdx> && Kokkos::is_view_v<Values>)
  CsrMatrix(O rows, O columns, const RowPtr& row_ptr, const ColIdx& col_idx, const Values& values)
      : rows_(rows),
        columns_(columns),
        row_ptr_(borrow<Off>(row_ptr, "row_ptr")),
        col_idx_(borrow<O>(col_idx, "col_idx")),
        values_(borrow<S>(values, "values")) {
    check_shape();
  }

  // In kernels too.
  KOKKOS_FUNCTION O rows() const { return rows_; }
  KOKKOS_FUNCTION O columns() const { return columns_; }
  KOKKOS_FUNCTION Off nonzeros() const { return static_cast<Off>(col_idx_.extent(0)); }
  KOKKOS_FUNCTION Array<Off> row_ptr() const { return row_ptr_; }
  KOKKOS_FUNCTION Array<O> col_idx() const { return col_idx_; }
  KOKKOS_FUNCTION Array<S> values() const { return values_; }

 private:
  template <class T, class View>
  static Array<T> borrow(const View& view, const char* name) {
    static_assert(std::is_constructible_v<Array<T>, View>, "a View of that type and memory space");
    if (view.extent(0) > 1 && view.stride(0) != 1) {
      throw Error(std::string(name) + " has a stride of " + std::to_string(view.stride(0)),
                  "copy it into a View of rank 1 of its own, whose entries lie side by side");
    }
    return Array<T>(view.data(), view.extent(0));
  }

  /// Told before a View is made: the largest size stands for none there.
  static std::size_t entries(Off nonzeros) {
    if (std::cmp_less(nonzeros, 0)) {
      throw Error("a matrix of " + std::to_string(nonzeros) + " entries",
                  "give zero entries or more");
    }
    return static_cast<std::size_t>(nonzeros);
  }

  void check_shape() const {
    if (rows_ < 0 || columns_ < 0) {
      throw Error("a matrix of " + std::to_string(rows_) + " x " + std::to_string(columns_),
                  "give sizes of zero or more");
    }
    const std::size_t offsets = row_ptr_.extent(0);
    if (offsets != static_cast<std::size_t>(rows_) + 1 && !(rows_ == 0 && offsets == 0)) {
      throw Error("row_ptr has " + std::to_string(offsets) + " entries for " +
                      std::to_string(rows_) + " rows",
                  "give rows + 1 entries");
    }
    if (std::cmp_greater(col_idx_.extent(0), std::numeric_limits<Off>::max())) {
      throw Error("col_idx has " + std::to_string(col_idx_.extent(0)) +
                      " entries, more than offsets of " + std::to_string(8 * sizeof(Off)) +
                      " bits count",
                  "take a wider offset type");
    }
    if (col_idx_.extent(0) != values_.extent(0)) {
      throw Error("col_idx has " + std::to_string(col_idx_.extent(0)) + " entries and values " +
                      std::to_string(values_.extent(0)),
                  "give one column and one value for each nonzero");
    }
  }

  O rows_ = 0;
  O columns_ = 0;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
  Array<S> values_;
};

template <class O, class RowPtr, class ColIdx, class Values>
CsrMatrix(O, O, const RowPtr&, const ColIdx&, const Values&)
    -> CsrMatrix<typename Values::non_const_value_type, typename ColIdx::non_const_value_type,
                 typename RowPtr::non_const_value_type, typename Values::memory_space>;

/// A CSR matrix that owns its arrays, all in one arena. Copies share the memory.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
class CsrStorage {
 public:
  using Matrix = CsrMatrix<S, O, Off, Space>;

  CsrStorage() = default;

  /// Room for a matrix of that shape, uninitialized; fill row_ptr(), col_idx() and values().
  template <ExecutionSpace Exec>
  CsrStorage(const Exec& exec, O rows, O columns, Off nonzeros)
      : CsrStorage(rows, columns, nonzeros,
                   Arena<Space>(exec, "heddle::csr::storage", needed_bytes(rows, nonzeros))) {}

  O rows() const { return rows_; }
  O columns() const { return columns_; }
  Off nonzeros() const { return static_cast<Off>(col_idx_.extent(0)); }
  auto row_ptr() const { return row_ptr_; }
  auto col_idx() const { return col_idx_; }
  auto values() const { return values_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// The borrowed form that everything else takes; valid while this storage (or a copy) lives.
  Matrix matrix() const { return Matrix(rows_, columns_, row_ptr_, col_idx_, values_); }

  /// The same matrix in another memory space: one allocation, one copy, ordered on `exec` (see
  /// Arena::copy_to for when to fence).
  template <MemorySpace Target, ExecutionSpace Exec>
  CsrStorage<S, O, Off, Target> copy_to(const Exec& exec) const {
    if (arena_.bytes() == 0) return {};
    return CsrStorage<S, O, Off, Target>(rows_, columns_, nonzeros(),
                                         arena_.template copy_to<Target>(exec));
  }

 private:
  template <Scalar, Ordinal, Offset, MemorySpace>
  friend class CsrStorage;

  static std::size_t needed_bytes(O rows, Off nonzeros) {
    return arena_bytes<Off, O, S>(static_cast<std::size_t>(rows) + 1, nonzeros, nonzeros);
  }

  CsrStorage(O rows, O columns, Off nonzeros, Arena<Space> arena)
      : rows_(rows),
        columns_(columns),
        arena_(arena),
        row_ptr_(arena_.template take<Off>(static_cast<std::size_t>(rows) + 1)),
        col_idx_(arena_.template take<O>(nonzeros)),
        values_(arena_.template take<S>(nonzeros)) {}

  O rows_ = 0;
  O columns_ = 0;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<Off> row_ptr_;
  typename Arena<Space>::template Array<O> col_idx_;
  typename Arena<Space>::template Array<S> values_;
};

}  // namespace heddle
