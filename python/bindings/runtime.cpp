// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include <pthread.h>

#include <chrono>
#include <map>
#include <optional>
#include <thread>
#include <tuple>
#include <type_traits>
#include <unordered_set>
#include <utility>

namespace heddle::python {

namespace {

enum class State { not_begun, running, ended };

/// A stream of CuPy, which lives as long as the instance on it.
struct OnStream {
  nb::object stream;
  Exec exec;
};

struct Runtime {
  State state = State::not_begun;
  bool initialized_here = false;
  bool forked = false;
  int threads = 0;
  int calls = 0;  // begun and not ended
  std::mutex turn;
  std::unordered_set<Kept*> kept;
  std::optional<Exec> one_thread;  // on a CPU, for small work
  nb::object current_stream;       // CuPy's function
  // Keyed by device and handle, and also by thread if the handle means each thread's own stream.
  std::map<std::tuple<int, std::uintptr_t, std::thread::id>, OnStream> streams;
};

Runtime& runtime() {  // never destroyed: Python objects may outlive everything else
  static Runtime* const only = new Runtime;
  return *only;
}

}  // namespace

void begin() {
  Runtime& r = runtime();
  if (r.forked) {
    throw Error(
        "this process was forked after heddle began to work in its parent, whose threads it lacks",
        "start processes by spawn: multiprocessing.set_start_method('spawn')");
  }
  if (r.state == State::running) return;
  if (r.state == State::ended) {
    throw Error("heddle has ended with the interpreter", "call it before atexit's functions run");
  }
  const int device = backends::current_device<Exec>();
  if (!on_host && device < 0) {
    throw Error("there is no GPU here", "use the package for CPUs, heddle in place of heddle-cuda");
  }
  if (!Kokkos::is_initialized()) {
    auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
    if (r.threads > 0) settings.set_num_threads(r.threads);
    if (!on_host) settings.set_device_id(device);
    Kokkos::initialize(settings);
    r.initialized_here = true;
  }
  // partition_space returns an instance with all threads if OpenMP does not nest.
  r.one_thread = []<class E>(E all) {
    if constexpr (on_host && std::is_constructible_v<E, int>) {
      return E(1);
    } else {
      return all;
    }
  }(Exec());
  pthread_atfork(nullptr, nullptr, [] { runtime().forked = true; });
  r.state = State::running;
}

Exec instance([[maybe_unused]] bool small) {
  begin();
  if constexpr (on_host) {
    return small ? *runtime().one_thread : Exec();
  } else {
    constexpr std::size_t most_streams = 64;  // kept from call to call
    Runtime& r = runtime();
    if (!r.current_stream.is_valid()) {
      r.current_stream = nb::module_::import_("cupy").attr("cuda").attr("get_current_stream");
    }
    nb::object stream = r.current_stream();
    const auto handle = nb::cast<std::uintptr_t>(stream.attr("ptr"));
    constexpr std::uintptr_t of_each_thread = 2;  // cudaStreamPerThread
    const std::tuple key(backends::current_device<Exec>(), handle,
                         handle == of_each_thread ? std::this_thread::get_id() : std::thread::id());
    auto found = r.streams.find(key);
    if (found == r.streams.end()) {
      // An instance waits for its stream when it is destroyed, which must not happen while a stream
      // is recorded: so only if no other call is running.
      if (r.streams.size() >= most_streams && r.calls <= 1) {
        const backends::KeepCurrentDevice<Exec> device;
        r.streams.clear();
      }
      const OnStream made{std::move(stream), backends::instance_on_stream<Exec>(handle)};
      found = r.streams.emplace(key, made).first;
    }
    return found->second.exec;
  }
}

void set_threads(int threads) {
  if (threads < 1) {
    throw Error("threads is " + std::to_string(threads), "give 1 or more");
  }
  if (runtime().state != State::not_begun) {
    throw Error("heddle works already, with " + std::to_string(python::threads()) + " threads",
                "call set_threads before anything else, or set OMP_NUM_THREADS");
  }
  runtime().threads = threads;
}

int threads() {
  begin();
  return Kokkos::DefaultHostExecutionSpace().concurrency();
}

void end() {
  Runtime& r = runtime();
  if (r.state != State::running || r.forked) return;
  r.state = State::ended;  // no call begins after this
  while (r.calls > 0) {
    const nb::gil_scoped_release without_gil;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const std::lock_guard turn(r.turn);  // a plan may be in destruction
  for (Kept* const one : r.kept) one->give_back();
  r.one_thread.reset();
  r.streams.clear();
  r.current_stream.reset();
  if (r.initialized_here) Kokkos::finalize();
}

bool forked() { return runtime().forked; }

std::mutex& one_at_a_time() { return runtime().turn; }

Call::Call() {
  begin();
  ++runtime().calls;
}
Call::~Call() { --runtime().calls; }

Kept::Kept() { runtime().kept.insert(this); }
Kept::~Kept() { runtime().kept.erase(this); }

}  // namespace heddle::python
