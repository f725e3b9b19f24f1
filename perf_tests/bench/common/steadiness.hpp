// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "results.hpp"

namespace heddle::bench {

/// Times that spread more than this (Samples::spread) are not comparable: other programs used the
/// machine, or its clocks changed. A guess: idle machines stay below a tenth of it or two.
inline constexpr double spread_limit = 0.25;

/// Fewer times than these say nothing about their spread.
inline constexpr std::size_t fewest_times = 10;

/// Reason that the times of a contestant are not comparable: they are few, or spread by more than
/// spread_limit, or queued applies take longer than applies with a wait after each. "" if there is
/// none.
std::string unsteadiness(const ContestantResult& c);

/// The contestants whose times, single or queued, spread by more than spread_limit.
std::vector<const ContestantResult*> unsteady_contestants(const MatrixResult& result);
/// Whether the times of the reference work spread by more than spread_limit.
inline bool unsteady_machine(const MatrixResult& result) {
  return result.reference.spread() > spread_limit;
}
/// One line that names what is unsteady, with its spread, and at most six contestants; empty if all
/// is steady.
std::string steadiness_warning(const MatrixResult& result);
/// Text of the column of spreads: "12%", or "-" for fewer than three times.
std::string spread_of(const Samples& samples);

}  // namespace heddle::bench
