// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/types.hpp"

namespace heddle::detail::blocked_ell {

/// Consecutive places of rows, and where what they hold begins.
template <Ordinal O>
struct Slice {
  std::int64_t first_slot;    ///< of its values
  std::int64_t first_column;  ///< of its columns: in 16-bit words
  O base;                     ///< its columns are 16-bit distances from this one; -1: ordinals
  std::int32_t width;         ///< slots a row
};

}  // namespace heddle::detail::blocked_ell
