// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "../../core/arena.hpp"
#include "run.hpp"

namespace heddle::detail::krylov {

/// Of the states on the device, of their copy on the host, and of the fence behind a look.
struct MonitorLabels {
  const char* states;
  const char* on_host;
  const char* look;
};

template <class Real>
const Progress<Real>& progress_of(const Progress<Real>& state) {
  return state;
}
template <class State>
const auto& progress_of(const State& state)
  requires requires { state.progress.outcome; }
{
  return state.progress;
}

/// How an iteration goes: a State for each right-hand side and the history in memory of the device,
/// and on the host the results as of the last look. A State is a Progress or has one.
template <ExecutionSpace Exec, class State, class Real>
class Monitor {
 public:
  using Space = typename Exec::memory_space;
  using History = Kokkos::View<const Real*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// One allocation, in the order of `exec`. Throws Error if the options, or the size of the
  /// systems, make no sense.
  Monitor(const Exec& exec, const MonitorLabels& labels, const KrylovOptions& options,
          std::int64_t rows, int count = 1)
      : labels_(labels), options_(options) {
    check_options(options);
    if (options.scheme && !requires { State::has_schemes; }) {
      throw Error(
          "options.scheme is " + options.scheme->to_string() + ", and this solver has no schemes",
          "leave it out");
    }
    if (rows < 0 || count < 1) {
      throw Error("a solver for " + std::to_string(rows) + " unknowns and " +
                      std::to_string(count) + " right-hand sides",
                  "give the size of the system");
    }
    const auto vectors = static_cast<std::size_t>(count);
    const std::size_t kept =
        options.history ? vectors * (static_cast<std::size_t>(options.max_iterations) + 1) : 0;
    arena_ = Arena<Space>(exec, labels.states, arena_bytes<State, Real>(vectors, kept));
    states_ = arena_.template take<State>(vectors);
    history_ = arena_.template take<Real>(kept);
    on_host_ = Kokkos::View<State*, Kokkos::HostSpace>(std::string(labels.on_host), vectors);
    results_.resize(vectors);
  }

  const KrylovOptions& options() const { return options_; }
  State* states() const { return states_.data(); }
  Limits<Real> limits() const {
    return limits_of<Real>(options_, options_.history ? history_.data() : nullptr);
  }
  History history() const { return history_; }
  std::span<const KrylovResult> results() const { return results_; }
  std::size_t bytes() const { return arena_.bytes(); }

  /// What an iteration knows before it begins.
  void clear() { std::fill(results_.begin(), results_.end(), KrylovResult()); }
  /// See krylov::run.
  template <class Queue>
  void run(const Exec& exec, int products, const Queue& queue) {
    krylov::run(options_, products, results_, queue, [&] { look(exec); });
  }
  /// Waits.
  void look(const Exec& exec) {
    Kokkos::deep_copy(kokkos_space(exec), on_host_, states_);
    exec.fence(labels_.look);
    for (std::size_t v = 0; v < results_.size(); ++v) {
      results_[v] = result_of(progress_of(on_host_(v)));
    }
  }

 private:
  MonitorLabels labels_;
  KrylovOptions options_;
  Arena<Space> arena_;
  typename Arena<Space>::template Array<State> states_;
  typename Arena<Space>::template Array<Real> history_;
  Kokkos::View<State*, Kokkos::HostSpace> on_host_;
  std::vector<KrylovResult> results_;
};

}  // namespace heddle::detail::krylov
