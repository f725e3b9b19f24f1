// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/device.hpp"
#include "../../formats/common/prediction.hpp"
#include "options.hpp"
#include "report.hpp"

/// The pairs that may serve, and their predicted times. A prediction is a function of A, the
/// device's figures and the options, never of a clock.
namespace heddle::detail::solve {

/// Iterations after which GMRES is restarted.
inline constexpr int restart = 30;

/// Numbers that were fitted to times and iterations of the set solve-fit, on an H200 and on two
/// threads of a Xeon, and judged by the set solve-judge: docs/design/solve.md.
namespace fitted {

// Any iteration:
inline constexpr double share_of_copy = 0.55;     ///< of a copy's bandwidth, that a GPU reaches
inline constexpr double launch_seconds = 4.2e-6;  ///< for each launch that a GPU has queued
/// That two threads of a CPU reach, part of them in caches.
inline constexpr double cpu_bytes_per_second = 50e9;
/// Iterations of conjugate gradients with Jacobi's preconditioner: factor * condition^power *
/// digits. The bound has 0.5 and 0.5.
inline constexpr double iterations_factor = 0.45, iterations_power = 0.4;
inline constexpr double elastic_iterations = 2.5;  ///< times those of a scalar grid
/// Times those without a restart, from `restart` on; more if A is not definite, in proportion to
/// the number of restarts over the last one.
inline constexpr double restarted_iterations = 1.5, restarts_of_indefinite = 5;
// Incomplete factors:
inline constexpr double oblique_gain = 16;       ///< iterations of Jacobi's over theirs
inline constexpr double gpu_sweep_products = 4;  ///< a sweep in products, beside its levels
inline constexpr double gpu_level_seconds = 1.6e-6;
inline constexpr double gpu_factor_seconds = 1.5e-3, gpu_factor_entry_seconds = 0.5e-9;
inline constexpr double gpu_factor_level_seconds = 1.2e-6;  ///< for each entry of a row
inline constexpr double cpu_sweep_products = 6;             ///< by several threads
inline constexpr double cpu_level_seconds = 1.1e-6;
inline constexpr double cpu_factor_sweeps = 17;
// Multigrid, with its set-up for each level and each entry:
inline constexpr double gpu_level_setup_seconds = 2e-3, gpu_entry_setup_seconds = 1.4e-9;
inline constexpr double gpu_elastic_level_setup_seconds = 5e-3;
inline constexpr double gpu_elastic_entry_setup_seconds = 5.5e-9;
inline constexpr double filled_setup = 4;  ///< times that, of a pattern that is not symmetric
inline constexpr double cpu_level_setup_seconds = 5e-3, cpu_setup_cycles = 100;
inline constexpr double launches_of_level = 7;
inline constexpr double elastic_cycles = 1.5;  ///< with a near-nullspace, times those of a scalar
inline constexpr double oblique_cycles = 2, oblique_setup = 2;
inline constexpr double unsymmetric_cycles = 1.5;  ///< without Ritz values

}  // namespace fitted

/// A matrix, a device and options, on which prices depend.
struct Priced {
  const MatrixFacts& A;
  const Device& device;
  double product_bytes;  ///< moved by a product
  int scalar_bytes;
  double tolerance;
  bool has_near_nullspace;
  int block_size;
  bool has_direct;

  double rows() const { return static_cast<double>(A.rows); }
  double vector_bytes() const { return rows() * scalar_bytes; }
  double seconds(double bytes, double launches) const {
    const double memory = estimated_bytes_per_second(device);
    if (device.has_lanes()) {
      return bytes / (fitted::share_of_copy * memory) + launches * fitted::launch_seconds;
    }
    return bytes / std::max(memory, fitted::cpu_bytes_per_second) +
           launches * estimated_launch_seconds(device);
  }
  /// ln(2 / tolerance), for a tolerance that arithmetic can reach.
  double digits() const { return std::log(2 / std::clamp(tolerance, 1e-16, 0.5)); }
  /// Layers of rows that depend on one another, from the bandwidth: the side of a grid in its
  /// natural order. At least the cube root of the rows, for a matrix in any order.
  double layers() const {
    const double by_band = rows() / static_cast<double>(std::max<std::int64_t>(A.bandwidth, 1));
    return std::max(std::cbrt(rows()), by_band);
  }
};

/// The condition of D^-1 A. Without Ritz values, or if their least one still fell, A is taken for
/// the Laplacian of a grid of so many layers, whose condition is (2 / pi)^2 layers^2, unless
/// Gershgorin's discs about 1 are off zero.
inline double condition(const Priced& of) {
  const MatrixFacts& A = of.A;
  const bool settled = A.steps > 0 && A.settled;
  const double seen = A.steps > 0 ? A.largest_magnitude / std::max(A.least_magnitude, 1e-300) : 1;
  const double grid = settled ? 1 : 0.4 * of.layers() * of.layers();
  const double bound = A.least_dominance > 0 ? (2 - A.least_dominance) / A.least_dominance : 1e16;
  return std::clamp(std::min(std::max(seen, grid), bound), 1.0, 1e16);
}

/// Iterations of the method with Jacobi's preconditioner, over `gain`.
inline double krylov_iterations(const Priced& of, SolveMethod method, double gain) {
  // Eigenvalues that are far from the real line count as those of both signs: the condition, and no
  // more a power of it.
  const double size = std::max(of.A.largest_magnitude, 1e-300);
  const double turned = of.A.symmetric ? 0 : std::min(of.A.largest_imaginary / size, 1.0);
  constexpr double power = fitted::iterations_power;
  double iterations = fitted::iterations_factor *
                      std::pow(condition(of), power + (1 - power) * turned) * of.digits();
  if (of.block_size > 1) iterations *= fitted::elastic_iterations;
  const bool negative =
      of.A.seen_indefinite() || of.A.zero_diagonal > 0 || of.A.negative_diagonal > 0;
  // Without a bound for indefinite systems but that of the squared matrix: an estimate.
  if (negative) iterations *= 4;
  if (!of.A.symmetric && of.A.largest_real > 0) {
    iterations *= 1 + of.A.largest_imaginary / of.A.largest_real;
  }
  iterations = std::min(iterations / gain, of.rows()) + 1;
  if (method == SolveMethod::gmres && iterations > restart) {
    const bool definite = of.A.symmetric && !negative;
    const double restarts = iterations / restart;
    iterations *= std::max(fitted::restarted_iterations,
                           definite ? 1 : restarts / fitted::restarts_of_indefinite);
  }
  if (method == SolveMethod::bicgstab) iterations *= 1.5;  // counts both products of a step
  return iterations;
}

/// Whether couplings of both signs tell of a direction that no axis of the grid follows.
inline bool is_oblique(const Priced& of) {
  return of.A.symmetric && of.A.positive_diagonal() && of.block_size == 1 &&
         of.A.positive_entries > of.A.entries / 8;
}

/// Fills in the price of a pair.
inline void price(const Priced& of, SolvePair& pair) {
  using M = SolveMethod;
  using P = SolvePreconditioner;
  const bool gpu = of.device.has_lanes();
  const double v = of.vector_bytes(), product = of.product_bytes;
  // Vectors that an iteration moves and launches beside the product: docs/krylov.md, "What an
  // iteration costs".
  double vectors = 0, launches = 0, kept = 0;
  switch (pair.method) {
    case M::cg: vectors = pair.preconditioner == P::none ? 8 : 10, launches = 3, kept = 6; break;
    case M::minres: vectors = 20, launches = 5, kept = 9; break;
    case M::gmres: vectors = restart + 4, launches = 5, kept = restart + 4; break;
    case M::bicgstab: vectors = 9.5, launches = 2, kept = 9; break;
  }
  double seconds = of.seconds(product + vectors * v, launches + 1), gain = 1;
  const double band = static_cast<double>(std::max<std::int64_t>(of.A.bandwidth, 1));
  double setup = 0, bytes = kept * v;
  const double entries = static_cast<double>(of.A.entries);
  const double entry_bytes = of.scalar_bytes + 4;
  switch (pair.preconditioner) {
    case P::none:
      gain = 1 / std::sqrt(of.A.largest_diagonal / std::max(of.A.least_diagonal, 1e-300));
      break;
    case P::jacobi:
      if (pair.method != M::cg) seconds += of.seconds(3 * v, 1);
      break;
    case P::incomplete: {
      // Levels of a grid in natural order are some three a layer, and each is a hand-over, which a
      // factorization makes for each entry of a row on a GPU. One thread takes about two products
      // for a sweep (docs/overview.md).
      const double levels = of.A.two_levels ? 2 : 3 * of.layers() * of.A.block_size;
      double sweep = 0;
      if (gpu) {
        sweep = of.seconds(fitted::gpu_sweep_products * product, 2) +
                fitted::gpu_level_seconds * levels;
        setup = fitted::gpu_factor_seconds + fitted::gpu_factor_entry_seconds * entries +
                fitted::gpu_factor_level_seconds * levels * entries / of.rows();
      } else {
        const bool several = of.device.multiprocessors > 1;
        sweep = of.seconds((several ? fitted::cpu_sweep_products : 2) * product, 2);
        setup = fitted::cpu_factor_sweeps * sweep;
        if (several) sweep += fitted::cpu_level_seconds * levels;
      }
      seconds += sweep;
      // Iterations fall to 0.31 to 0.34 (perf_tests/results/NOTES-solve.md), and more where factors
      // in the order of the rows follow strong oblique couplings.
      gain = is_oblique(of) ? fitted::oblique_gain : 3;
      bytes += (pair.method == M::cg ? 1 : 2) * entries * entry_bytes;
      break;
    }
    case P::multigrid: {
      // Two products before and two after each correction, one for the residual and about one for
      // the transfer, times entries of all levels over those of A.
      const double levels = std::max(1.0, std::log10(of.rows() / 500) + 1);
      const double cycle = of.seconds(6 * 1.33 * product, fitted::launches_of_level * levels);
      if (gpu) {
        const bool elastic = of.block_size > 1;
        setup =
            (elastic ? fitted::gpu_elastic_level_setup_seconds : fitted::gpu_level_setup_seconds) *
                levels +
            (elastic ? fitted::gpu_elastic_entry_setup_seconds : fitted::gpu_entry_setup_seconds) *
                entries;
      } else {
        setup = fitted::cpu_level_setup_seconds * levels + fitted::cpu_setup_cycles * cycle;
      }
      // Coarse levels of a pattern without locality fill.
      if (!of.A.symmetric_pattern) setup *= fitted::filled_setup;
      if (is_oblique(of)) setup *= fitted::oblique_setup;
      seconds += cycle;
      bytes += 2 * entries * entry_bytes;
      break;
    }
    case P::direct: {
      // Nested dissection of a grid in natural order: the bandwidth is the size of its first
      // separator, a dense block of the factors (A. George, 1973). Both factors and the operations
      // a second of a host are guesses.
      const double filled = 4 * of.rows() * std::log2(of.rows() + 1) + band * band;
      setup = (10 * band * band * band + 100 * filled) / 4e9;
      seconds += of.seconds(2 * filled * entry_bytes, 2);
      break;
    }
  }
  if (pair.preconditioner == P::direct) {
    pair.iterations = 1;
  } else if (pair.preconditioner == P::multigrid) {
    // 6 to 11 iterations to 1e-8 (docs/design/multigrid.md); what is not fitted is a guess.
    double iterations = 11 * of.digits() / std::log(2e8);
    if (of.block_size > 1) iterations *= of.has_near_nullspace ? fitted::elastic_cycles : 3;
    if (is_oblique(of)) iterations *= fitted::oblique_cycles;
    if (!of.A.symmetric) {
      const double size = std::max(of.A.largest_magnitude, 1e-300);
      iterations *=
          of.A.steps > 0 ? 1 + 10 * of.A.largest_imaginary / size : fitted::unsymmetric_cycles;
    }
    if (of.A.seen_indefinite()) iterations *= 5;
    pair.iterations = iterations;
  } else {
    pair.iterations = krylov_iterations(of, pair.method, gain);
  }
  pair.seconds_of_iteration = seconds;
  pair.setup_seconds = setup;
  pair.bytes = static_cast<std::size_t>(bytes);
}

/// The pairs that may serve for A, with their prices.
inline std::vector<SolvePair> pairs_of(const Priced& of, const SolveOptions& options) {
  using M = SolveMethod;
  using P = SolvePreconditioner;
  std::vector<SolvePair> pairs;
  const MatrixFacts& A = of.A;
  const auto add = [&](M method, P preconditioner, bool last_resort = false) {
    if (preconditioner == P::incomplete && A.missing_diagonal > 0) return;  // factors refuse A
    SolvePair pair;
    pair.method = method;
    pair.preconditioner = preconditioner;
    pair.last_resort = last_resort;
    price(of, pair);
    pairs.push_back(pair);
  };
  const bool constant_diagonal = A.largest_diagonal <= 1.01 * A.least_diagonal;
  const bool seems_definite = A.positive_diagonal() && !A.seen_indefinite();
  const bool definite = A.symmetric && options.positive_definite.value_or(seems_definite);
  if (definite) {
    add(M::cg, constant_diagonal && A.zero_diagonal == 0 ? P::none : P::jacobi);
    if (A.positive_diagonal()) {
      add(M::cg, P::incomplete);
      add(M::cg, P::multigrid);
    }
  }
  if (A.symmetric) add(M::minres, P::jacobi, definite);
  add(M::gmres, P::jacobi, definite);
  add(M::gmres, P::incomplete, definite);
  if (!definite) {
    // BiCGStab minimizes nothing, and stalls where eigenvalues have both signs. Factors have the
    // signs of a diagonal that has those of A, as of saddle points: A times their inverse then has
    // positive eigenvalues (of quasidefinite matrices: R. Vanderbei, 1995).
    add(M::bicgstab, P::jacobi, A.symmetric);
    add(M::bicgstab, P::incomplete, A.symmetric && A.positive_diagonal());
  }
  // Multigrid refuses a symmetric A that it sees to be indefinite.
  if (A.positive_diagonal() && !A.symmetric) {
    add(M::gmres, P::multigrid);
    add(M::bicgstab, P::multigrid);
  }
  if (of.has_direct) add(M::gmres, P::direct);
  std::stable_sort(pairs.begin(), pairs.end(), [&](const SolvePair& a, const SolvePair& b) {
    if (a.last_resort != b.last_resort) return b.last_resort;
    return a.price(options.expected_solves) < b.price(options.expected_solves);
  });
  return pairs;
}

/// Vectors that 10 steps by which Ritz values are found move beside the products: in
/// find_ritz_values.
inline constexpr double vectors_of_lanczos = 140, vectors_of_arnoldi = 410;
/// The part of the first pair's predicted time that Ritz values may take: choosing may take 5 %.
inline constexpr double share_of_ritz_values = 0.03;

/// Whether Ritz values may change which pair runs first, and take little of its time. They change
/// nothing if that is one without a set-up: its own iterations tell as much as so many steps, and
/// are part of the solve.
inline bool ritz_values_may_matter(const Priced& of, const std::vector<SolvePair>& sorted) {
  if (sorted.front().preconditioner <= SolvePreconditioner::jacobi) return false;
  const double vectors = of.A.symmetric ? vectors_of_lanczos : vectors_of_arnoldi;
  const double seconds = of.seconds(10 * of.product_bytes + vectors * of.vector_bytes(), 80);
  return seconds < share_of_ritz_values * sorted.front().price(1);
}

}  // namespace heddle::detail::solve
