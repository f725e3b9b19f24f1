// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <memory>

namespace heddle::bench {

/// Interface of the clocks that times are measured with; tests have their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual void start() = 0;
  /// Waits for the work that was enqueued since start(), and returns its seconds.
  virtual double stop() = 0;
  /// Seconds of the host's clock since some moment.
  virtual double host_seconds() const = 0;
};

/// Times the work of an execution space instance: by events of the device if it has them, else by
/// the host's clock around the work and a fence.
class Stopwatch final : public Clock {
 public:
  explicit Stopwatch(const Kokkos::DefaultExecutionSpace& exec);
  ~Stopwatch() override;
  void start() override;
  double stop() override;
  double host_seconds() const override;
  /// "device events" or "host clock"
  static const char* kind();

 private:
  struct Native;
  std::unique_ptr<Native> native_;
};

}  // namespace heddle::bench
