// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "../../backends/loops.hpp"
#include "../../core/hash.hpp"
#include "../../core/matrix.hpp"
#include "../../core/real_part.hpp"

/// Whether a matrix is symmetric (Hermitian), which is tested on the device, and the entries where
/// it is not.
namespace heddle::detail::spectrum {

/// Whether a diagonal entry or its reciprocal is of no use to a smoother.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_bad(const S& entry) {
  const double size = static_cast<double>(Kokkos::abs(entry));
  const double other = static_cast<double>(Kokkos::abs(S(1) / entry));
  return !(static_cast<double>(real_part(entry)) > 0) || !Kokkos::isfinite(size) ||
         !Kokkos::isfinite(other);
}

/// The scale of an entry from the roots of its row and column, of which that of a row without
/// entries is 0: such a row has no unit of its own.
KOKKOS_FORCEINLINE_FUNCTION double mirror_scale(double root, double other) {
  return (root > 0 ? root : other) * (other > 0 ? other : root);
}

/// Number of pairs of random vectors by which a matrix is compared with its mirror image.
inline constexpr int mirror_pairs = 4;

/// Numbers on the device: u' (A - A*) v of each pair, real and imaginary part, with rows and
/// columns of A divided by the roots of their diagonal entries, or of row sums of magnitudes where
/// entries are bad; the estimate of the Frobenius norm
/// of the difference, divided by the root of the number of rows; and whether it is small enough.
struct Symmetry {
  double products[mirror_pairs][2];
  double difference;
  bool holds;
};

template <class Matrix>
struct CompareMirror {
  using value_type = Symmetry;
  using S = typename Matrix::scalar_type;
  Matrix A;
  const S* diagonal;
  const double* row_sums;
  double tolerance;

  KOKKOS_FUNCTION void init(Symmetry& of) const {
    for (auto& product : of.products) product[0] = product[1] = 0;
    of.difference = 0;
    of.holds = true;
  }
  KOKKOS_FUNCTION void join(Symmetry& of, const Symmetry& more) const {
    for (int p = 0; p < mirror_pairs; ++p) {
      for (int part = 0; part < 2; ++part) of.products[p][part] += more.products[p][part];
    }
  }
  /// A product of entries between -1 and 1 has a variance of 1/9. With NaN, which other checks
  /// report, the matrix counts as symmetric.
  KOKKOS_FUNCTION void final(Symmetry& of) const {
    double squares = 0;
    for (const auto& product : of.products) {
      squares += product[0] * product[0] + product[1] * product[1];
    }
    of.difference = Kokkos::sqrt(9 * squares / mirror_pairs / static_cast<double>(A.rows()));
    of.holds = !(of.difference > tolerance);
  }
  KOKKOS_FORCEINLINE_FUNCTION double root(std::int64_t i) const {
    return row_sums[i] > 0 ? Kokkos::sqrt(static_cast<double>(Kokkos::abs(diagonal[i]))) : 0.0;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double entry(std::int64_t i, int vector) {
    return random_entry(2 * mirror_pairs * i + vector);
  }
  KOKKOS_FORCEINLINE_FUNCTION static double imaginary_part(const S& value) {
    if constexpr (is_complex<S>) {
      return static_cast<double>(value.imag());
    } else {
      return 0;
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, Symmetry& of) const {
    const double own_root = root(i);
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      const S value = A.values().data()[k];
      if (value == S(0)) continue;
      const double scale = mirror_scale(own_root, root(j));
      const double real = static_cast<double>(real_part(value)) / scale;
      const double imaginary = imaginary_part(value) / scale;
      for (int p = 0; p < mirror_pairs; ++p) {
        const double here = entry(i, 2 * p) * entry(j, 2 * p + 1);
        const double mirrored = entry(j, 2 * p) * entry(i, 2 * p + 1);
        of.products[p][0] += real * (here - mirrored);
        of.products[p][1] += imaginary * (here + mirrored);
      }
    }
  }
};

/// Computes *symmetry of a square A with checked columns, from the diagonal and row sums that
/// prepare_diagonal computes. No wait.
template <ExecutionSpace Exec, class Matrix>
void compare_mirror(const Exec& exec, const Matrix& A, const typename Matrix::scalar_type* diagonal,
                    const double* row_sums, double tolerance, Symmetry* symmetry) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::parallel_reduce("heddle::spectrum::compare_mirror", range_policy(exec, A.rows()),
                          CompareMirror<Matrix>{A, diagonal, row_sums, tolerance},
                          Kokkos::View<Symmetry, typename Exec::memory_space, Unmanaged>(symmetry));
}

/// Copies a Symmetry to the host. Waits.
template <ExecutionSpace Exec>
Symmetry read_symmetry(const Exec& exec, const Symmetry* from) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Symmetry symmetry;
  Kokkos::deep_copy(kokkos_space(exec), symmetry,
                    Kokkos::View<const Symmetry, typename Exec::memory_space, Unmanaged>(from));
  exec.fence("heddle::spectrum::symmetry");
  return symmetry;
}

/// Two entries that mirror each other, and their difference divided by the root of the product of
/// their diagonal entries, or of row sums of magnitudes where entries are bad.
struct MirroredEntries {
  double difference = 0;
  std::int64_t row = -1, column = -1;
  bool by_row_sums = false;  ///< whether one of both entries is bad
};

/// Finds the mirrored entries that differ most. Long rows are skipped: each of their entries would
/// have to search in them.
template <class Matrix>
struct FindMirrored {
  using value_type = MirroredEntries;
  using S = typename Matrix::scalar_type;
  static constexpr std::int64_t longest_row = 4096;
  Matrix A;

  KOKKOS_FUNCTION void init(MirroredEntries& most) const { most = MirroredEntries(); }
  KOKKOS_FUNCTION void join(MirroredEntries& most, const MirroredEntries& other) const {
    const bool more = other.difference > most.difference;
    const bool as_much = other.difference == most.difference && other.row >= 0;
    if (more || (as_much && (most.row < 0 || other.row < most.row))) most = other;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_long(std::int64_t i) const {
    return A.row_ptr().data()[i + 1] - A.row_ptr().data()[i] > longest_row;
  }
  KOKKOS_FORCEINLINE_FUNCTION S sum(std::int64_t i, std::int64_t j) const {
    S sum(0);
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      if (static_cast<std::int64_t>(A.col_idx().data()[k]) == j) sum += A.values().data()[k];
    }
    return sum;
  }
  /// The root of a row's diagonal entry, or of its sum of magnitudes, which sets by_sum.
  KOKKOS_FORCEINLINE_FUNCTION double root(std::int64_t i, bool& by_sum) const {
    const S entry = sum(i, i);
    if (!is_bad(entry)) return Kokkos::sqrt(static_cast<double>(Kokkos::abs(entry)));
    by_sum = true;
    double magnitudes = 0;
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      magnitudes += static_cast<double>(Kokkos::abs(A.values().data()[k]));
    }
    return Kokkos::sqrt(magnitudes);
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, MirroredEntries& most) const {
    if (is_long(i)) return;
    bool own_by_sum = false;
    const double own = root(i, own_by_sum);
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      if (is_long(j)) continue;
      const auto difference = static_cast<double>(Kokkos::abs(sum(i, j) - conjugate(sum(j, i))));
      if (!(difference > 0)) continue;
      bool by_sum = own_by_sum;
      const double scale = mirror_scale(own, root(j, by_sum));
      join(most, {difference / scale, i, j, by_sum});
    }
  }
};

/// Why A counts as unsymmetric, in words. Waits.
template <ExecutionSpace Exec, class Matrix>
std::string words_of_asymmetry(const Exec& exec, const Matrix& A, double difference,
                               double tolerance) {
  MirroredEntries most;
  Kokkos::parallel_reduce("heddle::spectrum::find_mirrored", range_policy(exec, A.rows()),
                          FindMirrored<Matrix>{A}, most);
  const auto number = [](double of) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.2g", of);
    return std::string(text);
  };
  const auto entry = [](std::int64_t i, std::int64_t j) {
    return "a(" + std::to_string(i) + ", " + std::to_string(j) + ")";
  };
  const std::string over_all = "A and its adjoint differ by " + number(difference) +
                               " relative to the diagonal, and symmetry_tolerance is " +
                               number(tolerance);
  if (most.row < 0 || !(most.difference > 0)) return over_all;
  return entry(most.row, most.column) + " and " + entry(most.column, most.row) + " differ by " +
         number(most.difference) +
         (most.by_row_sums ? " times the sums of their rows; " : " times the diagonal; ") +
         over_all;
}

}  // namespace heddle::detail::spectrum
