// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/backends/team.hpp>
#include <heddle/core/error.hpp>
#include <string>

/// What CUDA and HIP launches share: the source is the same, the compiler differs.
namespace heddle::backends {

/// The second launch bound: CUDA counts teams of a multiprocessor, HIP the wavefronts of 64 on each
/// of a compute unit's four SIMDs.
template <class Exec, class LaunchShape>
inline constexpr int resident_bound =
    max_subwarp_width<Exec> == 64
        ? (LaunchShape::teams_resident * LaunchShape::team_threads + 255) / 256
        : LaunchShape::teams_resident;

/// Tells Kokkos Tools of a kernel that Kokkos itself does not launch, while in scope.
template <ExecutionSpace Exec>
class ProfiledKernel {
 public:
  ProfiledKernel(const Exec& exec, const char* label)
      : watched_(Kokkos::Tools::profileLibraryLoaded()) {
    if (watched_) {
      Kokkos::Tools::beginParallelFor(label, Kokkos::Tools::Experimental::device_id(exec), &id_);
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

inline void check_launch(const char* label, const char* problem) {
  if (problem) {
    throw Error(std::string("the device refused to launch ") + label + ": " + problem,
                "see whether an earlier kernel failed, and whether the program was built for this "
                "device");
  }
}

}  // namespace heddle::backends
