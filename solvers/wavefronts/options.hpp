// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../core/scheme.hpp"

namespace heddle {

/// The order of the loop that is to be run in parallel.
enum class Sweep {
  forward,   ///< i = 0, 1, ..., n - 1: lower triangles, ILU, the first half of SSOR
  backward,  ///< i = n - 1, ..., 1, 0: upper triangles, the second half of SSOR
};

/// What an iteration means that reads an item which the loop writes later.
enum class ReadsAhead {
  error,      ///< nothing: an Error names the iteration
  old_value,  ///< it reads what stood there before the loop, so the later one waits for it:
              ///< Gauss-Seidel
};

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
