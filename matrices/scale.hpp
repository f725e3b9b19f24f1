// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../backends/algorithms/each_entry.hpp"
#include "../backends/algorithms/sum_rows.hpp"
#include "../backends/loops.hpp"
#include "../core/matrix.hpp"

/// Diagonals and scaling. Each function except identity is one launch in the order of `exec`, with
/// no wait and no allocation. Vectors are Views of rank 1 that `exec` can access; Error names one
/// of wrong length.
namespace heddle {

namespace detail {

inline void check_length(std::size_t given, std::int64_t needed, const char* what) {
  if (static_cast<std::int64_t>(given) == needed) return;
  throw Error(std::string(what) + " " + std::to_string(given) + " entries instead of " +
                  std::to_string(needed),
              "give one for each row, column or entry of the matrix");
}

/// Sums up the entries on the diagonal.
template <Scalar S, Ordinal O>
struct OnDiagonal {
  const O* col_idx;
  const S* values;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k, S& sum) const {
    if (static_cast<std::int64_t>(col_idx[k]) == row) sum += values[k];
  }
};

/// Scaling by a vector of ones.
struct NoScaling {
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& value, std::int64_t) const {
    return value;
  }
};
template <class Vector>
struct ScalingBy {
  Vector by;
  template <class V>
  KOKKOS_FORCEINLINE_FUNCTION V operator()(const V& value, std::int64_t i) const {
    return by(i) * value;
  }
};

template <Scalar S, Ordinal O, class Left, class Right, class To>
struct ScaleEntry {
  const O* col_idx;
  const S* values;
  Left left;
  Right right;
  To to;

  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t row, std::int64_t k) const {
    to(k) = right(left(values[k], row), static_cast<std::int64_t>(col_idx[k]));
  }
};

template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, class Left,
          class Right, class To>
void scale_entries(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Left& left,
                   const Right& right, const To& to) {
  check_length(to.extent(0), static_cast<std::int64_t>(A.nonzeros()), "values have");
  each_entry(
      exec, "heddle::matrix::scale", A.row_ptr().data(), A.rows(),
      static_cast<std::int64_t>(A.nonzeros()),
      ScaleEntry<S, O, Left, Right, To>{A.col_idx().data(), A.values().data(), left, right, to});
}

template <Scalar S, Ordinal O, Offset Off>
struct PutIdentity {
  Off* row_ptr;
  O* col_idx;
  S* values;
  std::int64_t size;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    row_ptr[i] = static_cast<Off>(i);
    if (i == size) return;
    col_idx[i] = static_cast<O>(i);
    values[i] = S(1);
  }
};

}  // namespace detail

/// The diagonal of A: zero if it has no entry, the sum of repeated entries. It has as many entries
/// as A has rows, or columns if those are fewer.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView V>
void diagonal(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const V& diagonal) {
  const std::int64_t rows = A.rows() < A.columns() ? A.rows() : A.columns();
  detail::check_length(diagonal.extent(0), rows, "the diagonal has");
  detail::sum_rows<S>(exec, "heddle::matrix::diagonal", A.row_ptr().data(), rows,
                      detail::OnDiagonal<S, O>{A.col_idx().data(), A.values().data()}, diagonal);
}

/// values(k) = left(i) * A(i, j) for each entry k of A, at (i, j). `values` may be A's own.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView Left,
          WritableVectorView Values>
void scale_rows(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Left& left,
                const Values& values) {
  detail::check_length(left.extent(0), A.rows(), "factors of rows have");
  detail::scale_entries(exec, A, detail::ScalingBy<Left>{left}, detail::NoScaling(), values);
}

/// values(k) = right(j) * A(i, j) for each entry k of A, at (i, j). `values` may be A's own.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView Right,
          WritableVectorView Values>
void scale_columns(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Right& right,
                   const Values& values) {
  detail::check_length(right.extent(0), A.columns(), "factors of columns have");
  detail::scale_entries(exec, A, detail::NoScaling(), detail::ScalingBy<Right>{right}, values);
}

/// values(k) = right(j) * (left(i) * A(i, j)) for each entry k of A. `values` may be A's own.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space, VectorView Left,
          VectorView Right, WritableVectorView Values>
void scale(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, const Left& left,
           const Right& right, const Values& values) {
  detail::check_length(left.extent(0), A.rows(), "factors of rows have");
  detail::check_length(right.extent(0), A.columns(), "factors of columns have");
  detail::scale_entries(exec, A, detail::ScalingBy<Left>{left}, detail::ScalingBy<Right>{right},
                        values);
}

/// The identity of `size` rows. Allocates; no wait.
template <Scalar S, Ordinal O = int, Offset Off = int, ExecutionSpace Exec>
auto identity(const Exec& exec, std::int64_t size) {
  const CsrStorage<S, O, Off, typename Exec::memory_space> I(exec, size, size, size);
  detail::parallel_for(exec, "heddle::matrix::identity", size + 1,
                       detail::PutIdentity<S, O, Off>{I.row_ptr().data(), I.col_idx().data(),
                                                      I.values().data(), size});
  return I;
}

}  // namespace heddle
