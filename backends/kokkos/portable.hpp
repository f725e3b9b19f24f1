// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/types.hpp"

namespace heddle {

/// Exec, on which Heddle launches its kernels through Kokkos' TeamPolicy alone: what runs on every
/// device that Kokkos knows. Give it in the place of Exec, SpmvPlan<Portable<Exec>, ...>; an
/// execution space that Heddle does not know runs so by itself. docs/backends.md says what the
/// direct launches of CPUs, CUDA and HIP gain over it.
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
