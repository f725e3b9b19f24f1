// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../formats/inspect/recipe/repeats.hpp"
#include "../../formats/matrix/rearrange.hpp"

namespace heddle::detail::multigrid {

/// A with one entry for each place, which takes new values of A; nothing if no entry repeats.
/// Magnitudes of entries and numbers of neighbours mean something then. A was checked. One launch
/// and one readback where the columns of all rows ascend; else allocates more.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, MemorySpace Space>
std::optional<DerivedCsr<Exec, S, O, Off>> repeats_added_up(const Exec& exec,
                                                            const CsrMatrix<S, O, Off, Space>& A) {
  const auto as_they_are = recipe::shift(0);
  using Map = std::remove_const_t<decltype(as_they_are)>;
  const recipe::Entries<CsrMatrix<S, O, Off, Space>, Map> entries(A, as_they_are);
  const recipe::EntryOrder order =
      recipe::entry_order(exec, entries, static_cast<std::int64_t>(A.nonzeros()));
  if (order.repeat == recipe::no_key && order.disorder == recipe::no_key) return {};
  auto merged = stored_op(exec, A, Op::none, true, false);
  if (merged.nonzeros() == A.nonzeros()) return {};
  return merged;
}

}  // namespace heddle::detail::multigrid
