// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "scheme.hpp"

namespace heddle::detail {

/// `value` with three significant digits.
[[gnu::cold]] inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g", value);
  return text;
}

[[gnu::cold]] inline std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2e s", seconds);
  return text;
}

/// Explanation of a choice: the scheme and the reason, the lines of `seen`, the result of the
/// tuning cache if there is one, and the first five of the ranking.
template <class Ranked>
[[gnu::cold]] std::string explain(const Scheme& scheme, const std::string& reason,
                                  const std::string& seen, const std::string& cache,
                                  const std::vector<Ranked>& ranking) {
  constexpr std::size_t most = 5;
  std::string text = scheme.to_string() + ": " + reason + "\n" + seen;
  if (!cache.empty()) text += "  cache: " + cache + "\n";
  std::size_t refused = 0;
  for (std::size_t i = 0; i < ranking.size(); ++i) {
    if (!ranking[i].possible()) ++refused;
    if (i < most) text += "  " + std::to_string(i + 1) + ". " + ranking[i].to_string() + "\n";
  }
  if (ranking.size() > most) {
    text += "  and " + std::to_string(ranking.size() - most) + " more; " + std::to_string(refused) +
            " of all refuse\n";
  }
  return text;
}

}  // namespace heddle::detail
