// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Macros.hpp>
#include <utility>

namespace heddle::backends {

namespace detail {
template <class Body, int... I>
KOKKOS_FORCEINLINE_FUNCTION void call_each(const Body& body, std::integer_sequence<int, I...>) {
  (body(I), ...);
}
}  // namespace detail

/// Calls body(0), ..., body(N - 1) without a loop, so that a CPU's registers hold the elements of
/// arrays that body indexes: GCC leaves loops over a few packs as they are, with packs in memory.
template <int N, class Body>
KOKKOS_FORCEINLINE_FUNCTION void unrolled(const Body& body) {
  detail::call_each(body, std::make_integer_sequence<int, N>());
}

}  // namespace heddle::backends
