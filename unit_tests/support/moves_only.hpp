// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

namespace heddle::test {

template <class T>
inline constexpr bool moves_only =
    !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
    std::is_move_constructible_v<T> && std::is_move_assignable_v<T>;

}  // namespace heddle::test
