// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schemes that are pinned for one backend and run on another.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "device.hpp"
#include "scheme_grammar.hpp"

namespace heddle {

/// The key under which a plan lists pinned kernels that do not exist on its device:
/// csr/adaptive,idle=subwarp:8. It is ignored in a pinned scheme.
inline constexpr const char* idle_key = "idle";

/// The meaning of a user's pinned scheme on a device. Terms that only another backend's grammar
/// accepts are idle, so that one scheme serves all backends.
struct PinnedScheme {
  /// The scheme to run; empty if all named kernels are idle, and one is to be chosen.
  std::optional<Scheme> scheme;
  /// Terms that hold for any chosen scheme.
  std::vector<SchemeTerm> rest = {};
  /// The idle terms as a value of idle_key; empty if there are none.
  std::string idle = {};

  void add_idle(const SchemeTerm& term) {
    idle += (idle.empty() ? "" : "+") + term.key + (term.value.empty() ? "" : ":" + term.value);
  }
  /// The scheme that runs, with the idle terms.
  Scheme shown(const Scheme& runs) const {
    if (idle.empty()) return runs;
    std::vector<SchemeTerm> terms = runs.terms();
    terms.emplace_back(idle_key, idle);
    return Scheme(runs.format(), std::move(terms));
  }
  /// The idle terms as a line of explain(); empty if there are none.
  std::string explain() const {
    return idle.empty() ? "" : "  idle here: " + idle + ", of another backend\n";
  }
};

namespace detail {

/// One device of each backend, as far as grammars distinguish devices.
inline std::array<Device, 4> each_backend() {
  std::array<Device, 4> devices;
  devices[1].backend = BackendKind::cuda;
  devices[1].lanes = 32;
  devices[2].backend = BackendKind::hip;
  devices[2].lanes = 64;
  devices[3].backend = BackendKind::portable;
  devices[3].waits_make_progress = false;
  return devices;
}

/// Whether some scheme of the grammar has this term.
inline bool takes(const SchemeGrammar& grammar, const SchemeTerm& term) {
  const auto legal = [&](const SchemeKey& key) {
    if (!scheme_matches(key.key, term.key)) return false;
    if (key.values.empty()) return term.value.empty();
    return (key.fallback == scheme_auto && term.value == scheme_auto) ||
           std::any_of(key.values.begin(), key.values.end(),
                       [&](const auto& value) { return scheme_matches(value, term.value); });
  };
  return std::any_of(grammar.parameters.begin(), grammar.parameters.end(), legal) ||
         std::any_of(grammar.kernels.begin(), grammar.kernels.end(), [&](const auto& kernel) {
           return legal(kernel.key) ||
                  std::any_of(kernel.parameters.begin(), kernel.parameters.end(), legal);
         });
}

/// Whether the term names a kernel.
inline bool names_kernel(const SchemeGrammar& grammar, const SchemeTerm& term) {
  return std::any_of(
      grammar.kernels.begin(), grammar.kernels.end(),
      [&](const SchemeKernel& kernel) { return scheme_matches(kernel.key.key, term.key); });
}

}  // namespace detail

/// Finds a PinnedScheme. `grammar_on(device)` is the grammar of the scheme's format on a device.
/// Throws Error as resolve() does, also for a term that no backend accepts.
template <class GrammarOn>
PinnedScheme resolve_pinned(const Scheme& by_user, const Device& device,
                            const GrammarOn& grammar_on) {
  const SchemeGrammar here = grammar_on(device);
  grammar_of(by_user, std::span(&here, 1));  // throws if there is none
  std::vector<SchemeGrammar> elsewhere;
  for (const Device& other : detail::each_backend()) elsewhere.push_back(grammar_on(other));
  PinnedScheme pinned;
  std::vector<SchemeTerm> active;
  bool idle_kernel = false, kernel = false;
  for (const SchemeTerm& term : by_user.terms()) {
    if (term.key == idle_key) continue;
    const bool known = detail::takes(here, term);
    const auto takes = [&](const SchemeGrammar& other) { return detail::takes(other, term); };
    if (known || std::none_of(elsewhere.begin(), elsewhere.end(), takes)) {
      kernel = kernel || detail::names_kernel(here, term);
      active.push_back(term);
      continue;
    }
    for (const SchemeGrammar& other : elsewhere) {
      idle_kernel = idle_kernel || (takes(other) && detail::names_kernel(other, term));
    }
    pinned.add_idle(term);
  }
  const Scheme rest(by_user.format(), std::move(active));
  if (kernel || here.kernels.empty() || !idle_kernel) {
    pinned.scheme = resolve(rest, std::span(&here, 1));
    return pinned;
  }
  detail::check_terms(rest, here, here.parameters);
  for (const SchemeTerm& term : rest.terms()) {
    const bool holds_for_all = std::any_of(
        here.parameters.begin(), here.parameters.end(),
        [&](const SchemeKey& key) { return detail::scheme_matches(key.key, term.key); });
    holds_for_all ? pinned.rest.push_back(term) : pinned.add_idle(term);
  }
  return pinned;
}

}  // namespace heddle
