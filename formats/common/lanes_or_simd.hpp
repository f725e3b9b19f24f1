// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/cpu_traits.hpp"
#include "../../core/device.hpp"
#include "../../core/scheme_grammar.hpp"
#include "prediction.hpp"

namespace heddle::detail {

/// The value of a scheme's parameter `simd`, or nothing if it is left out. Throws Refusal if this
/// processor does not have it. For the template parameter see backends::supports.
template <bool Compiled = backends::compiles_simd>
std::optional<backends::Simd> pinned_simd(const Scheme& scheme,
                                          std::optional<backends::Simd> pinned) {
  if (!pinned || backends::supports<Compiled>(*pinned)) return pinned;
  throw Refusal("scheme '" + scheme.to_string() + "': this processor has no AVX2", "pin simd=none");
}

/// The parameters of formats that use several lanes a row on a GPU, and SIMD registers on a CPU.
struct LanesOrSimd {
  std::optional<int> lanes;            ///< lanes for each row, on a GPU
  std::optional<backends::Simd> simd;  ///< on a CPU

  /// Adds the parameter `lanes`: powers of two times `fewest`, up to `most`.
  void list_lanes(SchemeFields& fields, const Device& device, int fewest, int most) {
    if (device.has_lanes()) fields.add(lanes, {.key = "lanes", .numbers = {fewest, most, true}});
  }
  void list_simd(SchemeFields& fields, const Device& device) {
    if (!device.has_lanes()) fields.add(simd, {.key = "simd", .words = {"none", "loads"}});
  }

  /// The pinned value, else the best that this processor supports.
  template <bool Compiled = backends::compiles_simd>
  backends::Simd loads_or_none(const Scheme& scheme, const Device& device) const {
    using backends::Simd;
    if (device.has_lanes()) return Simd::none;
    const Simd best = backends::supports<Compiled>(Simd::loads) ? Simd::loads : Simd::none;
    return pinned_simd<Compiled>(scheme, simd).value_or(best);
  }
};

}  // namespace heddle::detail
