// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of contestants in turns, and bars of these times.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arrays.hpp"

namespace demo {

struct Contestant {
  std::string name;
  std::function<void()> run;  // enqueues its work
  std::vector<double> seconds = {};

  double median() const;
  /// Interquartile range of the times over their median.
  double spread() const;
  bool steady() const { return spread() <= 0.25; }
};

/// Runs each contestant once in each round, until `seconds` are over and there were `enough`
/// rounds, or three times `seconds` are over; at least `fewest` rounds, and one before that warms
/// up.
void time_in_turns(const Exec& exec, std::vector<Contestant>& contestants, double seconds,
                   int enough = 10, int fewest = 3);

/// A bar as long as a share of 24 characters.
std::string bar(double share);

/// Prints a line for each contestant: its time, the bytes that it must move at least over that
/// time, and a bar as long as that rate; `full_rate` fills the width. Unsteady times are marked.
void print_bars(const std::vector<Contestant>& contestants, double bytes, double full_rate);

/// Format and kernel of a scheme, without its parameters.
inline std::string short_name(const std::string& scheme) {
  return scheme.substr(0, scheme.find(','));
}

/// Bytes per second of a = b + 0.5 c on arrays of `bytes` together.
double triad_rate(const Exec& exec, double bytes, double seconds);

/// Share of the processors that other programs use, from 0 to 1, while this one sleeps for a
/// moment; negative if the system does not report it.
double used_by_others();

}  // namespace demo
