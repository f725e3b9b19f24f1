// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "options.hpp"
#include "report.hpp"

namespace heddle::detail::solve {

/// The words for an A on which conjugate gradients have failed.
inline std::string not_definite(const MatrixFacts& A) {
  return A.seen_indefinite() ? "A is indefinite" : "A is singular or indefinite";
}

/// Adds to a report what would make the next solve faster, or possible.
[[gnu::cold]] inline void advise(const SolveOptions& options, SolveReport& report) {
  const auto say = [&](std::string line) { report.advice.push_back(std::move(line)); };
  const MatrixFacts& A = report.matrix;
  if (A.not_finite >= 0) say("correct the values of row " + std::to_string(A.not_finite));
  if (report.outcome == Outcome::not_a_number && !std::isfinite(A.largest_row_sum) &&
      A.not_finite < 0) {
    say("scale A: the sum of a row's magnitudes overflows");
  }
  if (options.positive_definite == true) {
    const bool seen =
        std::any_of(report.considered.begin(), report.considered.end(),
                    [](const SolvePair& pair) { return pair.refused.ends_with("as cg has seen"); });
    if (!A.symmetric || seen) {
      say("leave options.positive_definite out: " +
          (A.symmetric ? not_definite(A)
                       : std::string(A.is_complex ? "A is not Hermitian" : "A is not symmetric") +
                             ", which conjugate gradients require"));
    }
  }
  const bool for_multigrid = options.near_nullspace.count() > 0 || options.block_size > 0;
  const auto by_multigrid = [](const SolveAttempt& ran) {
    return ran.pair.ends_with(name(SolvePreconditioner::multigrid));
  };
  if (for_multigrid && !report.attempts.empty() &&
      std::none_of(report.attempts.begin(), report.attempts.end(), by_multigrid)) {
    say("options.near_nullspace and options.block_size are for multigrid, which did not run: pin a "
        "pair with it to use them");
  }
  if (report.setup_seconds > report.solve_seconds && report.converged()) {
    say("keep the Solver: its set-up took " +
        number_text(report.setup_seconds / std::max(report.solve_seconds, 1e-9)) +
        " times the rest of this solve, and serves further solves and update_values; say how many "
        "with options.expected_solves");
  }
  const int block_size = options.block_size > 0 ? options.block_size : A.block_size;
  const bool elastic = block_size > 1 && options.near_nullspace.count() == 0;
  if (elastic && A.symmetric) {
    say("A has blocks of " + std::to_string(block_size) +
        " rows: if it is an elastic body give options.near_nullspace = rigid_body_motions(exec, "
        "coordinates)");
  }
  if (report.converged() &&
      std::any_of(report.attempts.begin(), report.attempts.end(), [&](const SolveAttempt& ran) {
        return ran.pair != report.attempts.back().pair;
      })) {
    say("pin options.pair = \"" + report.attempts.back().pair +
        "\" for such matrices: other pairs were tried in vain");
  }
  if (report.outcome == Outcome::inconsistent) {
    say("take the part along the nullspace out of b: A has no x for it");
  }
  if (report.outcome == Outcome::iteration_limit) say("raise options.max_iterations");
  if (report.outcome == Outcome::attainable_accuracy) {
    say("ask for a larger relative_tolerance: rounding is all that is left");
  }
  if (A.empty_rows > 0) say("leave out the rows of A without entries, which make it singular");
}

}  // namespace heddle::detail::solve
