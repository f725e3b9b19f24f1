// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/scheme.hpp"
#include "../order/sweep.hpp"

namespace heddle {

/// What a user may say about a loop; every default is sensible.
struct WavefrontsOptions {
  Sweep sweep = Sweep::forward;
  ReadsAhead ahead = ReadsAhead::error;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// Threads of a CPU that the schedule is made for; 0: as many as the execution space has and
  /// have a processor each. It runs on any number.
  int threads = 0;
};

}  // namespace heddle
