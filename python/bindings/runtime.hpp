// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <Kokkos_Core.hpp>
#include <heddle/error.hpp>
#include <memory>
#include <mutex>

#include "../../backends/lanes.hpp"

namespace heddle::python {

namespace nb = nanobind;

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
inline constexpr bool on_host = backends::runs_on_host<Exec>;

/// Initializes Kokkos at the first call, on the device that the caller has chosen. Throws Error in
/// a process that was forked after that, and once the interpreter ends. Needs the GIL.
void begin();
/// Begins, and gives what work is queued on: on a GPU an instance on CuPy's current stream. Needs
/// the GIL.
Exec instance();
/// Threads that Kokkos begins with. Throws Error once it has begun.
void set_threads(int threads);
/// Threads of the CPU that Kokkos has.
int threads();
/// Waits for the calls that run, gives back the memory of all plans, and ends Kokkos.
void end();
/// Whether this process was forked after Kokkos began in its parent.
bool forked();
/// Held by whatever works: calls of several threads run one after the other.
std::recursive_mutex& one_at_a_time();

/// A call that has begun: the end waits for it. Made and destroyed with the GIL.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// work(exec) without the GIL. Waits for it, unless it gives nothing and runs on a GPU: then it is
/// queued, as CuPy's own work is.
template <class Work>
auto run(const Work& work) {
  const Call call;
  const Exec exec = instance();
  const nb::gil_scoped_release without_gil;
  const std::lock_guard turn(one_at_a_time());
  if constexpr (std::is_void_v<decltype(work(exec))>) {
    work(exec);
    if constexpr (on_host) exec.fence("heddle::python::run");
  } else {
    auto result = work(exec);
    exec.fence("heddle::python::run");
    return result;
  }
}

/// What has memory of Kokkos: given back where Kokkos ends before Python's objects do.
class Kept {
 public:
  Kept();
  virtual ~Kept();
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  virtual void give_back() = 0;
};

/// A plan of a Python object.
template <class P>
class Holder : public Kept {
 public:
  explicit Holder(std::unique_ptr<P> plan) : plan_(std::move(plan)) {}
  ~Holder() override {
    if (forked()) static_cast<void>(plan_.release());  // its memory is the parent's to give back
  }
  void give_back() override { plan_.reset(); }
  void set(std::unique_ptr<P> plan) { plan_ = std::move(plan); }

  /// Throws Error once the interpreter ends.
  P& plan() const {
    begin();
    return *plan_;
  }

 private:
  std::unique_ptr<P> plan_;
};

}  // namespace heddle::python
