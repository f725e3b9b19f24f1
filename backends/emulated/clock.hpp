// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../host/clock.hpp"
#include "scheduler.hpp"

namespace heddle::backends {

/// Inside of a lane: the turns that lanes have taken since the launch began, the same in every run.
struct EmulatedClock {
  static std::int64_t ticks() {
    const emulated::Lane* const me = emulated::current_lane;
    return me ? me->team->scheduler->tick() : HostClock::ticks();
  }
};

}  // namespace heddle::backends
