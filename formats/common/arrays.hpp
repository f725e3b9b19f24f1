// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <tuple>

#include "../../core/arena.hpp"

namespace heddle::detail {

/// The arrays of a format in one allocation, from a list: makes `arena` and returns where each
/// array begins, those of no elements included. Throws OutOfMemory.
///
///     std::tie(col_idx_, values_) = arrays<O, S>(arena_, exec, "heddle::spmv::ell", slots, slots);
template <class... T, MemorySpace Space, ExecutionSpace Exec, class... Count>
std::tuple<T*...> arrays(Arena<Space>& arena, const Exec& exec, const char* label,
                         Count... counts) {
  arena = Arena<Space>(exec, label, arena_bytes<T...>(static_cast<std::size_t>(counts)...));
  // Braces evaluate in this order.
  return std::tuple<T*...>{arena.template take<T>(static_cast<std::size_t>(counts)).data()...};
}

}  // namespace heddle::detail
