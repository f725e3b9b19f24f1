// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "../../core/device.hpp"
#include "../../core/scheme_grammar.hpp"

namespace heddle::detail {

/// The parameter of formats that give a row several lanes on a GPU, `fewest` to `most`, each twice
/// as many, and on a CPU load SIMD registers: as it is listed, and as it is printed.
inline std::vector<SchemeKey> lanes_or_simd(const Device& device, int fewest, int most) {
  if (!device.has_lanes()) return {SchemeKey("simd", {"none", "loads"}, scheme_auto)};
  std::vector<std::string> values;
  for (int lanes = fewest; lanes <= most; lanes *= 2) values.push_back(std::to_string(lanes));
  return {SchemeKey("lanes", values, scheme_auto)};
}
inline SchemeTerm lanes_or_simd(const Device& device, int lanes, const char* simd) {
  return device.has_lanes() ? SchemeTerm("lanes", lanes) : SchemeTerm("simd", simd);
}

}  // namespace heddle::detail
