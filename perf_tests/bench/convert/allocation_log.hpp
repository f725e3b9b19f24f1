// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace heddle::bench {

/// What is allocated and released in the device's memory through Kokkos while a log lives, in
/// order. One log at a time.
class AllocationLog {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = Exec::memory_space;
  struct Step {
    bool allocates;
    const void* where;
    std::size_t bytes;
  };

  AllocationLog() {
    using namespace Kokkos::Tools::Experimental;
    before_ = get_callbacks();
    log().clear();
    set_allocate_data_callback([](Kokkos::Tools::SpaceHandle space, const char*, const void* where,
                                  std::uint64_t bytes) { note(space, true, where, bytes); });
    set_deallocate_data_callback([](Kokkos::Tools::SpaceHandle space, const char*,
                                    const void* where,
                                    std::uint64_t bytes) { note(space, false, where, bytes); });
  }
  ~AllocationLog() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  AllocationLog(const AllocationLog&) = delete;

  static const std::vector<Step>& seen() { return log(); }

 private:
  static std::vector<Step>& log() {
    static std::vector<Step> steps;
    return steps;
  }
  static void note(const Kokkos::Tools::SpaceHandle& space, bool allocates, const void* where,
                   std::size_t bytes) {
    if (std::strcmp(space.name, Space::name()) == 0) log().push_back({allocates, where, bytes});
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

/// Does the steps again, without initialization and with nothing in between; releases at the end
/// what they leave. What they release without having allocated it is passed over.
inline void replay(const Kokkos::DefaultExecutionSpace& exec,
                   const std::vector<AllocationLog::Step>& steps) {
  using Block = Kokkos::View<std::byte*, AllocationLog::Space>;
  std::unordered_map<const void*, Block> live;
  for (const AllocationLog::Step& step : steps) {
    if (step.allocates) {
      live[step.where] =
          Block(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::replayed"),
                step.bytes);
    } else {
      live.erase(step.where);
    }
  }
}

}  // namespace heddle::bench
