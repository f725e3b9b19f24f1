// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "../common/json.hpp"

namespace heddle::bench {

/// Start and end in ns of each row of one solve, by one clock, and its dependencies: the parents of
/// row i are parents[parents_begin[i]] to parents[parents_begin[i + 1] - 1]. All of them precede
/// the row, or all follow it, as in a triangle (or in its transpose).
struct RowTrace {
  std::span<const std::int64_t> start_ns, end_ns;
  std::span<const std::int64_t> parents_begin;
  std::span<const std::int32_t> parents;

  std::size_t rows() const { return start_ns.size(); }
};

/// A pure function. Throws Error for arrays that do not fit, a parent that is no row, and parents
/// on both sides of a row.
TraceAnalysis analyse_trace(const RowTrace& trace);

/// Dependencies of each step of a solve, as in RowTrace.
struct StepParents {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> parents;
};

/// The dependencies of the steps of a triangle (of its transpose, if that is solved). Each row is
/// part of a step: the row itself, or a group. A step is no parent of itself.
StepParents step_parents(std::span<const std::int32_t> row_ptr,
                         std::span<const std::int32_t> col_idx, bool transposed,
                         std::span<const std::int64_t> step_of_row, std::size_t steps);

/// Prints the path in a few lines, and the levels in at most ten runs.
void print_trace(std::ostream& out, const TracedSolve& solve);
/// All of a traced solve.
Json trace_json(const TracedSolve& solve);

}  // namespace heddle::bench
