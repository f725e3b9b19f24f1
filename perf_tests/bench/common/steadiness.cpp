// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "steadiness.hpp"

#include <algorithm>
#include <utility>

#include "table.hpp"

namespace heddle::bench {

namespace {
/// Number of contestants that a warning names, so that it stays a line; the JSON names all.
constexpr std::size_t most_named = 6;

/// The samples that spread more: of single applies or of queued ones.
const Samples& less_steady(const ContestantResult& c) {
  return c.queued.spread() > c.time.spread() ? c.queued : c.time;
}

bool waits_less_and_takes_longer(const ContestantResult& c) {
  if (c.queued.empty() || c.latency.empty()) return false;
  const double waited = std::max(c.latency.median(), c.time.median());
  return c.queued.median() > (1 + spread_limit) * waited;
}
}  // namespace

std::string unsteadiness(const ContestantResult& c) {
  for (const auto& [name, samples] : {std::pair("time", &c.time), std::pair("queued", &c.queued)}) {
    if (samples->empty()) continue;
    const std::size_t count = samples->seconds.size();
    if (samples->spread() > spread_limit) return name + (" spreads " + spread_of(*samples));
    if (count < fewest_times) {
      return name + format(" of %zu repetition", count) + (count == 1 ? "" : "s");
    }
  }
  return waits_less_and_takes_longer(c) ? "queued takes longer than with waits" : "";
}

std::vector<const ContestantResult*> unsteady_contestants(const MatrixResult& result) {
  std::vector<const ContestantResult*> found;
  for (const ContestantResult& c : result.contestants) {
    if (less_steady(c).spread() > spread_limit) found.push_back(&c);
  }
  return found;
}

std::string steadiness_warning(const MatrixResult& result) {
  std::string text;
  const auto add = [&](const std::string& name, const Samples& samples) {
    text += (text.empty() ? "" : ", ") + name + " (" + spread_of(samples) + ")";
  };
  if (unsteady_machine(result)) add("the reference operation", result.reference);
  const auto unsteady = unsteady_contestants(result);
  const std::size_t named = std::min(unsteady.size(), most_named);
  for (std::size_t i = 0; i < named; ++i) add(unsteady[i]->name, less_steady(*unsteady[i]));
  if (text.empty()) return text;
  if (named < unsteady.size()) {
    text += " and " + std::to_string(unsteady.size() - named) + " others";
  }
  return "unsteady: the times of " + text + " spread by more than " +
         format("%.0f%%", 100 * spread_limit) +
         "; other programs may use this machine, so compare nothing by this table";
}

std::string spread_of(const Samples& samples) {
  return samples.seconds.size() < 3 ? "-" : format("%.0f%%", 100 * samples.spread());
}

}  // namespace heddle::bench
