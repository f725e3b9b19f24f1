// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "add.hpp"
#include "scale.hpp"

/// Norms and comparisons. Results are numbers on the host, for which each function waits. Norms use
/// entries as they are stored: add up repeats first.
namespace heddle {

namespace detail {

/// The larger, or NaN if one is.
KOKKOS_FORCEINLINE_FUNCTION double larger_or_nan(double a, double b) {
  return a > b || a != a ? a : b;
}

template <class Values>
struct Largest {
  using value_type = double;
  Values values;
  KOKKOS_FUNCTION void init(double& largest) const { largest = 0; }
  KOKKOS_FUNCTION void join(double& largest, const double& other) const {
    largest = larger_or_nan(other, largest);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t k, double& largest) const {
    largest = larger_or_nan(values(k), largest);
  }
};

template <Scalar S>
struct Magnitude {
  const S* values;
  KOKKOS_FUNCTION double operator()(std::int64_t k) const {
    return static_cast<double>(Kokkos::abs(values[k]));
  }
};

template <Scalar S>
struct SumOfSquares {
  Magnitude<S> magnitude;
  double largest;
  KOKKOS_FUNCTION void operator()(std::int64_t k, double& sum) const {
    const double part = magnitude(k) / largest;
    sum += part * part;
  }
};

template <ExecutionSpace Exec, class Values>
double largest_of(const Exec& exec, std::int64_t n, const Values& values) {
  double largest = 0;
  Kokkos::parallel_reduce("heddle::matrix::largest", range_policy(exec, n), Largest<Values>{values},
                          largest);
  return largest;
}

template <Scalar S>
struct AddMagnitude {
  Magnitude<S> magnitude;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::int64_t, std::int64_t k, double& sum) const {
    sum += magnitude(k);
  }
};

}  // namespace detail

/// The largest magnitude of an entry; NaN if one is NaN. One launch, no allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double norm_max(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return detail::largest_of(exec, static_cast<std::int64_t>(A.nonzeros()),
                            detail::Magnitude<S>{A.values().data()});
}

/// The square root of the sum of the squares of all entries, without overflow in between: two
/// launches, no allocation.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double norm_frobenius(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  const double largest = norm_max(exec, A);
  if (!(largest > 0) || std::isinf(largest)) return largest;
  double sum = 0;
  Kokkos::parallel_reduce("heddle::matrix::squares",
                          range_policy(exec, static_cast<std::int64_t>(A.nonzeros())),
                          detail::SumOfSquares<S>{{A.values().data()}, largest}, sum);
  return largest * std::sqrt(sum);
}

/// The largest sum of magnitudes of a row. The workspace is one double for each row.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double norm_infinity(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  const std::int64_t rows = A.rows();
  Arena<typename Exec::memory_space> work(exec, "heddle::matrix::row_sums",
                                          arena_bytes<double>(rows));
  const auto sums = work.template take<double>(static_cast<std::size_t>(rows));
  detail::sum_rows<double>(exec, "heddle::matrix::row_sums", A.row_ptr().data(), rows,
                           detail::AddMagnitude<S>{{A.values().data()}}, sums);
  return detail::largest_of(exec, rows, detail::Terms<double>{sums.data()});
}

/// The largest sum of magnitudes of a column: norm_infinity of a transpose, which is made
/// temporarily.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double norm_one(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return norm_infinity(exec, transpose(exec, A).matrix());
}

/// The largest magnitude of an entry of A - B, with repeats added up; NaN if one is NaN. The
/// workspace is that of add.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double largest_difference(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                          const CsrMatrix<S, O, Off, Space>& B) {
  return norm_max(exec, add(exec, S(1), A, S(-1), B).matrix());
}

/// Whether A and B are the same matrix, whatever the order of their entries: of the same shape,
/// with no entry of A - B above `tolerance` times the largest magnitude of either. NaN equals
/// nothing.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
bool equal(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
           const CsrMatrix<S, O, Off, Space>& B, double tolerance = 0) {
  if (A.rows() != B.rows() || A.columns() != B.columns()) return false;
  const double scale = std::max(norm_max(exec, A), norm_max(exec, B));
  return largest_difference(exec, A, B) <= tolerance * scale;
}

/// Whether A = A', or with Symmetry::hermitian A = A*, as defined by equal; false if A is not
/// square.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
bool is_symmetric(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, double tolerance = 0,
                  Symmetry symmetry = Symmetry::symmetric) {
  if (A.rows() != A.columns()) return false;
  const auto difference = detail::with_mirror(exec, S(1), A, S(-1), symmetry);
  return norm_max(exec, difference.matrix()) <= tolerance * norm_max(exec, A);
}

}  // namespace heddle
