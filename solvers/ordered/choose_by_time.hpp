// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "../../backends/measure.hpp"
#include "../../core/error.hpp"
#include "../../core/tuning_cache.hpp"
#include "choice.hpp"

namespace heddle::detail::ordered {

/// Makes the executor of the fastest scheme of choice.ranking: measures as many, from the first on,
/// as `seconds` allow, but at least two if there are two. The measured ones are then first in the
/// ranking, with the schemes that they really ran. `make(scheme)` returns an executor, a pointer to
/// an object with scheme(), and `seconds_of(*made, budget)` the seconds of an apply. If none can be
/// made, throws what the last one threw.
template <class Make, class SecondsOf>
auto make_fastest(double seconds, SolveChoice& choice, const Make& make,
                  const SecondsOf& seconds_of) {
  using Made = decltype(make(Scheme()));
  Fastest<Made> fastest(seconds);
  std::vector<RankedSolve> measured, refused;
  std::size_t at = 0;
  const auto is_measured = [&](const Scheme& scheme) {
    return std::any_of(measured.begin(), measured.end(),
                       [&](const RankedSolve& one) { return one.scheme == scheme; });
  };
  for (; at < choice.ranking.size(); ++at) {
    if (!fastest.has_time()) break;
    RankedSolve& next = choice.ranking[at];
    const bool is_last = measured.empty() && at + 1 == choice.ranking.size();
    Made made;
    try {
      made = make(next.scheme);
    } catch (const Error& error) {
      if (is_last) throw;
      next.refusal = error.problem();
    }
    if (!made) {
      refused.push_back(std::move(next));
      continue;
    }
    if (is_measured(made->scheme())) continue;
    next.scheme = made->scheme();
    next.measured_seconds = seconds_of(*made, fastest.budget());
    fastest.offer(std::move(made), next.measured_seconds);
    measured.push_back(std::move(next));
  }
  std::stable_sort(measured.begin(), measured.end(), [](const auto& a, const auto& b) {
    return a.measured_seconds < b.measured_seconds;
  });
  choice.reason = fastest.reason(measured.front().reason);
  measured.insert(measured.end(), choice.ranking.begin() + static_cast<std::ptrdiff_t>(at),
                  choice.ranking.end());
  measured.insert(measured.end(), refused.begin(), refused.end());
  choice.ranking = std::move(measured);
  return fastest.take();
}

/// Puts the entry of the kernel that runs first, since a CPU's wavefronts may replace the scheme.
inline void put_first(SolveChoice& choice, const Scheme& runs) {
  const auto found =
      std::find_if(choice.ranking.begin(), choice.ranking.end(),
                   [&](const RankedSolve& one) { return one.scheme.kernel() == runs.kernel(); });
  if (found == choice.ranking.end()) return;
  found->scheme = runs;
  std::rotate(choice.ranking.begin(), found, found + 1);
  choice.reason = choice.ranking.front().reason;
}

/// Makes the executor of a plan that pins no scheme: by the tuning cache at `path`, if one is
/// named, under key(); else the fastest, if `seconds` is positive (make_fastest); else predicted(),
/// which runs a kernel of choice.ranking.
template <class Key, class Make, class SecondsOf, class Predicted>
auto make_chosen(double seconds, const std::string& path, SolveChoice& choice, const Key& key,
                 const Make& make, const SecondsOf& seconds_of, const Predicted& predicted) {
  using Made = decltype(make(Scheme()));
  using Entry = TuningCache::Entry;
  const auto choose = [&]() -> Made {
    if (seconds > 0) return make_fastest(seconds, choice, make, seconds_of);
    Made made = predicted();
    put_first(choice, made->scheme());
    return made;
  };
  if (path.empty()) return choose();
  return through_cache(
      TuningCache(path), key(), choice.cache,
      [&](const Entry& entry) {
        Made made = make(Scheme(entry.scheme));
        choice.reason = "the fastest of those that were measured before";
        choice.ranking = {{made->scheme(), choice.reason, entry.seconds}};
        return made;
      },
      choose,
      [&](const Made& made) -> std::optional<Entry> {
        if (!(seconds > 0)) return std::nullopt;
        return Entry{made->scheme().to_string(), choice.ranking.front().measured_seconds};
      });
}

}  // namespace heddle::detail::ordered
