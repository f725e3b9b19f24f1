// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <map>
#include <string>

#include "team_state.hpp"

namespace heddle::backends::emulated {

inline std::string ranges(const std::vector<int>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
    if (last > i) text += "-" + std::to_string(numbers[last]);
    i = last + 1;
  }
  return text;
}

inline std::string what_it_does(const Lane& lane) {
  const auto at = [&](const char* verb) {
    char place[32];
    std::snprintf(place, sizeof place, " at %p", lane.place);
    return std::string(verb) + " " + name(lane.word) + place;
  };
  switch (lane.state) {
    case LaneState::meets: return std::string("wait at ") + name(lane.word);
    case LaneState::barrier: return "wait at barrier";
    case LaneState::cluster: return "wait for their cluster";
    case LaneState::sleeps: return at("wait in");
    case LaneState::dozes: return at("wait in a loop of");
    case LaneState::left: return "have left";
    case LaneState::ready: break;
  }
  return lane.fiber ? "run" : "have not begun";
}

inline std::string who(const Launch& launch, const Lane& lane) {
  const int width = launch.subwarp_width;
  return "lane " + std::to_string(lane.thread % width) + " of subwarp " +
         std::to_string(lane.thread / width) + " (of " + std::to_string(width) + " lanes), team " +
         std::to_string(lane.team->index);
}

/// Lists what each lane waits for, subwarp by subwarp.
inline std::string report(const Launch& launch, const std::vector<TeamState>& teams,
                          std::int64_t not_started) {
  constexpr int most_lines = 40;
  std::string text;
  int lines = 0, left_out = 0;
  const int width = launch.subwarp_width;
  for (const TeamState& team : teams) {
    if (team.alive == 0) continue;
    std::string last;
    for (int first = 0; first < team.threads(); first += width) {
      std::map<std::string, std::vector<int>> doing;
      for (int t = first; t < first + width && t < team.threads(); ++t) {
        doing[what_it_does(team.lanes[static_cast<std::size_t>(t)])].push_back(t - first);
      }
      std::string line;
      for (const auto& [what, lanes] : doing) {
        line += (line.empty() ? "lanes " : "; lanes ") + ranges(lanes) + " " + what;
      }
      if (line == last) continue;  // same as the subwarp before it
      last = line;
      if (lines++ < most_lines) {
        text += "  team " + (team.index < 0 ? "without ticket" : std::to_string(team.index)) +
                ", from subwarp " + std::to_string(first / width) + ": " + line + "\n";
      } else {
        ++left_out;
      }
    }
  }
  if (not_started > 0) {
    text += "  " + std::to_string(not_started) + " teams have found no place yet\n";
  }
  if (left_out > 0) text += "  and " + std::to_string(left_out) + " lines more\n";
  return text;
}

}  // namespace heddle::backends::emulated
