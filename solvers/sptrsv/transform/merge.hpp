// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../order/launches.hpp"
#include "merge_parents.hpp"
#include "merge_runs.hpp"
#include "merged_rows.hpp"

namespace heddle::detail::sptrsv {

/// The rows of a triangle in groups of at most most_rows. The pattern has them level by level, and
/// level l begins at level_begin[l]. A function of the pattern alone: the same on every run, on any
/// device and for any number of threads. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, Offset Off>
MergedRows<Exec, O> merge(const Exec& exec, const triangle::OrderedPattern<Exec, O, Off>& pattern,
                          const std::vector<std::int64_t>& level_begin, const Merging& merging) {
  const std::int64_t n = pattern.rows();
  if (n == 0) return {};
  const bool by_parents = merging.kind == Merging::Kind::parents;
  const GrowingGroups<Exec, O> grown = by_parents
                                           ? merge_parents(exec, pattern, level_begin, merging)
                                           : merge_runs(exec, pattern, level_begin, merging);
  return {exec, n, grown, by_parents, merging.most_entries};
}

}  // namespace heddle::detail::sptrsv
