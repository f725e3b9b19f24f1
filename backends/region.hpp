// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>

namespace heddle::backends {

/// A region of Kokkos Tools while it lives. If no tool is loaded it costs a comparison and
/// allocates nothing.
class Region {
 public:
  explicit Region(const char* name) : open_(Kokkos::Tools::profileLibraryLoaded()) {
    if (open_) Kokkos::Profiling::pushRegion(name);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;
  ~Region() {
    if (open_) Kokkos::Profiling::popRegion();
  }

 private:
  bool open_;
};

}  // namespace heddle::backends
