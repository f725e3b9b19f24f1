// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime.hpp"

#include <pthread.h>

#include <unordered_set>

namespace heddle::python {

namespace {

enum class State { not_begun, running, ended };

struct Runtime {
  State state = State::not_begun;
  bool initialized_here = false;
  bool forked = false;
  int threads = 0;
  std::recursive_mutex turn;
  std::unordered_set<Kept*> kept;
};

Runtime& runtime() {  // never destroyed: Python's objects may be the last to go
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
  if (!Kokkos::is_initialized()) {
    auto settings = Kokkos::InitializationSettings().set_disable_warnings(true);
    if (r.threads > 0) settings.set_num_threads(r.threads);
    Kokkos::initialize(settings);
    r.initialized_here = true;
  }
  pthread_atfork(nullptr, nullptr, [] { runtime().forked = true; });
  r.state = State::running;
}

void set_threads(int threads) {
  if (threads < 1) {
    throw Error(std::to_string(threads) + " threads", "give a number of at least 1");
  }
  if (runtime().state != State::not_begun) {
    throw Error("heddle works already, with " + std::to_string(Exec().concurrency()) + " threads",
                "call set_threads before anything else, or set OMP_NUM_THREADS");
  }
  runtime().threads = threads;
}

void end() {
  Runtime& r = runtime();
  if (r.state != State::running || r.forked) return;
  {
    const nb::gil_scoped_release without_gil;  // whoever works now ends first
    const std::lock_guard turn(r.turn);
  }
  for (Kept* const one : r.kept) one->give_back();
  if (r.initialized_here) Kokkos::finalize();
  r.state = State::ended;
}

bool forked() { return runtime().forked; }

std::recursive_mutex& one_at_a_time() { return runtime().turn; }

Kept::Kept() { runtime().kept.insert(this); }
Kept::~Kept() { runtime().kept.erase(this); }

}  // namespace heddle::python
