// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstring>
#include <set>
#include <string>
#include <utility>

#include "../../core/move_only.hpp"
#include "recorder.hpp"
#include "space.hpp"

namespace heddle::backends {

namespace emulated {

/// While in scope, lists what a graph cannot record, as Kokkos Tools reports it. It does not throw,
/// since a fence may be in a destructor. One thread at a time; loaded tools receive no events
/// meanwhile.
class Unrecorded {
 public:
  Unrecorded() {
    using namespace Kokkos::Tools::Experimental;
    set_callbacks({});
    set_begin_parallel_for_callback(launch);
    set_begin_parallel_reduce_callback(launch);
    set_begin_parallel_scan_callback(launch);
    set_allocate_data_callback([](Kokkos::Tools::SpaceHandle, const char* label, const void*,
                                  std::uint64_t) { note("the allocation ", label); });
    set_deallocate_data_callback([](Kokkos::Tools::SpaceHandle, const char* label, const void*,
                                    std::uint64_t) { note("the release of ", label); });
    set_begin_deep_copy_callback([](Kokkos::Tools::SpaceHandle, const char* to, const void*,
                                    Kokkos::Tools::SpaceHandle, const char*, const void*,
                                    std::uint64_t) { note("the copy to ", to); });
    set_begin_fence_callback([](const char* label, std::uint32_t, std::uint64_t* id) {
      *id = 0;
      // Kokkos itself fences around every callback, for the tool's sake.
      if (!std::strstr(label, "Kokkos Profile Tool Fence")) note("the fence ", label);
    });
    here = this;
  }
  ~Unrecorded() {
    here = nullptr;
    Kokkos::Tools::Experimental::set_callbacks(before_);
  }
  Unrecorded(const Unrecorded&) = delete;

  void check() const {
    if (met_.empty()) return;
    std::string list;
    for (const std::string& one : met_) list += (list.empty() ? "" : ", ") + one;
    throw Error("a graph cannot record " + list,
                "only launch while a graph is recorded, by backends::launch or "
                "detail::parallel_for, on the instance that is recorded");
  }

 private:
  static void launch(const char* label, std::uint32_t, std::uint64_t* id) {
    *id = 0;
    note("the launch ", label);
  }
  static void note(const char* what, const char* label) {
    if (here) here->met_.insert(std::string(what) + label);  // else an event of another thread
  }

  static constinit inline thread_local Unrecorded* here = nullptr;

  std::set<std::string> met_;
  Kokkos::Tools::Experimental::EventSet before_ = Kokkos::Tools::Experimental::get_callbacks();
};

}  // namespace emulated

/// Graphs of an emulated device. Whatever a graph of CUDA or HIP refuses to record, or silently
/// leaves out, is an Error here that names it: a fence, an allocation or release, a copy, a launch
/// on another instance, a Kokkos loop that is not detail::parallel_for's. Those operations have run
/// by then. Exceptions of body() pass through.
template <class Exec>
class EmulatedGraph {
 public:
  static constexpr bool exists = true;

  template <class Body>
  bool record(const Exec& exec, const Body& body) {
    clear();
    if (emulated::Recorder<Exec>::here()) return false;
    emulated::QueuedWork<Exec> work;
    {
      const emulated::Recorder<Exec> recorder(exec, work);
      const emulated::Unrecorded unrecorded;
      body();
      unrecorded.check();
    }
    work_ = std::move(work);
    return true;
  }
  void launch(const Exec& exec) const {
    for (const auto& work : work_) emulated::queue(exec, work);
  }
  std::size_t launches() const { return work_.size(); }
  void clear() { work_.clear(); }

 private:
  heddle::detail::MoveOnly moves_;
  emulated::QueuedWork<Exec> work_;
};

}  // namespace heddle::backends
