// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/asserts.hpp"
#include "../../core/check_size.hpp"
#include "fingerprint.hpp"
#include "overlap.hpp"

namespace heddle::detail {

/// Hash of A's pattern if `wanted`, which by default only builds with assertions do; else none. One
/// launch and one readback, which waits for `exec`; nothing if it is not wanted.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
PatternKey pattern_key(const Exec& exec, const CsrPattern<O, Off, Space>& A,
                       bool wanted = asserts) {
  if (!wanted) return std::nullopt;
  return fingerprint(exec, "heddle::ordered::pattern_key", A);
}

/// Throws Error, naming the plan, unless A's pattern has this key; without a key nothing is
/// checked. Precondition: A has as many rows and entries as the matrix of the key. One launch and
/// one readback, which waits for `exec`; nothing without a key.
template <ExecutionSpace Exec, Ordinal O, Offset Off, MemorySpace Space>
void check_same_pattern(const Exec& exec, const PatternKey& key, const CsrPattern<O, Off, Space>& A,
                        const char* plan) {
  if (!key || pattern_key(exec, A, true) == key) return;
  throw Error(
      std::string("the row pointer or the columns are not those that ") + plan + " inspected",
      std::string("make a new ") + plan + " when the pattern changes");
}

}  // namespace heddle::detail
