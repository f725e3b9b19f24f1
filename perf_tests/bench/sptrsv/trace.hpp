// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "../common/json.hpp"

namespace heddle::bench {

/// When each row of one solve was begun and posted, by one clock, and what it needs: parents of row
/// i are parents[parents_begin[i]] to parents[parents_begin[i + 1] - 1]. All of them come before
/// the row, or all after it, as in a triangle (of its transpose, where that is solved).
struct RowTrace {
  std::span<const std::int64_t> start_ns, end_ns;
  std::span<const std::int64_t> parents_begin;
  std::span<const std::int32_t> parents;

  std::size_t rows() const { return start_ns.size(); }
};

/// Pure. Throws Error for arrays that do not fit, a parent that is no row, and parents on both
/// sides of a row.
TraceAnalysis analyse_trace(const RowTrace& trace);

/// What each step of a solve needs, as RowTrace has it.
struct StepParents {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> parents;
};

/// Of a triangle (of its transpose, if that is solved), each row of which is part of a step: row
/// itself, or a group. A step is no parent of itself.
StepParents step_parents(std::span<const std::int32_t> row_ptr,
                         std::span<const std::int32_t> col_idx, bool transposed,
                         std::span<const std::int64_t> step_of_row, std::size_t steps);

/// The path in a few lines, and the levels in at most ten runs.
void print_trace(std::ostream& out, const TracedSolve& solve);
/// All of it.
Json trace_json(const TracedSolve& solve);

}  // namespace heddle::bench
