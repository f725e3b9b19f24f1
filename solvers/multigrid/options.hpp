// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "../../core/multivector.hpp"
#include "../../core/words.hpp"
#include "../../formats/common/prediction.hpp"

namespace heddle {

/// The prolongations of a MultigridPlan.
enum class MultigridKind {
  automatic,             ///< smoothed aggregation, or plain for few options.expected_solves
  smoothed_aggregation,  ///< the tentative prolongation after one step of weighted Jacobi
  plain_aggregation      ///< the tentative prolongation alone: a shorter set-up, more iterations
};

template <>
inline constexpr detail::Word<MultigridKind> detail::words<MultigridKind>[] = {
    {MultigridKind::automatic, "automatic"},
    {MultigridKind::smoothed_aggregation, "smoothed-aggregation"},
    {MultigridKind::plain_aggregation, "plain-aggregation"}};

/// How often a cycle visits a level from the next finer one, and what it makes of the visits.
enum class MultigridCycle {
  v,  ///< once
  w,  ///< twice, the second time for the residual of the first
  k   ///< twice, as two steps of a flexible Krylov method
};

template <>
inline constexpr detail::Word<MultigridCycle> detail::words<MultigridCycle>[] = {
    {MultigridCycle::v, "v"}, {MultigridCycle::w, "w"}, {MultigridCycle::k, "k"}};

/// The smoother of each level, before and after the correction from the next level.
enum class MultigridSmoother {
  chebyshev,     ///< a polynomial in D^-1 A: products alone
  l1_jacobi,     ///< Jacobi with the sums of magnitudes of each row: needs no bound of the spectrum
  gauss_seidel,  ///< sweeps by colors, forward before the correction and backward after it
  block_chebyshev  ///< a polynomial in D^-1 A, with the dense blocks of nodes on the diagonal as D
};

template <>
inline constexpr detail::Word<MultigridSmoother> detail::words<MultigridSmoother>[] = {
    {MultigridSmoother::chebyshev, "chebyshev"},
    {MultigridSmoother::l1_jacobi, "l1-jacobi"},
    {MultigridSmoother::gauss_seidel, "gauss-seidel"},
    {MultigridSmoother::block_chebyshev, "block-chebyshev"}};

/// The measure of an entry's strength.
enum class MultigridMeasure {
  automatic,  ///< evolution if large positive entries make magnitudes mislead, else magnitude
  magnitude,  ///< the entry's magnitude over those of the diagonal
  evolution   ///< how smoothing spreads an impulse, and two steps of smoothing of the prolongation
};

template <>
inline constexpr detail::Word<MultigridMeasure> detail::words<MultigridMeasure>[] = {
    {MultigridMeasure::automatic, "automatic"},
    {MultigridMeasure::magnitude, "magnitude"},
    {MultigridMeasure::evolution, "evolution"}};

/// The type in which a hierarchy is stored and computed: the matrix's scalar, or single precision.
enum class MultigridValues { same, single_precision };
template <>
inline constexpr detail::Word<MultigridValues> detail::words<MultigridValues>[] = {
    {MultigridValues::same, "same"}, {MultigridValues::single_precision, "single-precision"}};

/// Options of a MultigridPlan. Every default is sensible.
struct MultigridOptions {
  /// Smoothed or plain aggregation. Has no effect with MultigridParts::prolongation, where it is an
  /// Error unless automatic.
  MultigridKind kind = MultigridKind::automatic;
  /// V and W cycles are linear maps. A K cycle is none: its solver must be flexible, which CgSolver
  /// then is by itself.
  MultigridCycle cycle = MultigridCycle::v;
  /// An entry a(i, j) is strong if |a(i, j)|^2 > strength^2 |a(i, i) a(j, j)|: only strong entries
  /// join rows. Halved from level to level. 0: all entries except zeros are strong.
  double strength = 0.02;
  /// The measure of an entry's strength. automatic takes evolution, on all levels, for nodes of one
  /// row with one near-nullspace vector v, if in most rows i of A, with ascending columns, the
  /// largest positive a(i, j) v(i) v(j) is between 1/8 and all of the largest negative one: finite
  /// elements whose stiff direction follows no edge. evolution is an Error for other nodes or
  /// vectors.
  MultigridMeasure strength_measure = MultigridMeasure::automatic;
  /// Sweeps, 0 to 100, that relax near-nullspace vectors on each level before rows are joined: v -=
  /// p(D^-1 A) D^-1 A v, two products each. -1: 4 if the vectors are of no use: |(A
  /// v)(i)| > |a(i, i) v(i)| / 2 in more than a quarter of the rows, and in fewer than half as many
  /// after these sweeps; constants of the plan's own are then first divided by the root of the
  /// diagonal. Else 0.
  int improve_candidates = -1;
  /// Rows of a node, 1 or more: the unknowns of one point, which stay in one aggregate. It divides
  /// the number of rows of A. Without near-nullspace vectors each of these unknowns has its own
  /// constant vector.
  int block_size = 1;
  /// The smoother of all levels. The blocks of block_chebyshev have block_size rows on the finest
  /// level and one for each near-nullspace vector on the others, 32 at most. With a degree of 1 it
  /// is block Jacobi, damped. In place of a singular block it takes its diagonal, which levels()
  /// reports.
  MultigridSmoother smoother = MultigridSmoother::chebyshev;
  /// The smoothers of the finest levels, in place of `smoother`: of level 0, 1 and so on.
  std::vector<MultigridSmoother> smoothers = {};
  /// Degree of the Chebyshev polynomial, 1 to 4, or number of sweeps: products with the matrix of a
  /// level before its correction, and as many after it. 0: the default, which is 2, or 1 for
  /// Gauss-Seidel, which reads the matrix once for a sweep and the residual after it, and for
  /// MultigridParts::preconditioner.
  int degree = 0;
  /// single_precision: set-up and cycles in float for a matrix in double. b and x stay in double
  /// and may have any scale; entries of A must be in float's range. Coefficients that jump by more
  /// than about 1e5 cost iterations.
  MultigridValues values = MultigridValues::same;
  /// Levels with more rows are coarsened. The coarsest is inverted densely if it has no more: 0 to
  /// 4096, or any number with MultigridParts::coarsest, which replaces the inverse.
  int coarsest_rows = 500;
  /// Maximum number of levels, the finest and the coarsest included.
  int max_levels = 20;
  /// Maximum entries of all levels over those of A, 1 or more: no level is added that would exceed
  /// it, unless that level is inverted.
  double max_operator_complexity = 5;
  /// Levels with at most this many entries, and the coarser ones, share one launch, if chebyshev or
  /// l1_jacobi is `smoother`; with another, more than 0 is an Error. 0: no level does. -1: as many
  /// as gain by it; on CPUs none. Values differ by rounding from those of separate launches.
  std::int64_t one_launch_entries = -1;
  /// The vectors that b will hold. Any number works; the plan reserves memory for this many at
  /// once, and more if a solver needs it (MultigridPlan::reserve).
  ExpectedVectors vectors = {};
  /// Number of applies that the plan is made for: more of them justify longer inspections of its
  /// products.
  std::int64_t expected_applies = 1000;
  /// Number of solves with one set-up, from which an automatic kind is chosen; 0: unknown, which
  /// means smoothed aggregation.
  int expected_solves = 0;
  /// Whether cycles read the values of the user's A instead of a copy. These must then stay
  /// unchanged, and outlive the plan, until update_values replaces them. An Error with
  /// single_precision, which stores its own values.
  bool borrow_values = false;
  /// A counts as symmetric (Hermitian) if |D^-1/2 (A - A*) D^-1/2| <= symmetry_tolerance sqrt(n) in
  /// the Frobenius norm, with A's diagonal D, estimated by four products with random vectors. The
  /// default accepts values that were assembled in single precision or read from a file with 8
  /// digits.
  double symmetry_tolerance = 1e-5;
  /// The most device memory, in bytes, that the plan may keep: bytes() never exceeds it. Error
  /// reports how much a plan of A keeps at least, before anything is allocated, or with how many
  /// levels it keeps more. With a bound MultigridPlan::reserve does nothing: set `vectors`. The
  /// bound does not include temporary memory of the set-up.
  std::size_t max_bytes = no_bound;
};

}  // namespace heddle
