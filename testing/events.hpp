// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records what Kokkos Tools reports while a Recording lives: kernels, allocations, copies and
// fences, in order, with their labels and the ids of devices and instances.
#pragma once

#include <doctest/doctest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace heddle::test {

struct Event {
  enum Kind { kernel, allocation, release, copy, fence } kind;
  std::string label;
  /// Kokkos Tools' number of the device and instance, for kernels and fences.
  std::uint32_t device = 0;
  /// Size of an allocation or release.
  std::uint64_t bytes = 0;
};

class Recording {
 public:
  Recording() {
    using namespace Kokkos::Tools::Experimental;
    before_ = get_callbacks();
    events().clear();
    set_begin_parallel_for_callback(began);
    set_begin_parallel_reduce_callback(began);
    set_begin_parallel_scan_callback(began);
    set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          note({Event::allocation, label, 0, bytes});
        });
    set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char* label, const void*, std::uint64_t bytes) {
          note({Event::release, label, 0, bytes});
        });
    set_begin_deep_copy_callback(
        [](Kokkos::Tools::SpaceHandle, const char* to, const void*, Kokkos::Tools::SpaceHandle,
           const char* from, const void*,
           std::uint64_t) { note({Event::copy, std::string(from) + " to " + to}); });
    set_begin_fence_callback([](const char* label, std::uint32_t device, std::uint64_t* id) {
      *id = 0;
      // Kokkos itself fences around every callback, for the tool's sake; and Kokkos 4 before a copy
      // on Serial, where no work is in flight.
      const std::string name = label;
      const bool own =
          name.find("Kokkos Profile Tool Fence") != std::string::npos || name == "HostSpace fence";
      if (!own) note({Event::fence, name, device});
    });
  }
  ~Recording() { Kokkos::Tools::Experimental::set_callbacks(before_); }
  Recording(const Recording&) = delete;

  static const std::vector<Event>& seen() { return events(); }

 private:
  static std::vector<Event>& events() {
    static std::vector<Event> list;
    return list;
  }
  static void note(Event event) {
    // A team policy on CUDA allocates scratch of zero bytes at every launch.
    const bool memory = event.kind == Event::allocation || event.kind == Event::release;
    if (memory && event.bytes == 0) return;
    events().push_back(std::move(event));
  }
  static void began(const char* label, std::uint32_t device, std::uint64_t* id) {
    *id = 0;
    note({Event::kernel, label, device});
  }

  Kokkos::Tools::Experimental::EventSet before_;
};

/// Whether a label is heddle::op::phase, with at least three parts. Kokkos names a View's first
/// touch after the View: "Kokkos::View::initialization [heddle::op::phase] ...". Two labels are
/// Kokkos' own: the kernel of a copy between Views, and the scratch that an execution space keeps.
inline bool is_ours(std::string label) {
  for (const char* own : {"Kokkos::Impl::host_space_deepcopy", "Kokkos::Serial::scratch_mem",
                          "Kokkos::OpenMP::scratch_mem"}) {
    if (label.rfind(own, 0) == 0) return true;
  }
  const std::string first_touch = "Kokkos::View::initialization [";
  if (label.rfind(first_touch, 0) == 0) label = label.substr(first_touch.size());
  if (label.rfind("heddle::", 0) != 0) return false;
  const std::size_t second = label.find("::", 8);
  return second != std::string::npos && second > 8 && label.size() > second + 2;
}

inline int count(const std::vector<Event>& events, Event::Kind kind) {
  int n = 0;
  for (const Event& event : events) n += event.kind == kind;
  return n;
}

inline int count(const std::vector<Event>& events, const std::string& label) {
  int n = 0;
  for (const Event& event : events) n += event.label == label;
  return n;
}

/// The most bytes that Heddle's allocations, of those that begin and end in `events`, had at a
/// time.
inline std::uint64_t most_held(const std::vector<Event>& events) {
  std::uint64_t held = 0, most = 0;
  for (const Event& event : events) {
    if (event.label.rfind("heddle::", 0) != 0) continue;
    if (event.kind == Event::allocation) held += event.bytes;
    if (event.kind == Event::release) held -= event.bytes;
    most = std::max(most, held);
  }
  return most;
}

/// Labels of the kernels and allocations that do not have the form heddle::op::phase.
inline std::string strangers(const std::vector<Event>& events) {
  std::string list;
  for (const Event& event : events) {
    const bool labelled = event.kind == Event::kernel || event.kind == Event::allocation;
    if (labelled && !is_ours(event.label)) list += event.label + "\n";
  }
  return list;
}

/// Labels of the events of a kind, one a line.
inline std::string labels(const std::vector<Event>& events, Event::Kind kind) {
  std::string list;
  for (const Event& event : events) {
    if (event.kind == kind) list += event.label + "\n";
  }
  return list;
}

/// Events of work(), checked to allocate nothing and to wait for nothing. Kokkos calls it a copy if
/// a number is filled in.
template <class Exec, class Work>
std::vector<Event> check_quiet(const Exec& exec, const Work& work) {
  std::vector<Event> seen;
  {
    const Recording recording;
    work();
    seen = Recording::seen();
  }
  exec.fence("heddle::test::quiet");
  CHECK(strangers(seen) == "");
  CHECK(labels(seen, Event::allocation) == "");
  CHECK(labels(seen, Event::fence) == "");
  return seen;
}

/// Events of work(), checked to be launches and nothing else.
template <class Exec, class Work>
std::vector<Event> only_launches(const Exec& exec, const Work& work) {
  const std::vector<Event> seen = check_quiet(exec, work);
  CHECK(count(seen, Event::kernel) == static_cast<int>(seen.size()));
  return seen;
}

/// Bytes that Heddle allocated, whether still held or not: in total, or for one operation.
inline std::uint64_t bytes_allocated(const std::vector<Event>& events,
                                     const std::string& labels = "heddle::") {
  std::uint64_t bytes = 0;
  for (const Event& event : events) {
    const bool heddles = event.label.rfind(labels, 0) == 0;
    if (heddles && event.kind == Event::allocation) bytes += event.bytes;
  }
  return bytes;
}

/// Bytes that Heddle allocated and did not release.
inline std::uint64_t bytes_held(const std::vector<Event>& events) {
  std::uint64_t bytes = bytes_allocated(events);
  for (const Event& event : events) {
    const bool heddles = event.label.rfind("heddle::", 0) == 0;
    if (heddles && event.kind == Event::release) bytes -= event.bytes;
  }
  return bytes;
}

}  // namespace heddle::test
