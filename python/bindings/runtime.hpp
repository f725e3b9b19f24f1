// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <nanobind/nanobind.h>

#include <Kokkos_Core.hpp>
#include <heddle/error.hpp>
#include <memory>
#include <mutex>

#include "../../backends/lanes.hpp"
#include "../../backends/stream.hpp"

namespace heddle::python {

namespace nb = nanobind;

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
inline constexpr bool on_host = backends::runs_on_host<Exec>;

/// Initializes Kokkos at the first call, on the caller's current device. Throws Error in a process
/// that was forked after that, and after the interpreter's end. Needs the GIL.
void begin();
/// Calls begin(), and returns the instance for work: on a GPU one on CuPy's current stream, on a
/// CPU one with all threads, or with one thread if the work is `small`. Needs the GIL.
Exec instance(bool small);
/// Sets the number of threads that Kokkos begins with. Throws Error after it has begun.
void set_threads(int threads);
/// Number of CPU threads of Kokkos.
int threads();
/// Waits for running calls, frees the memory of all plans, and ends Kokkos.
void end();
/// Whether this process was forked after Kokkos began in its parent.
bool forked();
/// The mutex of all work: calls of several threads run one after the other.
std::mutex& one_at_a_time();

/// A running call, which end() waits for. Made and destroyed with the GIL.
class Call {
 public:
  Call();
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
};

/// Calls Python within work(exec), with the GIL. It unlocks one_at_a_time() meanwhile, since the
/// called function may wait for other threads.
class IntoPython {
 public:
  IntoPython() {
    one_at_a_time().unlock();
    state_ = PyGILState_Ensure();
  }
  ~IntoPython() {
    PyGILState_Release(state_);
    one_at_a_time().lock();
  }
  IntoPython(const IntoPython&) = delete;
  IntoPython& operator=(const IntoPython&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Whether a problem is so small that one thread is done before others would have begun.
constexpr bool is_small(std::int64_t rows, std::int64_t entries) { return rows + entries < 8192; }

/// Runs work(exec) without the GIL, on one thread for a small matrix. Waits for it, unless it
/// returns nothing and runs on a GPU: then it is queued, as CuPy's own work is.
template <class Work>
auto run(bool small, const Work& work) {
  const Call call;
  const Exec exec = instance(small);
  const backends::KeepCurrentDevice<Exec> device;
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
template <class Work>
auto run(const Work& work) {
  return run(false, work);
}
/// Result of ask(), which reads a plan that no other thread changes meanwhile.
template <class Ask>
auto in_turn(const Ask& ask) {
  begin();
  const nb::gil_scoped_release without_gil;
  const std::lock_guard turn(one_at_a_time());
  return ask();
}
/// Destroys a plan in turn: a GPU's stream accepts no fence while it is recorded. Needs the GIL.
template <class P>
void destroy(std::unique_ptr<P>& plan) {
  if (plan == nullptr) return;
  if (forked()) return static_cast<void>(plan.release());  // its memory is the parent's
  const nb::gil_scoped_release without_gil;
  const std::lock_guard turn(one_at_a_time());
  const backends::KeepCurrentDevice<Exec> device;
  plan.reset();
}

/// An object with memory of Kokkos, which is freed if Kokkos ends before Python's objects do.
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
  ~Holder() override { destroy(plan_); }
  void give_back() override { plan_.reset(); }
  void set(std::unique_ptr<P> plan) { plan_ = std::move(plan); }

  /// Throws Error after the interpreter's end.
  P& plan() const {
    begin();
    return *plan_;
  }

 private:
  std::unique_ptr<P> plan_;
};

}  // namespace heddle::python
