// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/error.hpp"

namespace heddle::backends {

/// Throws Error if an AMD device runs wavefronts of other than 64 lanes, as gfx10 to gfx12 do: all
/// kernels for HIP are written for 64, and sums over lanes would be silently wrong. The arguments
/// are what the device reports: its name, its architecture, its lanes.
inline void check_wavefront(const std::string& name, const std::string& architecture, int lanes) {
  if (lanes == 64) return;
  throw Error("the device " + name + " (" + architecture + ") has wavefronts of " +
                  std::to_string(lanes) + " lanes, and Heddle's kernels for HIP need 64",
              "use a device of the CDNA or GCN line (gfx90a, gfx942), or a host execution space");
}

}  // namespace heddle::backends
