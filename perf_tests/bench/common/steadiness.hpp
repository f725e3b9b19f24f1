// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace heddle::bench {

/// Above this spread (Samples::spread) times are not to be compared: other programs used the
/// machine, or its clocks changed. A guess: idle machines stay below a tenth of it or two.
inline constexpr double spread_limit = 0.25;

/// Of fewer times than these nothing is known of how they spread.
inline constexpr std::size_t fewest_times = 10;

/// Why the times of a contestant are not to be compared: they are few, or spread by more than that
/// limit, or applies behind each other take longer than with a wait after each. "" where all is
/// well.
std::string unsteadiness(const ContestantResult& c);

/// Those whose times, single or queued, spread more than that.
std::vector<const ContestantResult*> unsteady_contestants(const MatrixResult& result);
/// Whether the reference did.
inline bool unsteady_machine(const MatrixResult& result) {
  return result.reference.spread() > spread_limit;
}
/// One line that names what is not steady, with its spread, the first six contestants of many;
/// empty where all is.
std::string steadiness_warning(const MatrixResult& result);
/// What the column of spreads says: "12%"; "-" of what was not timed three times.
std::string spread_of(const Samples& samples);

}  // namespace heddle::bench
