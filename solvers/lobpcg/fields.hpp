// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../core/fields.hpp"
#include "options.hpp"

namespace heddle::detail {

template <>
inline constexpr auto fields<LobpcgOptions> = std::tuple{
    field("count", &LobpcgOptions::count,
          "number of eigenpairs; multiple ones count as often as they occur", at_least(1)),
    field("wanted", &LobpcgOptions::wanted, "the wanted end of the spectrum"),
    field("relative_tolerance", &LobpcgOptions::relative_tolerance,
          "bound of the norm of A x - lambda B x, for x of norm one, over the scale of relative_to",
          above(0)),
    field("relative_to", &LobpcgOptions::relative_to,
          "the scale, which is the norm of A, with B of A + |lambda| B, as far as the vectors "
          "showed it; or |lambda|, with B |lambda| |B x|"),
    field("max_iterations", &LobpcgOptions::max_iterations, "limit of iterations", at_least(0)),
    field("stagnation_window", &LobpcgOptions::stagnation_window,
          "iterations without a smaller largest residual and without another sum of Ritz values "
          "that end the search",
          at_least(1)),
    field("max_seconds", &LobpcgOptions::max_seconds, "limit of time, tested after each iteration",
          at_least(0)),
    field("generalized", &LobpcgOptions::generalized,
          "whether solve gets B, which needs 6 more vectors for each pair"),
    field("constraints", &LobpcgOptions::constraints,
          "constraint vectors of a solve at most; 2 vectors each, 3 with B", at_least(0)),
    field(
        "callback", &LobpcgOptions::callback,
        "called after each iteration with the largest residual; returning false ends the search")};
static_assert(lists_all_fields<LobpcgOptions>, "a field is missing, or has another place");

}  // namespace heddle::detail
