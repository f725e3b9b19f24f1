// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../backends/cpu_traits.hpp"
#include "../../core/device.hpp"
#include "../../core/scheme.hpp"
#include "refusal.hpp"

namespace heddle::detail {

/// The value of a scheme's parameter `simd`, or nothing where it is left out. Throws Refusal for
/// one that this processor does not have. The template parameter: see backends::supports.
template <bool Compiled = backends::compiles_simd>
std::optional<backends::Simd> pinned_simd(const Scheme& scheme) {
  if (!scheme.has("simd")) return std::nullopt;
  const backends::Simd pinned = *backends::simd_named(scheme.value("simd"));
  if (!backends::supports<Compiled>(pinned)) {
    throw Refusal("scheme '" + scheme.to_string() + "': this processor has no AVX2",
                  "pin simd=none");
  }
  return pinned;
}

/// Of a scheme whose values are `none` and `loads`: what is pinned, else the best that there is.
template <bool Compiled = backends::compiles_simd>
backends::Simd loads_or_none(const Scheme& scheme, const Device& device) {
  using backends::Simd;
  if (device.has_lanes()) return Simd::none;
  const Simd best = backends::supports<Compiled>(Simd::loads) ? Simd::loads : Simd::none;
  return pinned_simd<Compiled>(scheme).value_or(best);
}

}  // namespace heddle::detail
