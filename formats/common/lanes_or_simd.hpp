// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/cpu_traits.hpp"
#include "../../core/device.hpp"
#include "../../core/scheme_grammar.hpp"
#include "prediction.hpp"

namespace heddle::detail {

/// The value of a scheme's parameter `simd`, or nothing where it is left out. Throws Refusal for
/// one that this processor does not have. The template parameter: see backends::supports.
template <bool Compiled = backends::compiles_simd>
std::optional<backends::Simd> pinned_simd(const Scheme& scheme,
                                          std::optional<backends::Simd> pinned) {
  if (!pinned || backends::supports<Compiled>(*pinned)) return pinned;
  throw Refusal("scheme '" + scheme.to_string() + "': this processor has no AVX2", "pin simd=none");
}

/// The parameters of formats that give a row several lanes on a GPU, and load SIMD registers on a
/// CPU.
struct LanesOrSimd {
  std::optional<int> lanes;            ///< a row, on a GPU
  std::optional<backends::Simd> simd;  ///< on a CPU

  /// As many lanes as double from `fewest` to `most`.
  void list_lanes(SchemeFields& fields, const Device& device, int fewest, int most) {
    if (device.has_lanes()) fields.add(lanes, {.key = "lanes", .numbers = {fewest, most, true}});
  }
  void list_simd(SchemeFields& fields, const Device& device) {
    if (!device.has_lanes()) fields.add(simd, {.key = "simd", .words = {"none", "loads"}});
  }

  /// What is pinned, else the best that there is.
  template <bool Compiled = backends::compiles_simd>
  backends::Simd loads_or_none(const Scheme& scheme, const Device& device) const {
    using backends::Simd;
    if (device.has_lanes()) return Simd::none;
    const Simd best = backends::supports<Compiled>(Simd::loads) ? Simd::loads : Simd::none;
    return pinned_simd<Compiled>(scheme, simd).value_or(best);
  }
};

}  // namespace heddle::detail
