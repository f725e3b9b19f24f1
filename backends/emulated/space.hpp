// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "../../core/types.hpp"
#include "recorder.hpp"

namespace heddle::backends {

/// A GPU emulated on a CPU: every lane of every team that Heddle launches is a fiber of the calling
/// thread, in subwarps of up to Width lanes, in a random order that a seed repeats. Width 32 uses
/// the kernels and the tuning of CUDA, 64 those of HIP. Kokkos loops run as those of Base; those of
/// detail::parallel_for can be recorded in a Graph, as launches are. A kernel that breaks the rules
/// of backends/ ends its launch with an Error that says how. For tests: programs that use it define
/// HEDDLE_EMULATED and link Boost.Context. docs/emulated.md
template <ExecutionSpace Base, int Width>
class Emulated : public Base {
  static_assert(Width == 32 || Width == 64, "a warp has 32 lanes, a wavefront 64");

 public:
  static constexpr int width = Width;
  static constexpr int multiprocessors = 2;
  static constexpr int threads_per_multiprocessor = 1024;

  Emulated() = default;
  Emulated(const Base& exec) : Base(exec) {}

  /// Threads that are resident together, as on a GPU; not those of Base.
  int concurrency() const { return multiprocessors * threads_per_multiprocessor; }
  /// Calls body(i) for each first <= i < stop, at once or at each replay of a graph.
  template <class Body>
  void parallel_for(const std::string& label, std::int64_t first, std::int64_t stop,
                    const Body& body) const {
    emulated::queue(*this, [=](const Emulated& exec) {
      Kokkos::parallel_for(label, range_policy(exec, first, stop), body);
    });
  }
  static const char* name() { return Width == 32 ? "emulated32" : "emulated64"; }
};

/// Options of all emulated launches of a program. Set them between launches.
struct EmulatedOptions {
  /// Seed of the random order. Reports name it and the launch, counted from the start of the
  /// program or from the last change of seed.
  std::uint64_t seed = 1;
  /// Reads of memory in a row that see nothing new before a launch is given up.
  std::int64_t futile_looks = 3'000'000;
};

inline EmulatedOptions& emulated_options() {
  static EmulatedOptions options;
  return options;
}

}  // namespace heddle::backends
