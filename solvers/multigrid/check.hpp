// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "level.hpp"

/// What a plan refuses, and whether its matrix is symmetric.
namespace heddle::detail::multigrid {

/// A, or Error.
template <ExecutionSpace Exec, class Matrix, Scalar S>
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
  const bool sweeps = options.smoother == MultigridSmoother::gauss_seidel;
  if (options.one_launch_entries > 0 && (sweeps || !backends::has_cooperative<Exec>)) {
    fail(std::string("options.one_launch_entries has no effect on ") +
             (sweeps ? "levels that Gauss-Seidel smooths" : "this execution space"),
         "leave it out");
  }
  if (!(options.symmetry_tolerance >= 0)) {
    fail("options.symmetry_tolerance is " + std::to_string(options.symmetry_tolerance),
         "give zero or more");
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

/// The vectors of a user; without any the constant of each of the unknowns of a node.
template <Scalar S>
struct CopyVectors {
  Multivector<const S> from;
  NearNullspace<S> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i % to.rows;
    const int vector = static_cast<int>(i / to.rows);
    to(row, vector) = from.count > 0 ? from(row, vector) : S(row % to.vectors == vector ? 1 : 0);
  }
};

/// The first entry of vectors that is not finite: one more than its place, or 0.
template <Scalar S>
struct FindNotFinite {
  using value_type = std::int64_t;
  NearNullspace<S> of;

  KOKKOS_FUNCTION void init(value_type& place) const { place = 0; }
  KOKKOS_FUNCTION void join(value_type& place, const value_type& other) const {
    if (other != 0 && (place == 0 || other < place)) place = other;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t i, value_type& place) const {
    const auto size =
        static_cast<double>(Kokkos::abs(of(i % of.rows, static_cast<int>(i / of.rows))));
    if (!Kokkos::isfinite(size)) join(place, i + 1);
  }
};

/// Throws Error if an entry of a user's vectors is not finite. Waits.
template <ExecutionSpace Exec, Scalar S>
void check_vectors_finite(const Exec& exec, const NearNullspace<S>& of) {
  std::int64_t place = 0;
  Kokkos::parallel_reduce("heddle::multigrid::check_near_nullspace",
                          range_policy(exec, of.rows * of.vectors), FindNotFinite<S>{of}, place);
  if (place == 0) return;
  throw Error("near-nullspace vector " + std::to_string((place - 1) / of.rows) + " is not finite",
              Where{.row = (place - 1) % of.rows}, "give vectors of finite entries");
}

}  // namespace heddle::detail::multigrid
