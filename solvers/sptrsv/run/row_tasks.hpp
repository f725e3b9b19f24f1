// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "../../../core/scheme.hpp"
#include "../../ordered/tasks.hpp"

namespace heddle::detail::sptrsv {

/// Who solves which rows on a GPU, and when, where rows are not merged: tasks of a warp each, and
/// the launches that take them. The schedule of self-scheduled, level-set and in-order.
///
/// Proof that it keeps every dependence: unit_tests/support/task_proofs.hpp.
template <ExecutionSpace Exec>
struct RowTasks {
  ordered::TaskTable<Exec> table = {};
  std::vector<ordered::Launch> launches = {};
  int lanes = 0;  ///< of a row; 0: all of a warp where a task is one row, and else one

  /// Lanes that work for the rows of a task do not wait for each other where each row has one.
  bool rows_may_meet() const { return lanes == 0; }

  /// Of a resolved scheme and warps of this width, for a triangle that was copied in the order that
  /// the scheme names: the entries of place p are row_ptr[p] to row_ptr[p + 1], on the device.
  /// Where that is the order of levels, they begin at level_begin.
  template <Offset Off>
  static RowTasks of(const Exec& exec, const Scheme& scheme, const Off* row_ptr,
                     std::int64_t places, const std::vector<std::int64_t>& level_begin,
                     int warp_width) {
    if (scheme.has("in-order")) return in_order(exec, scheme, row_ptr, places, warp_width);
    RowTasks rows;
    rows.lanes = static_cast<int>(scheme.integer("lanes"));
    const ordered::TaskRanges ranges(level_begin, warp_width / rows.lanes);
    rows.table = ordered::TaskTable<Exec>(exec, ranges, level_begin);
    if (scheme.has("level-set")) {
      rows.launches = ordered::launches_of(ranges.begin(), 1);
    } else {
      rows.launch_once();
    }
    return rows;
  }

 private:
  template <Offset Off>
  static RowTasks in_order(const Exec& exec, const Scheme& scheme, const Off* row_ptr,
                           std::int64_t places, int warp_width) {
    using Runs = ordered::InOrderRuns<Off>;
    std::int64_t most_mean = Runs::any_mean;
    if (scheme.value("sw_rnnz") != "inf") most_mean = scheme.integer("sw_rnnz");
    if (most_mean == 0) most_mean = -1;  // even of rows without entries
    RowTasks rows;
    rows.table = ordered::TaskTable<Exec>(exec, Runs{row_ptr, places, warp_width, most_mean});
    rows.launch_once();
    return rows;
  }

  void launch_once() {
    if (table.count() > 0) launches.push_back({0, table.count(), false});
  }
};

}  // namespace heddle::detail::sptrsv
