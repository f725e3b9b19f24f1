// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch_simd.hpp"
#include "tuning.hpp"

namespace heddle::detail::vectors {

/// Launches make.operator()<unit>(), a kernel for vectors whose entries follow each other, or for
/// any. Each is compiled once: on a CPU the former for AVX2 where the compiler knows that, and
/// processors without it run the latter.
template <ExecutionSpace Exec, class Make>
void launch_by_stride(const Exec& exec, const char* label, std::int64_t teams, bool unit_stride,
                      const Make& make) {
  using Shape = backends::Shape<backends::max_subwarp_width<Exec>, tuning_of<Exec>.threads>;
  if constexpr (!backends::has_lanes<Exec>) {
    if constexpr (backends::compiles_simd && backends::runs_on_host<Exec>) {
      if (unit_stride && backends::best_simd() != backends::Simd::none) {
        return backends::launch_with_simd<Shape>(exec, label, teams,
                                                 make.template operator()<true>());
      }
    } else if (unit_stride) {
      return backends::launch_without_simd<Shape>(exec, label, teams,
                                                  make.template operator()<true>());
    }
  }
  backends::launch_without_simd<Shape>(exec, label, teams, make.template operator()<false>());
}

}  // namespace heddle::detail::vectors
