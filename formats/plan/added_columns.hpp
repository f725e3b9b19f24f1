// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <optional>

#include "../inspect/features.hpp"
#include "core.hpp"

namespace heddle::detail {

/// Makes `plan` for columns of other processes, whose products are added to y. A plan is chosen for
/// y = A x, which stores every row: where most rows have no entry and no scheme is pinned, gcsr is
/// taken, which touches only the others.
template <class Plan, class Exec, class Matrix>
void plan_added_columns(std::optional<Plan>& plan, const Exec& exec, const Matrix& A,
                        SpmvOptions options, const std::optional<Scheme>& pinned) {
  options.scheme = pinned;
  options.transposed_scheme = std::nullopt;
  if (!pinned &&
      2 * row_features(exec, A, Check::rows).empty_rows > static_cast<std::int64_t>(A.rows())) {
    options.scheme = Scheme("gcsr");
    try {
      plan.emplace(exec, A, options);
      return;
    } catch (const Refusal&) {  // beyond options.max_bytes
      options.scheme = std::nullopt;
    }
  }
  plan.emplace(exec, A, options);
}

}  // namespace heddle::detail
