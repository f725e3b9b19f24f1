// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are lambdas, and the errors of their launches.
#pragma once

#include <initializer_list>
#include <string>

#include "../../backends/cluster.hpp"
#include "../backends/lanes.hpp"

namespace heddle::test {

using Exec = DefaultDevice;

/// A kernel that is a function of the team.
template <class F>
struct Kernel {
  using Scratch = backends::NoScratch;
  F body;
  template <class Team>
  void operator()(const Team& team, Scratch&) const {
    body(team);
  }
};
template <class F>
Kernel(F) -> Kernel<F>;

/// A kernel that is a function of the cluster and of a number in scratch.
template <class F>
struct ClusterKernel {
  struct Scratch {
    int value;
  };
  F body;
  template <class Cluster>
  void operator()(const Cluster& cluster, Scratch& scratch) const {
    body(cluster, scratch);
  }
};
template <class F>
ClusterKernel(F) -> ClusterKernel<F>;

/// The error of a launch, "" if there is none.
template <class Launch>
std::string error_of_launch(const Launch& launch) {
  try {
    launch();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

inline bool names(const std::string& text, std::initializer_list<const char*> parts) {
  for (const char* const part : parts) {
    if (text.find(part) == std::string::npos) {
      MESSAGE(text, " lacks ", std::string(part));
      return false;
    }
  }
  return true;
}

}  // namespace heddle::test
