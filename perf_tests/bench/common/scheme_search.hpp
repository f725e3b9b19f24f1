// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <optional>
#include <set>
#include <vector>

#include "../../../core/scheme_grammar.hpp"
#include "results.hpp"

namespace heddle::bench {

/// Choices of a key: its values that are written out or have an example, and its fallback.
inline std::vector<SchemeTerm> choices_of(const SchemeKey& key) {
  std::vector<SchemeTerm> choices = detail::terms_of(key);
  if (key.fallback.empty() || key.fallback == scheme_auto) return choices;
  const SchemeTerm fallback(key.key, key.fallback);
  const bool listed = std::find(choices.begin(), choices.end(), fallback) != choices.end();
  if (!listed) choices.push_back(fallback);
  return choices;
}

/// Number of schemes of a kernel: all combinations of the choices of its keys.
inline std::int64_t count_schemes(const SchemeGrammar& legal, const SchemeKernel& kernel) {
  auto count = static_cast<std::int64_t>(detail::terms_of(kernel.key).size());
  for (const SchemeKey& key : legal.parameters_of(&kernel)) {
    count *= static_cast<std::int64_t>(choices_of(key).size());
  }
  return count;
}

/// The schemes that differ from `from` in a single key of the grammar.
inline std::vector<Scheme> schemes_along(const SchemeGrammar& legal, const Scheme& from,
                                         const SchemeKey& key) {
  std::vector<Scheme> found;
  for (const SchemeTerm& choice : choices_of(key)) {
    std::vector<SchemeTerm> terms;
    for (const SchemeTerm& term : from.terms()) {
      if (!detail::scheme_matches(key.key, term.key)) terms.push_back(term);
    }
    terms.push_back(choice);
    found.push_back(resolve(Scheme(legal.format, std::move(terms)), std::span(&legal, 1)));
  }
  return found;
}

/// The schemes of every kernel with those parameters of `from` that the kernel has; a required one
/// that `from` lacks gets the first of its values.
inline std::vector<Scheme> schemes_across(const SchemeGrammar& legal, const Scheme& from) {
  std::vector<Scheme> found;
  for (const SchemeKernel& kernel : legal.kernels) {
    for (const SchemeTerm& choice : detail::terms_of(kernel.key)) {
      std::vector<SchemeTerm> terms{choice};
      bool possible = true;
      for (const SchemeKey& key : legal.parameters_of(&kernel)) {
        const auto& old = from.terms();
        const auto same = std::find_if(old.begin(), old.end(), [&](const SchemeTerm& term) {
          return detail::scheme_matches(key.key, term.key);
        });
        if (same != old.end()) {
          terms.push_back(*same);
        } else if (key.fallback.empty()) {
          const std::vector<SchemeTerm> values = detail::terms_of(key);
          possible = possible && !values.empty();
          if (!values.empty()) terms.push_back(values.front());
        }
      }
      if (!possible) continue;
      found.push_back(resolve(Scheme(legal.format, std::move(terms)), std::span(&legal, 1)));
    }
  }
  return found;
}

/// Searches for the fastest scheme of a grammar: times candidates, then varies the best of them
/// along one key at a time, the kernel last, and keeps what is faster, until no key improves or the
/// budget is spent. Nothing begins after that; the first candidate is timed in any case.
///
/// setup(scheme) returns an object with scheme(), in which open parameters are filled in, and
/// time(too_slow_seconds), a TimedScheme; it throws Error if the scheme does not fit the problem,
/// which is noted. No scheme is timed twice. now() is a clock in seconds; watch(number of schemes
/// so far, best or null, next) is called before each.
///
/// too_slow_seconds is 1.5 times the best median so far: timing may stop once the fastest run is
/// above it.
template <class Setup, class Now, class Watch>
class SchemeSearch {
 public:
  static constexpr double too_slow = 1.5;

  SchemeSearch(const SchemeGrammar& legal, double budget_seconds, Setup setup, Now now, Watch watch)
      : legal_(legal),
        setup_(std::move(setup)),
        now_(std::move(now)),
        watch_(std::move(watch)),
        stop_(now_() + budget_seconds) {}

  SearchResult run(const std::vector<Scheme>& candidates) {
    result_.complete = try_all(candidates);
    for (bool improved = best_.has_value(); improved && result_.complete;) improved = walk();
    if (best_) result_.best = *best_;
    return std::move(result_);
  }

 private:
  /// Times the schemes that are new; returns whether the budget lasted.
  bool try_all(const std::vector<Scheme>& schemes) {
    for (const Scheme& scheme : schemes) {
      if (seen_.contains(scheme)) continue;
      if (!result_.schemes.empty() && now_() >= stop_) return false;
      try_one(scheme);
    }
    return true;
  }

  void try_one(const Scheme& scheme) {
    seen_.insert(scheme);
    watch_(result_.schemes.size(), best_ ? &*best_ : nullptr, scheme);
    SearchedScheme entry;
    entry.scheme = scheme;
    try {
      const double begin = now_();
      auto variant = setup_(scheme);
      entry.setup_seconds = now_() - begin;
      entry.scheme = variant.scheme();
      if (entry.scheme != scheme && !seen_.insert(entry.scheme).second) return;
      const double best = best_ ? *best_->time.seconds : std::numeric_limits<double>::infinity();
      entry.time = variant.time(too_slow * best);
      if (!entry.time.stopped_early && *entry.time.seconds < best) best_ = entry;
    } catch (const Error& error) {
      entry.time = {};
      entry.note = error.what();
    }
    result_.schemes.push_back(std::move(entry));
  }

  /// Searches once along every key; returns whether the best scheme changed.
  bool walk() {
    const SearchedScheme start = *best_;
    const SchemeKernel* kernel = detail::kernel_of(start.scheme, legal_);
    for (const SchemeKey& key : legal_.parameters_of(kernel)) {
      result_.complete = result_.complete && try_all(schemes_along(legal_, best_->scheme, key));
    }
    result_.complete = result_.complete && try_all(schemes_across(legal_, best_->scheme));
    return best_->scheme != start.scheme;
  }

  const SchemeGrammar& legal_;
  Setup setup_;
  Now now_;
  Watch watch_;
  double stop_;
  std::set<Scheme> seen_;
  std::optional<SearchedScheme> best_;
  SearchResult result_;
};

}  // namespace heddle::bench
