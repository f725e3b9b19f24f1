// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "../../../backends/device.hpp"
#include "../../../backends/lanes.hpp"
#include "../../../core/scheme_grammar.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// The device of this build for its grammars, so that a list of schemes needs no device.
inline Device listed_device() {
  Device device;
  device.backend = backends::Tag<Exec>::kind;
  device.lanes = backends::max_subwarp_width<Exec>;
  device.waits_make_progress = backends::waits_make_progress<Exec>;
  return device;
}

/// The usage of each kernel's schemes.
inline std::vector<std::string> kernel_usages(const SchemeGrammar& legal) {
  std::vector<std::string> usages;
  for (const SchemeKernel& kernel : legal.kernels) {
    usages.push_back(SchemeGrammar(legal.format, {kernel}, legal.parameters).usage());
  }
  return usages;
}

/// One scheme of each kernel, its parameters left to the inspector.
inline std::vector<Scheme> kernel_schemes(const SchemeGrammar& legal) {
  std::vector<Scheme> schemes;
  for (const SchemeKernel& kernel : legal.kernels) {
    schemes.push_back(parse_scheme(legal.format + "/" + kernel.key.key, std::span(&legal, 1)));
  }
  return schemes;
}

/// The schemes that words ask for, each once. expand(word) returns the schemes of a word that is
/// not a scheme, such as "all", or nothing. "auto" is skipped.
template <class Expand>
std::vector<Scheme> asked_schemes(const std::vector<std::string>& words,
                                  std::span<const SchemeGrammar> legal, const Expand& expand) {
  std::vector<Scheme> found;
  for (const std::string& word : words) {
    if (word == "auto") continue;
    const std::optional<std::vector<Scheme>> meant = expand(word);
    for (const Scheme& one : meant ? *meant : std::vector{parse_scheme(word, legal)}) {
      if (std::find(found.begin(), found.end(), one) == found.end()) found.push_back(one);
    }
  }
  return found;
}

}  // namespace heddle::bench
