// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "level.hpp"

/// What a plan refuses, and whether its matrix is symmetric.
namespace heddle::detail::multigrid {

/// A, or Error.
template <class Matrix, Scalar S>
const Matrix& checked(const Matrix& A, const Multivector<const S>& near_nullspace,
                      const MultigridOptions& options) {
  const auto fail = [](const std::string& what, const char* remedy) { throw Error(what, remedy); };
  if (A.rows() != A.columns()) {
    fail("multigrid of a matrix of " + std::to_string(A.rows()) + " x " +
             std::to_string(A.columns()),
         "give a square matrix");
  }
  if (near_nullspace.count > 0 && near_nullspace.rows != std::int64_t{A.rows()}) {
    fail("near-nullspace vectors of " + std::to_string(near_nullspace.rows) +
             " rows for a matrix of " + std::to_string(A.rows()),
         "give a row for each of the matrix");
  }
  if (!(options.strength >= 0)) {
    fail("options.strength is " + std::to_string(options.strength), "give zero or more");
  }
  if (options.block_size < 1 || A.rows() % options.block_size != 0) {
    fail("options.block_size is " + std::to_string(options.block_size) + " for " +
             std::to_string(A.rows()) + " rows",
         "give a size that divides them");
  }
  if (options.degree < 0 || options.degree > most_degree) {
    fail("options.degree is " + std::to_string(options.degree),
         "give 1 to 4, or 0 for the default");
  }
  if (options.coarsest_rows < 0 || options.coarsest_rows > 4096) {
    fail("options.coarsest_rows is " + std::to_string(options.coarsest_rows), "give 0 to 4096");
  }
  if (options.max_levels < 1 || options.max_levels > 64) {
    fail("options.max_levels is " + std::to_string(options.max_levels), "give 1 to 64");
  }
  if (options.one_launch_entries < -1) {
    fail("options.one_launch_entries is " + std::to_string(options.one_launch_entries),
         "give a number of entries, or -1 for the default");
  }
  if (options.vectors.count < 1) {
    fail("options.vectors.count is " + std::to_string(options.vectors.count),
         "give the number of vectors that b will hold");
  }
  return A;
}

/// Throws Error for a diagonal of level l that was marked, or a bound that is not a number.
inline void throw_if_bad(std::size_t l, std::int64_t bad, double bound) {
  const std::string place = l == 0 ? "" : "on level " + std::to_string(l) + " ";
  if (bad != 0) {
    throw Error(place + "the diagonal is missing, not positive or not finite",
                Where{.row = bad - 1},
                l == 0 ? "multigrid smooths by it: store a positive one"
                       : "A is not positive definite: take another preconditioner");
  }
  if (!std::isfinite(bound)) {
    throw Error(place + "a value of the matrix is not finite", "give finite values");
  }
}

/// The bound of the spectrum of level l. Throws Error if that or the diagonal is bad. Waits.
template <ExecutionSpace Exec, class Matrix>
double checked_bound(const Exec& exec, const Level<Exec, Matrix>& level, std::size_t l) {
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  std::int64_t bad = 0;
  SpectrumNumbers numbers;
  Kokkos::deep_copy(kokkos_space(exec), bad,
                    Kokkos::View<const std::int64_t, Space, Unmanaged>(level.bad));
  Kokkos::deep_copy(kokkos_space(exec), numbers,
                    Kokkos::View<const SpectrumNumbers, Space, Unmanaged>(level.numbers));
  exec.fence("heddle::multigrid::check_values");
  throw_if_bad(l, bad, numbers.bound);
  return numbers.bound;
}

/// The vectors of a user, or where there are none the constant.
template <Scalar S>
struct CopyVectors {
  Multivector<const S> from;
  NearNullspace<S> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    to(row, vector) = from.count == 0 ? S(1) : from(row, vector);
  }
};

/// u' A v and the conjugate of v' A u, of two vectors of hashes: equal if A is Hermitian, and
/// hardly ever else. With the sum of magnitudes, which rounding is relative to.
struct MirrorSums {
  double one[2] = {0, 0}, other[2] = {0, 0}, magnitude = 0;
};

template <class Matrix>
struct CompareMirror {
  using value_type = MirrorSums;
  using S = typename Matrix::scalar_type;
  Matrix A;

  KOKKOS_FUNCTION void init(value_type& sums) const { sums = value_type(); }
  KOKKOS_FUNCTION void join(value_type& sums, const value_type& more) const {
    for (int part = 0; part < 2; ++part) {
      sums.one[part] += more.one[part];
      sums.other[part] += more.other[part];
    }
    sums.magnitude += more.magnitude;
  }
  KOKKOS_FORCEINLINE_FUNCTION static double u(std::int64_t i) { return random_entry(2 * i); }
  KOKKOS_FORCEINLINE_FUNCTION static double v(std::int64_t i) { return random_entry(2 * i + 1); }
  KOKKOS_FORCEINLINE_FUNCTION static double imaginary_part(const S& value) {
    if constexpr (is_complex<S>) {
      return static_cast<double>(value.imag());
    } else {
      return 0;
    }
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& sums) const {
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      const auto j = static_cast<std::int64_t>(A.col_idx().data()[k]);
      const S value = A.values().data()[k];
      const double uv = u(i) * v(j), vu = v(i) * u(j);
      const double parts[2] = {static_cast<double>(real_part(value)), imaginary_part(value)};
      sums.one[0] += parts[0] * uv;
      sums.one[1] += parts[1] * uv;
      sums.other[0] += parts[0] * vu;
      sums.other[1] -= parts[1] * vu;
      sums.magnitude += static_cast<double>(Kokkos::abs(value)) * Kokkos::abs(uv);
    }
  }
};

/// Whether a square A, whose columns were checked, is Hermitian but for the rounding of its
/// entries. One launch and one readback.
template <ExecutionSpace Exec, class Matrix>
bool is_symmetric(const Exec& exec, const Matrix& A) {
  MirrorSums sums;
  Kokkos::parallel_reduce("heddle::multigrid::compare_mirror", range_policy(exec, A.rows()),
                          CompareMirror<Matrix>{A}, sums);
  const double epsilon =
      sizeof(heddle::RealOf<typename Matrix::scalar_type>) == 4 ? 0x1p-23 : 0x1p-52;
  const double entries = std::max(1.0, static_cast<double>(A.nonzeros()));
  const double tolerance = (100 * epsilon / std::sqrt(entries) + 1e-13) * sums.magnitude;
  const bool differs = std::abs(sums.one[0] - sums.other[0]) > tolerance ||
                       std::abs(sums.one[1] - sums.other[1]) > tolerance;
  return !differs;
}

}  // namespace heddle::detail::multigrid
