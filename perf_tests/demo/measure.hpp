// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Times of contestants that take turns, and bars of them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "arrays.hpp"

namespace demo {

struct Contestant {
  std::string name;
  std::function<void()> run;  // queues its work
  std::vector<double> seconds = {};

  double median() const;
  /// The range of the middle half of the times over their median.
  double spread() const;
  bool steady() const { return spread() <= 0.25; }
};

/// Each contestant once in each round, until `seconds` are over, and `enough` rounds, unless they
/// take four times as long.
void time_in_turns(const Exec& exec, std::vector<Contestant>& contestants, double seconds,
                   int enough = 10);

/// As long as a share of 24 characters.
std::string bar(double share);

/// A line a contestant: its time, the bytes that it must move at least over that time, and a bar as
/// long as that rate; `full_rate` fills the width. What was not steady says so.
void print_bars(const std::vector<Contestant>& contestants, double bytes, double full_rate);

/// Of a scheme: format and kernel, without its parameters.
inline std::string short_name(const std::string& scheme) {
  return scheme.substr(0, scheme.find(','));
}

/// Bytes a second of a = b + 0.5 c on arrays of `bytes` together.
double triad_rate(const Exec& exec, double bytes, double seconds);

/// How much of the processors others use, from 0 to 1, while this program sleeps for a moment;
/// negative where the system does not say.
double used_by_others();

}  // namespace demo
