// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>

#include "add.hpp"
#include "scale.hpp"

/// Norms and comparisons. Results are numbers on the host, for which each function waits. Norms use
/// stored entries: add up repeats first.
namespace heddle {

namespace detail {

/// The larger number, or NaN if one is NaN.
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

/// The magnitude of an entry in double, where that of a complex<float> cannot overflow.
template <Scalar S>
struct Magnitude {
  const S* values;

  KOKKOS_FORCEINLINE_FUNCTION static auto wide(const S& value) {
    if constexpr (is_complex<S>) {
      return Kokkos::complex<double>(value.real(), value.imag());
    } else {
      return static_cast<double>(value);
    }
  }
  KOKKOS_FUNCTION double operator()(std::int64_t k) const { return Kokkos::abs(wide(values[k])); }
};

/// The magnitude of an entry, or 0 if it is infinite.
template <Scalar S>
struct FiniteMagnitude : Magnitude<S> {
  KOKKOS_FUNCTION double operator()(std::int64_t k) const {
    const double magnitude = Magnitude<S>::operator()(k);
    return Kokkos::isinf(magnitude) ? 0 : magnitude;
  }
};

/// The magnitude of an entry of A - B; 0 if both have the same number, even an infinite one.
template <Scalar S, Offset Off>
struct DifferenceAt {
  Sources<S, Off> sources;
  KOKKOS_FUNCTION double operator()(std::int64_t k) const {
    return sources.with_sums(k, [](const S& one, const S& other, bool, bool) {
      return one == other ? 0.0 : Kokkos::abs(Magnitude<S>::wide(one) - Magnitude<S>::wide(other));
    });
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

/// The largest magnitude of an entry of A - B, or of A - A' if `mirrored`: B is A then. B is
/// conjugated if `conjugated`.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double largest_difference_of(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                             const CsrMatrix<S, O, Off, Space>& B, bool mirrored, bool conjugated) {
  const auto both = derive_union(exec, A, B, mirrored).made;
  const Source<S> one{.values = A.values().data()},
      other{.values = B.values().data(), .conjugated = conjugated};
  return largest_of(
      exec, static_cast<std::int64_t>(both.storage.nonzeros()),
      DifferenceAt<S, Off>{both.sources(static_cast<std::int64_t>(A.nonzeros()), one, other)});
}

template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double largest_finite(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A) {
  return largest_of(exec, static_cast<std::int64_t>(A.nonzeros()),
                    FiniteMagnitude<S>{{A.values().data()}});
}

/// No tolerance allows an infinite difference.
inline bool within(double difference, double tolerance, double scale) {
  return difference == 0 || (difference <= tolerance * scale && !std::isinf(difference));
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

/// The square root of the sum of the squares of all entries, without intermediate overflow: two
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
  const auto transposed = transpose(exec, A);
  return norm_infinity(exec, transposed.matrix());
}

/// The largest magnitude of an entry of A - B; NaN if one is NaN. Repeats are added up first, for
/// each matrix in their order; if both matrices then have the same number, even an infinite one,
/// the difference is 0. Workspace: that of add. Throws what add throws.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
double largest_difference(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
                          const CsrMatrix<S, O, Off, Space>& B) {
  detail::check_shapes(A.rows(), A.columns(), B.rows(), B.columns());
  return detail::largest_difference_of(exec, A, B, false, false);
}

/// Whether A and B are the same matrix, whatever the order of their rows' entries: of equal shape,
/// with no entry of A - B, as defined by largest_difference, above `tolerance` times the largest
/// finite magnitude in either. An infinite entry equals only itself, and NaN nothing.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
bool equal(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A,
           const CsrMatrix<S, O, Off, Space>& B, double tolerance = 0) {
  if (A.rows() != B.rows() || A.columns() != B.columns()) return false;
  const double scale = std::max(detail::largest_finite(exec, A), detail::largest_finite(exec, B));
  return detail::within(largest_difference(exec, A, B), tolerance, scale);
}

/// Whether A = A', or with Symmetry::hermitian A = A*, as defined by equal; false if A is not
/// square.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
bool is_symmetric(const Exec& exec, const CsrMatrix<S, O, Off, Space>& A, double tolerance = 0,
                  Symmetry symmetry = Symmetry::symmetric) {
  if (A.rows() != A.columns()) return false;
  const double difference =
      detail::largest_difference_of(exec, A, A, true, symmetry == Symmetry::hermitian);
  return detail::within(difference, tolerance, detail::largest_finite(exec, A));
}

}  // namespace heddle
