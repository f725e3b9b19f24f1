// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/words.hpp"

namespace heddle {

/// The order in which a sweep visits rows, or a loop its iterations.
enum class SweepDirection {
  forward,   ///< i = 0, 1, ..., n - 1: lower triangles, ILU, the first half of SSOR
  backward,  ///< i = n - 1, ..., 1, 0: upper triangles, the second half of SSOR
  symmetric  ///< forward, then backward: for Gauss-Seidel, not for a single loop
};

template <>
inline constexpr detail::Word<SweepDirection> detail::words<SweepDirection>[] = {
    {SweepDirection::forward, "forward"},
    {SweepDirection::backward, "backward"},
    {SweepDirection::symmetric, "symmetric"}};

/// The meaning of an iteration that reads an item which the loop writes later.
enum class ReadsAhead {
  error,      ///< it is an Error, which names the iteration
  old_value,  ///< it reads the value before the loop, so the later one waits for it: Gauss-Seidel
};
template <>
inline constexpr detail::Word<ReadsAhead> detail::words<ReadsAhead>[] = {
    {ReadsAhead::error, "error"}, {ReadsAhead::old_value, "old-value"}};

}  // namespace heddle
