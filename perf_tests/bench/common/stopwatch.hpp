// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

namespace heddle::bench {

/// Times what an execution space instance does: by events of the device where it has them, else by
/// the host's clock around the work and a fence.
class Stopwatch {
 public:
  explicit Stopwatch(const Kokkos::DefaultExecutionSpace& exec);
  ~Stopwatch();
  void start();
  /// Waits for what was started since, and returns its seconds.
  double stop();
  /// "device events" or "host clock"
  static const char* kind();

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

}  // namespace heddle::bench
