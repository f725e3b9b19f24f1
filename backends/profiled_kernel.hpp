// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "lanes.hpp"

namespace heddle::backends {

/// While in scope, reports to Kokkos Tools a kernel that Kokkos itself does not launch.
template <ExecutionSpace Exec>
class ProfiledKernel {
 public:
  ProfiledKernel(const Exec& exec, const char* label)
      : watched_(Kokkos::Tools::profileLibraryLoaded()) {
    if (watched_) {
      Kokkos::Tools::beginParallelFor(
          label, Kokkos::Tools::Experimental::device_id(kokkos_space(exec)), &id_);
    }
  }
  ~ProfiledKernel() {
    if (watched_) Kokkos::Tools::endParallelFor(id_);
  }
  ProfiledKernel(const ProfiledKernel&) = delete;

 private:
  bool watched_;
  std::uint64_t id_ = 0;
};

}  // namespace heddle::backends
