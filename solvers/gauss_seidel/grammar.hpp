// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../sptrsv/select/grammar.hpp"

namespace heddle::detail::gauss_seidel {

/// The schemes of sweeps on a device.
///
///     sequential       one thread (CPU)
///     barrier          one launch a half sweep; a barrier after each stage of levels (CPU)
///     point-to-point   one launch a half sweep; threads wait for those that they need (CPU)
///       grain=<n>        rows * 4 + entries of a level that are worth a thread
///     hand-over        one launch a half sweep; rows wait for the values that they need (GPU)
///       lanes=1|4|32     lanes a row
///       warps=4|..|64    warps that a multiprocessor runs at once
///     launches         a launch a level (GPU, and devices whose teams may not wait)
///     split            a product with one side, then a triangular solve with the other
inline SchemeGrammar grammar(const Device& device) {
  if (sptrsv::waits_on_lanes(device)) {
    const SchemeKey lanes("lanes", {"1", "4", "32"}, scheme_auto);
    const SchemeKey warps("warps", {"4", "8", "16", "32", "64"}, scheme_auto);
    return {"gauss-seidel", {{"hand-over", {}, {lanes, warps}}, {"launches"}, {"split"}}};
  }
  if (device.backend != BackendKind::host) return {"gauss-seidel", {{"launches"}, {"split"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  return {"gauss-seidel",
          {{"sequential"}, {"barrier", {}, {grain}}, {"point-to-point", {}, {grain}}, {"split"}}};
}

/// Those that are a loop's wavefronts have the same names there.
inline Scheme as_wavefronts(const Scheme& scheme) { return Scheme("wavefronts", scheme.terms()); }
inline Scheme as_gauss_seidel(const Scheme& scheme) {
  return Scheme("gauss-seidel", scheme.terms());
}

}  // namespace heddle::detail::gauss_seidel
