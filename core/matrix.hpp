// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

#include "arena.hpp"
#include "error.hpp"
#include "types.hpp"

namespace heddle {

namespace detail {

/// Converts a number of rows, columns or entries to the type of the matrix. Throws Error, naming
/// it, if the number is negative or does not fit.
template <std::integral To, std::integral From>
To matrix_size(From size, const char* what) {
  if (std::cmp_less(size, 0)) {
    throw Error("the matrix has " + std::to_string(size) + " " + what,
                "give 0 " + std::string(what) + " or more");
  }
  if (!std::in_range<To>(size)) {
    throw Error("the matrix has " + std::to_string(size) + " " + what + ", more than " +
                    std::to_string(8 * sizeof(To)) + " bits hold",
                "use wider ordinals (rows and columns) or offsets (entries)");
  }
  return static_cast<To>(size);
}

/// The element type and memory space of an array that is given to a matrix.
template <class Array, class Fallback>
struct MatrixArray {
  static_assert(Kokkos::is_view_v<Array>,
                "row_ptr, col_idx and values are Kokkos Views: of a std::vector give its data() to "
                "the constructor that takes pointers");
  using type = Fallback;
  using memory_space = Kokkos::HostSpace;
};
template <class Array, class Fallback>
  requires(Kokkos::is_view_v<Array>)
struct MatrixArray<Array, Fallback> {
  using type = typename Array::non_const_value_type;
  using memory_space = typename Array::memory_space;
};
template <class T>
struct ColumnIndex {
  static_assert(Ordinal<T>,
                "column indices are signed, of 32 or 64 bits: copy unsigned ones to int");
  using type = std::conditional_t<Ordinal<T>, T, int>;
};

/// The scalar type of the matrix for which a plan is made.
template <class Matrix>
struct ScalarOfMatrix {
  static_assert(
      requires { typename Matrix::scalar_type; },
      "a plan takes a heddle::CsrMatrix: heddle::csr_matrix(A) makes one, without a copy, "
      "of a matrix of Kokkos Kernels, and stored.matrix() is that of a CsrStorage");
  using type = double;
};
template <class Matrix>
  requires requires { typename Matrix::scalar_type; }
struct ScalarOfMatrix<Matrix> {
  using type = typename Matrix::scalar_type;
};
template <class Matrix>
using ScalarOf = typename ScalarOfMatrix<Matrix>::type;

}  // namespace detail

/// The pattern of a sparse matrix in compressed sparse row format, borrowed: a CsrMatrix without
/// values. Functions that read no values accept a pattern, so that they are compiled once for all
/// types of values.
template <Ordinal O, Offset Off, MemorySpace Space>
class CsrPattern {
 public:
  using ordinal_type = O;
  using offset_type = Off;
  using memory_space = Space;
  template <class T>
  using Array = Kokkos::View<const T*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  CsrPattern() = default;

  /// Borrows raw pointers into `Space`: rows + 1 offsets, and `nonzeros` columns. row_ptr may be
  /// null if there are no rows.
  template <std::integral Rows, std::integral Columns, std::integral Nonzeros>
  CsrPattern(Rows rows, Columns columns, Nonzeros nonzeros, const Off* row_ptr, const O* col_idx)
      : rows_(detail::matrix_size<O>(rows, "rows")),
        columns_(detail::matrix_size<O>(columns, "columns")),
        row_ptr_(row_ptr, row_ptr ? static_cast<std::size_t>(rows_) + 1 : 0),
        col_idx_(col_idx, entries(nonzeros)) {
    check_shape();
  }

  /// Borrows Kokkos Views of rank 1: row_ptr has rows + 1 (or, without rows, 0) entries. Throws
  /// Error if a View is not contiguous.
  template <std::integral Rows, std::integral Columns, class RowPtr, class ColIdx>
  CsrPattern(Rows rows, Columns columns, const RowPtr& row_ptr, const ColIdx& col_idx)
      : rows_(detail::matrix_size<O>(rows, "rows")),
        columns_(detail::matrix_size<O>(columns, "columns")),
        row_ptr_(borrow<Off>(row_ptr, "row_ptr")),
        col_idx_(borrow<O>(col_idx, "col_idx")) {
    check_shape();
  }

  // Kernels may call these.
  KOKKOS_FUNCTION O rows() const { return rows_; }
  KOKKOS_FUNCTION O columns() const { return columns_; }
  KOKKOS_FUNCTION Off nonzeros() const { return static_cast<Off>(col_idx_.extent(0)); }
  KOKKOS_FUNCTION Array<Off> row_ptr() const { return row_ptr_; }
  KOKKOS_FUNCTION Array<O> col_idx() const { return col_idx_; }

 protected:
  template <class T, class View>
  static Array<T> borrow(const View& view, const char* name) {
    constexpr bool fits = std::is_constructible_v<Array<T>, View>;
    static_assert(fits,
                  "row_ptr, col_idx and values are Kokkos Views of the matrix's types and space");
    if constexpr (fits) {
      if (view.extent(0) > 1 && view.stride(0) != 1) {
        throw Error(std::string(name) + " has a stride of " + std::to_string(view.stride(0)),
                    "copy it into a contiguous View of rank 1");
      }
      return Array<T>(view.data(), view.extent(0));
    }
    return {};
  }

  /// Checked before a View is made, to which the largest size means that no extent was given.
  template <std::integral Nonzeros>
  static std::size_t entries(Nonzeros nonzeros) {
    return static_cast<std::size_t>(detail::matrix_size<Off>(nonzeros, "entries"));
  }

 private:
  void check_shape() const {
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
                  "use a wider offset type");
    }
  }

  O rows_ = 0;
  O columns_ = 0;
  Array<Off> row_ptr_;
  Array<O> col_idx_;
};

/// A sparse matrix in compressed sparse row format, borrowed: it points at the caller's arrays and
/// neither copies nor owns them.
///
/// Entry k with row_ptr(i) <= k < row_ptr(i + 1) is in row i and column col_idx(k), and has value
/// values(k). Rows may be empty, columns unsorted, entries repeated (they add up). The arrays must
/// outlive the matrix and everything built from it. Sizes may be integers of any type; Error is
/// thrown if one is negative or does not fit in the matrix's types.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
class CsrMatrix : public CsrPattern<O, Off, Space> {
 public:
  using scalar_type = S;
  using pattern_type = CsrPattern<O, Off, Space>;
  template <class T>
  using Array = typename pattern_type::template Array<T>;

  CsrMatrix() = default;

  /// Borrows raw pointers into `Space`: rows + 1 offsets, and `nonzeros` columns and values.
  /// row_ptr may be null if there are no rows.
  template <std::integral Rows, std::integral Columns, std::integral Nonzeros>
  CsrMatrix(Rows rows, Columns columns, Nonzeros nonzeros, const Off* row_ptr, const O* col_idx,
            const S* values)
      : pattern_type(rows, columns, nonzeros, row_ptr, col_idx),
        values_(values, pattern_type::entries(nonzeros)) {}

  /// Borrows Kokkos Views of rank 1: row_ptr has rows + 1 (or, without rows, 0) entries, col_idx
  /// and values have equal lengths. Throws Error if a View is not contiguous.
  template <std::integral Rows, std::integral Columns, class RowPtr, class ColIdx, class Values>
  CsrMatrix(Rows rows, Columns columns, const RowPtr& row_ptr, const ColIdx& col_idx,
            const Values& values)
      : pattern_type(rows, columns, row_ptr, col_idx),
        values_(pattern_type::template borrow<S>(values, "values")) {
    const std::size_t entries = this->col_idx().extent(0);
    if (entries != values_.extent(0)) {
      throw Error("col_idx has " + std::to_string(entries) + " entries and values " +
                      std::to_string(values_.extent(0)),
                  "give one column and one value for each nonzero");
    }
  }

  // Kernels may call this.
  KOKKOS_FUNCTION Array<S> values() const { return values_; }

 private:
  Array<S> values_;
};

template <std::integral Rows, std::integral Columns, class RowPtr, class ColIdx, class Values>
CsrMatrix(Rows, Columns, const RowPtr&, const ColIdx&, const Values&) -> CsrMatrix<
    typename detail::MatrixArray<Values, double>::type,
    typename detail::ColumnIndex<typename detail::MatrixArray<ColIdx, int>::type>::type,
    typename detail::MatrixArray<RowPtr, int>::type,
    typename detail::MatrixArray<Values, double>::memory_space>;

/// The type of a matrix with signed offsets of the same width.
template <class Matrix>
using SignedOffsets =
    CsrMatrix<typename Matrix::scalar_type, typename Matrix::ordinal_type,
              std::make_signed_t<typename Matrix::offset_type>, typename Matrix::memory_space>;

/// Borrows A with its offsets read as signed integers of the same width, so that one instance of a
/// plan serves both. Throws Error if the number of nonzeros exceeds the signed maximum.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
auto with_signed_offsets(const CsrMatrix<S, O, Off, Space>& A) {
  if constexpr (std::signed_integral<Off>) {
    return A;
  } else {
    using Signed = std::make_signed_t<Off>;
    const bool has_offsets = A.row_ptr().extent(0) > 0;
    return CsrMatrix<S, O, Signed, Space>(
        A.rows(), A.columns(), A.nonzeros(),
        has_offsets ? reinterpret_cast<const Signed*>(A.row_ptr().data()) : nullptr,
        A.col_idx().data(), A.values().data());
  }
}

/// A CSR matrix that owns its arrays, all in one arena. Copies share the memory.
template <Scalar S, Ordinal O, Offset Off, MemorySpace Space>
class CsrStorage {
 public:
  using Matrix = CsrMatrix<S, O, Off, Space>;

  CsrStorage() = default;

  /// Allocates a matrix of this shape, uninitialized; fill row_ptr(), col_idx() and values().
  /// Throws Error if a size is negative or does not fit.
  template <ExecutionSpace Exec, std::integral Rows, std::integral Columns, std::integral Nonzeros>
  CsrStorage(const Exec& exec, Rows rows, Columns columns, Nonzeros nonzeros)
      : CsrStorage(
            Sizes{detail::matrix_size<O>(rows, "rows"), detail::matrix_size<O>(columns, "columns"),
                  detail::matrix_size<Off>(nonzeros, "entries")},
            exec) {}

  O rows() const { return rows_; }
  O columns() const { return columns_; }
  Off nonzeros() const { return static_cast<Off>(col_idx_.extent(0)); }
  auto row_ptr() const { return row_ptr_; }
  auto col_idx() const { return col_idx_; }
  auto values() const { return values_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// The borrowed matrix that other functions accept; valid while this storage (or a copy) lives. A
  /// temporary has none, since its arrays are freed at once.
  Matrix matrix() const& { return Matrix(rows_, columns_, row_ptr_, col_idx_, values_); }
  Matrix matrix() const&& = delete;

  /// A copy in another memory space: one allocation and one copy, ordered on `exec` (for fences see
  /// Arena::copy_to).
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

  struct Sizes {
    O rows, columns;
    Off nonzeros;
  };
  template <ExecutionSpace Exec>
  CsrStorage(const Sizes& sizes, const Exec& exec)
      : CsrStorage(
            sizes.rows, sizes.columns, sizes.nonzeros,
            Arena<Space>(exec, "heddle::csr::storage", needed_bytes(sizes.rows, sizes.nonzeros))) {}
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
