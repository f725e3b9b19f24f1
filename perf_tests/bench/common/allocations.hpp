// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>
#include <unordered_map>
#include <vector>

#include "results.hpp"
#include "timing.hpp"

namespace heddle::bench {

/// Log of the allocations and releases of device memory through Kokkos while it lives, in order,
/// and of how often the host waits for the device. Only one log may live at a time; it slows down
/// the work that it records.
class DeviceLog {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Space = Exec::memory_space;
  struct Step {
    bool allocates;
    const void* where;
    std::size_t bytes;
  };
  struct Seen {
    std::vector<Step> steps;
    /// Number of fences with enqueued work to wait for: of consecutive fences the first counts.
    int waits = 0;
  };

  DeviceLog() {
    using namespace Kokkos::Tools::Experimental;
    before_ = get_callbacks();
    state() = State();
    set_allocate_data_callback([](Handle space, const char*, const void* where,
                                  std::uint64_t bytes) { note(space, true, where, bytes); });
    set_deallocate_data_callback([](Handle space, const char*, const void* where,
                                    std::uint64_t bytes) { note(space, false, where, bytes); });
    set_begin_parallel_for_callback(enqueued);
    set_begin_parallel_reduce_callback(enqueued);
    set_begin_parallel_scan_callback(enqueued);
    set_begin_deep_copy_callback([](Handle to, const char*, const void*, Handle from, const char*,
                                    const void*, std::uint64_t) {
      if (of_device(to) || of_device(from)) state().busy = true;
    });
    set_begin_fence_callback([](const char* name, std::uint32_t device, std::uint64_t*) {
      if (!of_device(device) || std::strstr(name, "Kokkos Profile Tool Fence")) return;
      state().seen.waits += state().busy;
      state().busy = false;
    });
  }
  ~DeviceLog() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  DeviceLog(const DeviceLog&) = delete;

  static const Seen& seen() { return state().seen; }

 private:
  using Handle = Kokkos::Tools::SpaceHandle;
  struct State {
    Seen seen;
    bool busy = false;  // whether work was enqueued after the last fence
  };

  static State& state() {
    static State state;
    return state;
  }
  static bool of_device(const Handle& space) { return std::strcmp(space.name, Space::name()) == 0; }
  static bool of_device(std::uint32_t device) {
    using namespace Kokkos::Tools::Experimental;
    return identifier_from_devid(device).type == DeviceTypeTraits<Exec>::id;
  }
  static void enqueued(const char*, std::uint32_t device, std::uint64_t*) {
    if (of_device(device)) state().busy = true;
  }
  static void note(const Handle& space, bool allocates, const void* where, std::size_t bytes) {
    if (of_device(space)) state().seen.steps.push_back({allocates, where, bytes});
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

/// Live allocations of a replay, by their addresses in the log.
using Replayed =
    std::unordered_map<const void*, Kokkos::View<std::byte*, DeviceLog::Exec::memory_space>>;

/// Repeats the logged steps without initialization and with nothing in between; returns the
/// allocations that remain. Releases of blocks that the log did not allocate are skipped.
inline Replayed replay(const DeviceLog::Exec& exec, const std::vector<DeviceLog::Step>& steps) {
  Replayed live;
  for (const DeviceLog::Step& step : steps) {
    if (step.allocates) {
      live[step.where] = Replayed::mapped_type(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::replayed"),
          step.bytes);
    } else {
      live.erase(step.where);
    }
  }
  return live;
}

/// Allocations and waits of `work` up to its end; its result is released after that.
template <class Work>
DeviceLog::Seen seen_in(const Kokkos::DefaultExecutionSpace& exec, const Work& work) {
  const DeviceLog log;
  [[maybe_unused]] const auto made = work();
  exec.fence("heddle::bench::logged");
  return log.seen();
}

/// Runs `work` once to log its allocations and waits, then, with its result released, times its
/// allocations alone, 5 to 20 times. The time includes their release if `with_release`.
template <class Work>
Allocations measure_allocations(const Kokkos::DefaultExecutionSpace& exec, bool with_release,
                                const Work& work) {
  const DeviceLog::Seen seen = seen_in(exec, work);
  Allocations allocations;
  allocations.waits = seen.waits;
  allocations.with_release = with_release;
  for (const DeviceLog::Step& step : seen.steps) {
    if (!step.allocates) continue;
    ++allocations.count;
    allocations.bytes += step.bytes;
  }
  Stopwatch stopwatch(exec);
  replay(exec, seen.steps);
  const double begin = host_seconds();
  for (int i = 0; i < 20 && (i < 5 || host_seconds() - begin < 0.2); ++i) {
    exec.fence("heddle::bench::replay");
    stopwatch.start();
    Replayed kept = replay(exec, seen.steps);
    if (with_release) kept.clear();
    allocations.time.seconds.push_back(stopwatch.stop());
  }
  return allocations;
}

}  // namespace heddle::bench
