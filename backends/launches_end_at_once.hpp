// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes.hpp"

namespace heddle::backends {

/// Whether a launch has ended when it returns, so that the host may read what it wrote.
template <ExecutionSpace Exec>
inline constexpr bool launches_end_at_once = BackendIs<Exec, Host>;

}  // namespace heddle::backends
