// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/types.hpp"

namespace heddle {

/// Exec, on which Heddle launches its kernels through Kokkos' TeamPolicy alone, which works on
/// every device that Kokkos supports. Use it in place of Exec: SpmvPlan<Portable<Exec>, ...>.
/// Execution spaces that Heddle does not know run this way automatically. docs/backends.md says
/// what the direct launches of CPUs, CUDA and HIP gain over it.
template <ExecutionSpace Exec>
class Portable : public Exec {
 public:
  Portable() = default;
  Portable(const Exec& exec) : Exec(exec) {}

  static const char* name() {
    static const std::string text = std::string("Portable<") + Exec::name() + ">";
    return text.c_str();
  }
};

}  // namespace heddle
