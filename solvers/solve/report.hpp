// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "../../core/explain.hpp"
#include "../../core/words.hpp"
#include "../krylov/options.hpp"

namespace heddle {

/// The iteration of a pair.
enum class SolveMethod { cg, minres, gmres, bicgstab };
template <>
inline constexpr detail::Word<SolveMethod> detail::words<SolveMethod>[] = {
    {SolveMethod::cg, "cg"},
    {SolveMethod::minres, "minres"},
    {SolveMethod::gmres, "gmres"},
    {SolveMethod::bicgstab, "bicgstab"}};

/// The preconditioner of a pair.
enum class SolvePreconditioner {
  none,
  jacobi,      ///< the diagonal; its magnitudes under MINRES
  incomplete,  ///< IC(0) under conjugate gradients, else ILU(0)
  multigrid,
  direct  ///< complete factors: options.direct
};
template <>
inline constexpr detail::Word<SolvePreconditioner> detail::words<SolvePreconditioner>[] = {
    {SolvePreconditioner::none, "none"},
    {SolvePreconditioner::jacobi, "jacobi"},
    {SolvePreconditioner::incomplete, "incomplete"},
    {SolvePreconditioner::multigrid, "multigrid"},
    {SolvePreconditioner::direct, "direct"}};

/// Properties of A that the inspection of a solve found.
struct MatrixFacts {
  std::int64_t rows = 0, entries = 0;
  bool symmetric_pattern = true;  ///< up to collisions of a 64-bit hash
  bool symmetric = true;          ///< values (Hermitian if complex), within 1e-5 of the diagonal
  bool symmetric_to_rounding = true;  ///< symmetric, within rounding of the diagonal
  bool is_complex = false;
  std::int64_t not_finite = -1;  ///< the lowest row with NaN or infinity, or -1
  std::int64_t empty_rows = 0;
  std::int64_t zero_diagonal = 0;      ///< rows whose diagonal entry is missing or zero
  std::int64_t missing_diagonal = 0;   ///< those where it is missing: factors need it stored
  std::int64_t negative_diagonal = 0;  ///< entries without a positive real part, and not zero
  double least_diagonal = 0, largest_diagonal = 0;  ///< magnitudes of those that are not zero
  std::int64_t dominant_rows = 0;  ///< rows whose diagonal is no less than the others together
  /// The least (|a(i, i)| - sum of the row's other magnitudes) / |a(i, i)|: all eigenvalues of D^-1
  /// A are at least as large if it is positive. Negative infinity with a zero on the diagonal.
  double least_dominance = -std::numeric_limits<double>::infinity();
  std::int64_t zero_sums = 0;         ///< rows that sum to zero, up to rounding
  double largest_row_sum = 0;         ///< of magnitudes: a bound of the norm of a symmetric A
  std::int64_t positive_entries = 0;  ///< positive entries beside the diagonal
  std::int64_t bandwidth = 0;         ///< the largest |i - j|
  /// Whether rows that depend on others, in the order of the rows, depend only on such that depend
  /// on none: saddle points whose leading block is diagonal, or two colors.
  bool two_levels = false;
  int block_size = 1;  ///< rows that share their columns, aligned blocks of up to 6

  /// Ritz values of D^-1 A with the magnitudes of the diagonal as D, of `steps` Lanczos or Arnoldi
  /// steps; 0 steps: not computed, since no choice depended on them.
  int steps = 0;
  double least_real = 0, largest_real = 0, largest_imaginary = 0;
  double least_magnitude = 0, largest_magnitude = 0;
  bool settled = true;  ///< whether the least magnitude fell little in the last half of the steps

  bool positive_diagonal() const { return zero_diagonal == 0 && negative_diagonal == 0; }
  /// Whether all rows of a symmetric A sum to zero, and thus all columns, so that both it and its
  /// transpose map the vector of ones to zero.
  bool maps_ones_to_zero() const {
    return symmetric && symmetric_to_rounding && rows > 1 && zero_sums == rows;
  }
  /// Whether a negative eigenvalue of a symmetric A was seen, beyond rounding.
  bool seen_indefinite() const { return steps > 0 && least_real < -1e-6 * largest_magnitude; }

  [[gnu::cold]] std::string to_string() const {
    const auto count = [](std::int64_t n, const char* what) {
      return n > 0 ? "; " + std::to_string(n) + " " + what : std::string();
    };
    const auto percent = [&](std::int64_t part) {
      return detail::number_text(rows > 0 ? 100 * double(part) / double(rows) : 0) + " %";
    };
    std::string text = std::to_string(rows) + " rows, " + std::to_string(entries) + " entries, ";
    const std::string mirrored = is_complex ? "Hermitian" : "symmetric";
    text += symmetric           ? mirrored
            : symmetric_pattern ? "symmetric pattern, values not " + mirrored
                                : "pattern not symmetric";
    text += ", bandwidth " + std::to_string(bandwidth);
    if (block_size > 1) text += ", blocks of " + std::to_string(block_size) + " rows";
    if (not_finite >= 0) text += "; NaN or infinity in row " + std::to_string(not_finite);
    if (!std::isfinite(largest_row_sum) && not_finite < 0) text += "; row sums overflow";
    text += count(empty_rows, "empty rows");
    text += count(zero_diagonal, "rows whose diagonal entry is zero or missing");
    text += count(negative_diagonal, is_complex ? "diagonal entries without a positive real part"
                                                : "negative diagonal entries");
    text += "; " + percent(dominant_rows) + " of rows diagonally dominant, " + percent(zero_sums) +
            " sum to zero";
    if (steps > 0) {
      text += "; D^-1 A by " + std::to_string(steps) + (symmetric ? " Lanczos" : " Arnoldi") +
              " steps: " + detail::number_text(least_real) + " to " +
              detail::number_text(largest_real);
      if (!symmetric) text += ", imaginary parts to " + detail::number_text(largest_imaginary);
      if (!settled) text += ", the least one not settled";
    }
    return text;
  }
};

/// A pair of method and preconditioner that may serve, with its price before the solve.
struct SolvePair {
  SolveMethod method = SolveMethod::cg;
  SolvePreconditioner preconditioner = SolvePreconditioner::none;
  double iterations = 0;            ///< predicted, for the whole tolerance
  double seconds_of_iteration = 0;  ///< predicted
  double setup_seconds = 0;         ///< predicted; 0 once it is set up
  std::size_t bytes = 0;            ///< predicted device memory of method and preconditioner
  /// Whether it is kept for when all others have failed.
  bool last_resort = false;
  std::string refused = {};  ///< why it does not run, or runs no more; empty: it may

  std::string name() const {
    return std::string(heddle::name(method)) + "/" + heddle::name(preconditioner);
  }
  /// Predicted seconds of a solve, with its part of the set-up.
  double price(int expected_solves) const {
    return setup_seconds / expected_solves + iterations * seconds_of_iteration;
  }
};

/// A pair that ran in a solve.
struct SolveAttempt {
  std::string pair;
  int iterations = 0;
  double relative_residual = 0;  ///< of b - A x after it, computed by a product
  double setup_seconds = 0, seconds = 0;
  std::string ended;  ///< how and why, in words
};

/// The report of a solve.
struct SolveReport {
  /// converged only if the norm of b - A x, computed by a product of its own, meets the tolerance.
  Outcome outcome = Outcome::running;
  double residual = 0;   ///< the norm of b - A x
  double reference = 0;  ///< the norm of b
  int iterations = 0;    ///< of all pairs
  /// Why no pair could run, if none could: the outcome is then breakdown.
  std::string none_ran = {};
  MatrixFacts matrix = {};
  std::vector<SolvePair> considered = {};  ///< as priced before this solve, the cheapest first
  std::vector<SolveAttempt> attempts = {};
  /// Iterations and relative residuals of the recurrences when the host checked.
  std::vector<std::pair<int, double>> history = {};
  /// The time of the product's plan when the Solver was made, or of update_values in it and in
  /// preconditioners.
  double plan_seconds = 0;
  double inspect_seconds = 0;            ///< of A and the choice, when it was made or updated
  double setup_seconds = 0;              ///< of preconditioners, in this solve
  double solve_seconds = 0;              ///< of this solve without set-ups
  std::string cache = {};                ///< what the tuning cache did, if there is one
  std::vector<std::string> advice = {};  ///< what would make the next solve faster

  bool converged() const { return outcome == Outcome::converged; }
  double relative_residual() const { return reference > 0 ? residual / reference : residual; }

  [[gnu::cold]] std::string to_string() const {
    using detail::number_text, detail::seconds_text;
    std::string text = (none_ran.empty() ? name(outcome) : "no pair could run: " + none_ran) +
                       ": |b - A x| = " + number_text(relative_residual()) + " |b| after " +
                       std::to_string(iterations) + " iterations";
    if (!attempts.empty()) text += ", the last ones by " + attempts.back().pair;
    text += "\n  A: " + matrix.to_string() + "\n";
    if (!considered.empty()) text += "  considered, with predicted times of a solve:\n";
    for (const SolvePair& pair : considered) {
      text += "    " + pair.name() + ": ";
      text += seconds_text(pair.iterations * pair.seconds_of_iteration) + ", " +
              number_text(pair.iterations) + " iterations of " +
              seconds_text(pair.seconds_of_iteration) + ", after a set-up of " +
              seconds_text(pair.setup_seconds);
      if (pair.last_resort) text += "; a last resort";
      text += (pair.refused.empty() ? "" : "; " + pair.refused) + "\n";
    }
    if (!attempts.empty()) text += "  ran:\n";
    for (const SolveAttempt& ran : attempts) {
      text += "    " + ran.pair + ": " + std::to_string(ran.iterations) + " iterations to " +
              number_text(ran.relative_residual) + " in " + seconds_text(ran.seconds) +
              ", set-up " + seconds_text(ran.setup_seconds) + "; " + ran.ended + "\n";
    }
    text += "  times: " + seconds_text(plan_seconds) + " plan of the product, " +
            seconds_text(inspect_seconds) + " inspection of A, " + seconds_text(setup_seconds) +
            " set-up, " + seconds_text(solve_seconds) + " solve\n";
    if (!cache.empty()) text += "  cache: " + cache + "\n";
    for (const std::string& line : advice) text += "  next time: " + line + "\n";
    return text;
  }
};

}  // namespace heddle
