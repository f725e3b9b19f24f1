// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "equal_work.hpp"

namespace heddle::detail {

/// The second launch over shares, where teams may not wait for each other: an item a share, which
/// adds up the row that it finishes from all that was posted. Never waits, and empties the places
/// for the next apply.
template <class Operands, class Table>
struct FinishKernel {
  Operands operands;
  Table table;

  KOKKOS_FUNCTION void operator()(std::int64_t t) const {
    const auto begin = table.edges[t];
    const auto end = table.edges[t + 1];
    if (begin.first_share < 0 || begin.row >= end.row) return;
    for (int v = 0; v < operands.x.count; ++v) {
      const auto carried = table.carries.collect_all(begin.first_share, static_cast<int>(t), 1, v);
      operands.store(begin.row, v, carried + table.carries.collect(table.shares + t, v));
    }
  }
};

/// A team a share, and the second launch where the first does not finish all rows.
template <class Shape, ExecutionSpace Exec, class Operands, class Table, class Kernel>
void launch_shares_and_finish(const Exec& exec, const char* label, const Operands& operands,
                              const Table& table, const Kernel& kernel) {
  launch_shares<Shape>(exec, label, table, kernel);
  if constexpr (!Table::waits) {
    parallel_for(exec, "heddle::spmv::finish", table.shares,
                 FinishKernel<Operands, Table>{operands, table});
  }
}

}  // namespace heddle::detail
