// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

namespace heddle::backends {

struct MemorySpeed {
  std::string_view name;  ///< part of the names of such devices
  double bytes_per_second;
};

/// Memory bandwidths from the makers' data sheets, for a device as a program sees it: half of an
/// MI250X. The first match counts.
inline constexpr std::array<MemorySpeed, 19> memory_speeds{{
    {"B200", 8.0e12},
    {"GH200 144G", 4.9e12},
    {"GH200", 4.0e12},
    {"H200", 4.8e12},
    {"H100 80GB HBM3", 3.35e12},
    {"H100 NVL", 3.9e12},
    {"H100 PCIe", 2.0e12},
    {"A100-SXM4-80GB", 2.04e12},
    {"A100 80GB PCIe", 1.935e12},
    {"A100-SXM4-40GB", 1.555e12},
    {"A100-PCIE-40GB", 1.555e12},
    {"V100S", 1.134e12},
    {"V100", 0.9e12},
    {"L40S", 0.864e12},
    {"MI210", 1.6e12},
    {"MI250", 1.6e12},
    {"MI300X", 5.3e12},
    {"MI300A", 5.3e12},
    {"MI325X", 6.0e12},
}};

/// The part of the data sheet's bandwidth that a copy reaches; H200 and H100 SXM: 0.896 at best.
inline constexpr double copy_part = 132 * 31.7e9 / 4.8e12;

/// Bytes a second, read and written ones together, that a copy on a GPU of this name reaches. For
/// an unknown GPU it is computed from its memory's clock in kHz and the width of its bus in bits,
/// at two transfers a clock. 0 if those are 0, and for a part of a GPU (MIG), which has a part of
/// its memory's bandwidth.
constexpr double copy_bytes_per_second(std::string_view name, double clock_khz = 0,
                                       double bus_bits = 0) {
  if (name.find("MIG") != name.npos) return 0;
  for (const MemorySpeed& known : memory_speeds) {
    if (name.find(known.name) != name.npos) return known.bytes_per_second * copy_part;
  }
  return clock_khz * 1e3 * 2 * bus_bits / 8 * copy_part;
}

// The bandwidth with which choices were calibrated on an H200.
static_assert(copy_bytes_per_second("NVIDIA H200") == 132 * 31.7e9);

}  // namespace heddle::backends
