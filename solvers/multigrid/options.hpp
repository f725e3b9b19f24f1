// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "../../core/multivector.hpp"

namespace heddle {

/// What smooths on each level, before and after the correction from the next one.
enum class MultigridSmoother {
  chebyshev,    ///< a polynomial in D^-1 A: products alone
  l1_jacobi,    ///< Jacobi with the sums of magnitudes of each row: needs no bound of a spectrum
  gauss_seidel  ///< sweeps by colors, forward before the correction and backward after it
};

/// In words.
constexpr const char* name(MultigridSmoother smoother) {
  switch (smoother) {
    case MultigridSmoother::chebyshev: return "Chebyshev";
    case MultigridSmoother::l1_jacobi: return "l1-Jacobi";
    case MultigridSmoother::gauss_seidel: break;
  }
  return "Gauss-Seidel by colors";
}

/// What a hierarchy is stored and computed in: the matrix's scalar, or single precision.
enum class MultigridValues { same, single_precision };

/// What a user may say about a MultigridPlan; every default is sensible.
struct MultigridOptions {
  /// An entry a(i, j) is strong if |a(i, j)|^2 > strength^2 |a(i, i) a(j, j)|: rows join along
  /// strong entries alone. Halved from level to level. 0: all entries but zeros are strong.
  double strength = 0.02;
  /// Rows of a node, 1 or more: unknowns of one place, which join together. The rows of A are a
  /// multiple of it.
  int block_size = 1;
  /// What smooths.
  MultigridSmoother smoother = MultigridSmoother::chebyshev;
  /// Degree of Chebyshev's polynomial, 1 to 4, or sweeps: products with the matrix of a level
  /// before its correction, and as many after it. 0: 2, and of Gauss-Seidel, which reads the matrix
  /// once for a sweep and the residual after it, 1.
  int degree = 0;
  /// single_precision: set-up and cycles in float, of a matrix in double; b and x stay in double,
  /// and their entries and those of A must lie in float's range. Coefficients that jump by more
  /// than some 1e5 cost iterations.
  MultigridValues values = MultigridValues::same;
  /// Levels of more rows are made coarser. The coarsest is inverted densely if it has no more.
  int coarsest_rows = 500;
  /// The most levels, the finest and the coarsest included.
  int max_levels = 20;
  /// Levels of at most so many entries, and those below them, take one launch together, except of
  /// Gauss-Seidel. 0: none. -1: as many as it makes faster, which on CPUs is none. Values differ by
  /// rounding from those of a launch each.
  std::int64_t one_launch_entries = -1;
  /// The vectors that b will hold. It may hold any number; room is kept for so many at once.
  ExpectedVectors vectors = {};
  /// How often the plan will be applied: what inspections of its products may cost.
  std::int64_t expected_applies = 1000;
};

}  // namespace heddle
