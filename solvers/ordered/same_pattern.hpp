// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/asserts.hpp"
#include "../../core/hash.hpp"
#include "../../core/matrix.hpp"
#include "../../formats/plan/overlap_launches.hpp"
#include "pattern_key.hpp"

namespace heddle::detail {

/// Item k < nonzeros is entry k, item nonzeros + i row i.
template <Ordinal O, Offset Off>
struct HashPattern {
  const Off* row_ptr;
  const O* col_idx;
  std::int64_t nonzeros;

  KOKKOS_FUNCTION void operator()(std::int64_t item, std::uint64_t& sum) const {
    const std::uint64_t value = item < nonzeros
                                    ? static_cast<std::uint64_t>(col_idx[item])
                                    : static_cast<std::uint64_t>(row_ptr[item - nonzeros]);
    sum += hash_of(hash_of(static_cast<std::uint64_t>(item)) + value);
  }
};

/// The key of A's pattern, if it is wanted: by default in builds with assertions. One launch and a
/// readback, which waits for `exec`; nothing where it is not wanted.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternKey pattern_key(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                       bool wanted = asserts) {
  if (!wanted) return std::nullopt;
  const auto nonzeros = static_cast<std::int64_t>(A.nonzeros());
  std::uint64_t sum = 0;
  Kokkos::parallel_reduce("heddle::ordered::pattern_key", range_policy(exec, nonzeros + A.rows()),
                          HashPattern<O, Off>{A.row_ptr().data(), A.col_idx().data(), nonzeros},
                          sum);
  return sum;
}

/// Throws Error, naming the plan, unless A has the pattern of that key, where one was wanted then.
/// A has as many rows and entries as that matrix. One launch and a readback, which waits for
/// `exec`; nothing without a key.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_same_pattern(const Exec& exec, const PatternKey& key, const CsrPattern<O, Off, Space>& A,
                        const char* plan) {
  if (!key || pattern_key(exec, A, true) == key) return;
  throw Error(
      std::string("the row pointer or the columns are not those that ") + plan + " inspected",
      std::string("make a new ") + plan + " when the pattern changes");
}

}  // namespace heddle::detail
