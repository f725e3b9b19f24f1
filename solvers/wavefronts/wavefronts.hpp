// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../backends/loops.hpp"
#include "../../core/move_only.hpp"
#include "../ordered/loop.hpp"
#include "inspect.hpp"

namespace heddle {

/// A loop whose iterations depend on each other, inspected once, run in parallel many times with
/// every dependence kept: triangular solves, Gauss-Seidel, incomplete factorizations.
///
///     Wavefronts waves(exec, n, reads);
///     waves.for_each(exec, body);
///
/// The loop is `for i = 0, ..., n - 1: body(i)`, or backwards (WavefrontsOptions::sweep). Iteration
/// i writes only item i, and reads the items that reads(i, visit) names: it calls visit(j) for
/// each, in any order, any number of times, including i itself. Iteration i sees the new values of
/// items that the loop writes before i. Naming an item that the loop writes later is an Error or,
/// with ReadsAhead::old_value, means its value before the loop. Items that are not named may be
/// read only if the loop writes none of them.
///
/// `reads` is the graph. Only the inspection calls it: several times for each i, by threads of
/// `exec` at once. It must visit the same items in the same order each time, and the arrays that it
/// reads must be accessible to these threads. No graph is stored. On a GPU both are device code:
/// `body` may be a KOKKOS_LAMBDA; `reads` is a functor, since nvcc takes no lambda with a parameter
/// of type `auto`.
///
/// On CPUs for_each is one launch of all threads, ordered by barriers or by waits of one thread for
/// another. Elsewhere it is one launch for every level. The level of an iteration is 0 if it
/// depends on none, else one more than the highest level that it depends on. On a CPU on which
/// threads are predicted not to gain, one thread runs the plain loop. See docs/wavefronts.md.
///
/// It belongs to the device of `exec`; for_each runs on any execution space instance of that
/// device, once at a time. It can be moved, not copied. An object that was moved from runs nothing
/// and throws Error until another is assigned to it.
template <ExecutionSpace Exec, Ordinal O = int>
class Wavefronts {
 public:
  using execution_space = Exec;

  /// A loop without iterations.
  Wavefronts() = default;

  /// Inspects a loop of n >= 0 iterations, on `exec`, and waits for it.
  ///
  /// Throws Error, naming an iteration and the item that it reads, if the item is not in 0, ..., n
  /// - 1, or is written later and that is not allowed. Also throws Error if n is negative,
  /// options.sweep is symmetric, or options.scheme exists on no backend. Memory: bytes(); during
  /// the inspection up to 16 bytes more for each iteration, and 8 for each task and thread.
  template <class Reads>
  Wavefronts(const Exec& exec, O n, const Reads& reads, const WavefrontsOptions& options = {})
      : Wavefronts(
            exec, detail::wavefronts::inspect(
                      exec, detail::ordered::Loop<O, Reads>{n, options.sweep, options.ahead, reads},
                      options)) {}

  /// A loop that one CPU thread runs in its own order, without inspection.
  static Wavefronts in_order(const Exec& exec, O n, SweepDirection sweep = SweepDirection::forward)
    requires(detail::ordered::on_threads<Exec>)
  {
    detail::ordered::check_loop(n, sweep);
    return Wavefronts(exec, Scheduled::sequential(n, sweep, 0));
  }

  /// A loop whose order is known, for instance from levels or colors: iteration i runs after all
  /// iterations of a lower level[i], which counts from 0, and in any order with those of the same
  /// level. Options about sweeps and reads have no effect.
  ///
  /// `level` must be accessible to `exec`, and may be freed afterwards. Throws Error for a negative
  /// level, naming the iteration, and on a CPU for a scheme other than wavefronts/barrier, since
  /// the dependences are unknown.
  template <class Levels>
  static Wavefronts by_level(const Exec& exec, const Levels& level,
                             const WavefrontsOptions& options = {})
    requires(Levels::rank() == 1 && std::same_as<typename Levels::non_const_value_type, int>)
  {
    const auto n = static_cast<O>(level.extent(0));
    return Wavefronts(exec, detail::wavefronts::inspect_levels(exec, n, level.data(), options));
  }

  /// Runs body(i) for every iteration, as if in the order of the loop. The body throws nothing.
  /// Bitwise reproducible if the body is. Returns once the work is queued on `exec`: no allocation,
  /// no copy, no fence. `label` is a literal of the form "owner::op::phase".
  template <class Body>
  void for_each(const Exec& exec, const char* label, const Body& body) const {
    moves_.check("Wavefronts", "for_each");
    for_each_place(exec, label, detail::ordered::BodyAtPlace<O, Body>{place_order(), body});
  }
  template <class Body>
  void for_each(const Exec& exec, const Body& body) const {
    for_each(exec, "heddle::wavefronts::for_each", body);
  }

  /// For loops whose data is copied into the order in which it is read: body(p) for every position
  /// p = 0, ..., n - 1, in an order that keeps the dependences. place_order()(p) is the iteration
  /// at position p. Each CPU thread runs positions upward, in long ranges if possible.
  template <class Body>
  void for_each_place(const Exec& exec, const char* label, const Body& body) const {
    moves_.check("Wavefronts", "for_each_place");
    if constexpr (detail::ordered::on_threads<Exec>) {
      for_each_run(exec, label, [&body](std::int64_t first, std::int64_t stop) {
        for (std::int64_t place = first; place < stop; ++place) body(place);
      });
    } else {
      const auto& begin = scheduled_.schedule.level_begin();
      for (std::size_t level = 0; level + 1 < begin.size(); ++level) {
        detail::parallel_for(exec, label, begin[level], begin[level + 1], body);
      }
    }
  }
  /// for_each_place on a CPU, by body(first, stop): positions first, ..., stop - 1, in this order.
  template <class Body>
  void for_each_run(const Exec& exec, const char* label, const Body& body) const
    requires(detail::ordered::on_threads<Exec>)
  {
    for_each_run_of_thread(
        exec, label, [&body](int, std::int64_t first, std::int64_t stop) { body(first, stop); });
  }
  /// for_each_run for bodies with memory for each thread, by body(me, first, stop): `me` is the
  /// thread that runs it, at most schedule().threads - 1.
  template <class Body>
  void for_each_run_of_thread(const Exec& exec, const char* label, const Body& body) const
    requires(detail::ordered::on_threads<Exec>)
  {
    moves_.check("Wavefronts", "for_each_run");
    const auto& schedule = this->schedule();
    if (schedule.tasks() == 0) return;
    const backends::ThreadSteps progress(progress_.data());
    progress.clear(schedule.threads);
    backends::launch_threads(exec, label, schedule.threads, [&](int me, int threads) {
      detail::ordered::run_share(
          schedule, me, threads, progress,
          [&body, me](std::int64_t first, std::int64_t stop) { body(me, first, stop); });
    });
  }
  detail::ordered::PlaceOrder<O> place_order() const {
    moves_.check("Wavefronts", "place_order");
    return scheduled_.schedule.order();
  }

  /// The scheme that runs, with every parameter.
  const Scheme& scheme() const { return scheduled_.scheme; }
  /// Number of levels: iterations of the longest chain of dependences; 0 if not computed.
  int levels() const { return scheduled_.schedule.levels(); }
  /// The schedule on a CPU: which thread runs which iterations, and when.
  const detail::ordered::ThreadSchedule& schedule() const {
    return scheduled_.schedule.by_threads();
  }
  /// Memory that it holds, in bytes.
  std::size_t bytes() const { return scheduled_.schedule.bytes() + progress_memory_.bytes(); }

 private:
  using Scheduled = detail::wavefronts::Scheduled<Exec, O>;
  using Step = backends::ThreadSteps::Word;

  Wavefronts(const Exec& exec, Scheduled scheduled) : scheduled_(std::move(scheduled)) {
    progress_memory_ = Arena<Kokkos::HostSpace>(exec, "heddle::wavefronts::progress",
                                                arena_array(progress_, schedule().threads));
  }

  detail::MoveOnly moves_;
  Scheduled scheduled_{Scheme("wavefronts", {{"sequential"}}), {}};
  Arena<Kokkos::HostSpace> progress_memory_;
  typename Arena<Kokkos::HostSpace>::template Array<Step> progress_;
};

template <ExecutionSpace Exec, Ordinal O, class Reads>
Wavefronts(const Exec&, O, const Reads&) -> Wavefronts<Exec, O>;
template <ExecutionSpace Exec, Ordinal O, class Reads>
Wavefronts(const Exec&, O, const Reads&, const WavefrontsOptions&) -> Wavefronts<Exec, O>;

}  // namespace heddle
