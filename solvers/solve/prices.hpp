// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "../../core/device.hpp"
#include "../../formats/common/prediction.hpp"
#include "options.hpp"
#include "report.hpp"

/// The pairs that may serve, and their predicted times. "Fitted" means to the set solve-fit, on an
/// H200 and on two threads of a Xeon: docs/design/solve.md. A prediction is a function of A, the
/// device's figures and the options, never of a clock.
namespace heddle::detail::solve {

/// Iterations after which GMRES is restarted.
inline constexpr int restart = 30;

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
  /// Fitted: an iteration moves 0.55 of what a copy moves on a GPU, and launches are queued. Two
  /// threads of a CPU move 50e9 bytes a second, part of them in caches.
  double seconds(double bytes, double launches) const {
    const double memory = estimated_bytes_per_second(device);
    const bool gpu = device.has_lanes();
    return bytes / (gpu ? 0.55 * memory : std::max(memory, 50e9)) +
           launches * (gpu ? 4.2e-6 : estimated_launch_seconds(device));
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
  const double bound =
      A.least_dominance > 0 ? (2 - A.least_dominance) / A.least_dominance : 1e16;
  return std::clamp(std::min(std::max(seen, grid), bound), 1.0, 1e16);
}

/// Iterations of the method with Jacobi's preconditioner, over `gain`. Fitted: the bound of
/// conjugate gradients has 0.5 and the root of the condition in place of 0.45 and the power 0.4, and
/// elastic bodies need 2.5 times as many as their layers say.
inline double krylov_iterations(const Priced& of, SolveMethod method, double gain) {
  // Eigenvalues that are far from the real line count as those of both signs: the condition, and no
  // more a power of it.
  const double size = std::max(of.A.largest_magnitude, 1e-300);
  const double turned = of.A.symmetric ? 0 : std::min(of.A.largest_imaginary / size, 1.0);
  double iterations = 0.45 * std::pow(condition(of), 0.4 + 0.6 * turned) * of.digits();
  if (of.block_size > 1) iterations *= 2.5;
  const bool negative =
      of.A.seen_indefinite() || of.A.zero_diagonal > 0 || of.A.negative_diagonal > 0;
  // Without a bound for indefinite systems but that of the squared matrix: an estimate.
  if (negative) iterations *= 4;
  if (!of.A.symmetric && of.A.largest_real > 0) {
    iterations *= 1 + of.A.largest_imaginary / of.A.largest_real;
  }
  iterations = std::min(iterations / gain, of.rows()) + 1;
  // Fitted: a restart costs half as many iterations again, and more if A is not definite.
  if (method == SolveMethod::gmres && iterations > restart) {
    const bool definite = of.A.symmetric && !negative;
    iterations *= definite ? 1.5 : std::max(1.5, iterations / (5 * restart));
  }
  if (method == SolveMethod::bicgstab) iterations *= 1.5;  // counts both products of a step
  return iterations;
}

/// Whether couplings of both signs tell of a direction that no axis of the grid follows.
inline bool is_oblique(const Priced& of) {
  return of.block_size == 1 && of.A.positive_entries > of.A.entries / 8;
}

/// Fills in the price of a pair.
inline void price(const Priced& of, SolvePair& pair) {
  using M = SolveMethod;
  using P = SolvePreconditioner;
  const bool gpu = of.device.has_lanes();
  const double v = of.vector_bytes(), product = of.product_bytes;
  const double threads = of.device.multiprocessors;
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
      // A symmetric sweep takes about two products on one thread (docs/overview.md). All else is
      // fitted. Levels of a grid in natural order are some three a layer, and each is a hand-over,
      // which a factorization makes for each entry of a row on a GPU.
      const double levels = 3 * of.layers() * of.A.block_size;
      double sweep = 0;
      if (gpu) {
        sweep = of.seconds(4 * product, 2) + 1.6e-6 * levels;
        setup = 1.5e-3 + 1.2e-6 * levels * entries / of.rows() + 0.5e-9 * entries;
      } else {
        sweep = of.seconds((threads > 1 ? 6 : 2) * product, 2) + (threads > 1 ? 1.1e-6 : 0) * levels;
        setup = 17 * of.seconds((threads > 1 ? 6 : 2) * product, 1);
      }
      seconds += sweep;
      gain = 3;  // iterations fall to 0.31 to 0.34 (perf_tests/results/NOTES-solve.md)
      bytes += (pair.method == M::cg ? 1 : 2) * entries * entry_bytes;
      break;
    }
    case P::multigrid: {
      // Two products before and two after each correction, one for the residual and about one for
      // the transfer, times entries of all levels over those of A.
      const double levels = std::max(1.0, std::log10(of.rows() / 500) + 1);
      const double cycle = of.seconds(6 * 1.33 * product, 7 * levels);
      // Fitted: a constant for each level and a time for each entry, more for elastic bodies, for
      // patterns without locality, whose coarse levels fill, and for oblique couplings.
      if (gpu) {
        setup = of.block_size > 1 ? 5e-3 * levels + 5.5e-9 * entries
                                  : 2e-3 * levels + 1.4e-9 * entries;
        if (!of.A.symmetric_pattern) setup *= 4;
      } else {
        setup = 5e-3 * levels + 100 * cycle;
      }
      if (is_oblique(of)) setup *= 2;
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
    // 6 to 11 iterations to 1e-8 (docs/design/multigrid.md); the factors are fitted, or guesses.
    double iterations = 11 * of.digits() / std::log(2e8);
    if (of.block_size > 1) iterations *= of.has_near_nullspace ? 1.5 : 3;
    if (is_oblique(of)) iterations *= 2;
    if (!of.A.symmetric) {
      const double size = std::max(of.A.largest_magnitude, 1e-300);
      iterations *= of.A.steps > 0 ? 1 + 10 * of.A.largest_imaginary / size : 1.5;
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
    // BiCGStab minimizes nothing, and stalls where eigenvalues have both signs.
    add(M::bicgstab, P::jacobi, A.symmetric);
    add(M::bicgstab, P::incomplete, A.symmetric);
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

/// Whether Ritz values may change which pair runs first. They do not if that is one without a
/// set-up: its own iterations tell as much as so many steps, and are part of the solve.
inline bool ritz_values_may_matter(const std::vector<SolvePair>& sorted) {
  return sorted.front().preconditioner > SolvePreconditioner::jacobi;
}

}  // namespace heddle::detail::solve
