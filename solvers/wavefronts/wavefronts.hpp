// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../../core/loops.hpp"
#include "../../core/move_only.hpp"
#include "../ordered/loop.hpp"
#include "inspect.hpp"

namespace heddle {

/// A loop whose iterations depend on each other, inspected once, to be run in parallel many times
/// with every dependence kept: triangular solves, Gauss-Seidel, incomplete factorizations.
///
///     Wavefronts waves(exec, n, reads);
///     waves.for_each(exec, body);
///
/// The loop is `for i = 0, ..., n - 1: body(i)`, or backwards (WavefrontsOptions::sweep). Iteration
/// i writes what belongs to item i alone, and reads items that reads(i, visit) names: it calls
/// visit(j) for each, in any order, as often as it likes, for i itself if it likes. Of the items
/// that the loop writes before i iteration i sees what was written; to name one that it writes
/// later is an Error, or, with ReadsAhead::old_value, means what stood there before the loop. Items
/// that are not named may not be read, unless the loop writes none of them.
///
/// `reads` is the graph: it is called in the inspection alone, several times for each i, by threads
/// of `exec` at once, and visits the same items in the same order each time; so the arrays that it
/// reads lie where these can reach them, and no graph is stored. Where `exec` is a GPU both are
/// device code: `body` may be a KOKKOS_LAMBDA, `reads` is a functor, since nvcc takes no lambda
/// whose parameter is `auto`.
///
/// On CPUs for_each is one launch of all threads, ordered by barriers or by waits of one thread for
/// another; elsewhere it is a launch for every level, which is 0 for iterations that wait for none,
/// and else one above the highest that an iteration waits for. A CPU on which threads are predicted
/// to gain nothing runs the plain loop on one. See docs/wavefronts.md.
///
/// Belongs to the device of `exec`; for_each runs on any execution space instance of that device,
/// one for_each at a time. Moves, does not copy; one that was moved from runs nothing and throws
/// Error, until another is assigned to it.
template <ExecutionSpace Exec, Ordinal O = int>
class Wavefronts {
 public:
  using execution_space = Exec;

  /// Of no iterations.
  Wavefronts() = default;

  /// Inspects a loop of n >= 0 iterations, on `exec`, and waits for it.
  ///
  /// Throws Error, naming an iteration and the item that it reads, if that is none of 0, ..., n -
  /// 1, or one that the loop writes later where that is not allowed; if n is negative or
  /// options.sweep symmetric; and if options.scheme exists on no backend. Memory: bytes(),
  /// and up to 16 bytes an iteration and 8 a task and thread meanwhile.
  template <class Reads>
  Wavefronts(const Exec& exec, O n, const Reads& reads, const WavefrontsOptions& options = {})
      : Wavefronts(
            exec, detail::wavefronts::inspect(
                      exec, detail::ordered::Loop<O, Reads>{n, options.sweep, options.ahead, reads},
                      options)) {}

  /// A loop that one thread of a CPU runs in its own order, for which nothing is inspected.
  static Wavefronts in_order(const Exec& exec, O n, SweepDirection sweep = SweepDirection::forward)
    requires(detail::ordered::on_threads<Exec>)
  {
    detail::ordered::check_loop(n, sweep);
    return Wavefronts(exec, Scheduled::sequential(n, sweep, 0));
  }

  /// A loop whose order was found elsewhere, as by levels or colors: iteration i is run after all
  /// of a lower level[i], which counts from 0, and beside those of the same, in any order. What
  /// options say of sweeps and reads does not count.
  ///
  /// `level` lies where `exec` reaches it, and may go afterwards. Throws Error for a level below 0,
  /// naming the iteration; and on a CPU for a scheme other than wavefronts/barrier, since what
  /// iterations read is not known.
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

  /// For loops whose data is copied into the order that it is read in: body(p) for every place p =
  /// 0, ..., n - 1, in an order that keeps the dependences. place_order()(p) is the iteration that
  /// stands there. Each thread of a CPU runs places upward, a long run of them where it can.
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
  /// The same on a CPU, by body(first, stop): places first, ..., stop - 1, in this order.
  template <class Body>
  void for_each_run(const Exec& exec, const char* label, const Body& body) const
    requires(detail::ordered::on_threads<Exec>)
  {
    for_each_run_of_thread(
        exec, label, [&body](int, std::int64_t first, std::int64_t stop) { body(first, stop); });
  }
  /// The same by body(me, first, stop), for bodies that have room for each thread: of the threads
  /// 0, ..., schedule().threads - 1 at most, `me` is the one that runs it.
  template <class Body>
  void for_each_run_of_thread(const Exec& exec, const char* label, const Body& body) const
    requires(detail::ordered::on_threads<Exec>)
  {
    moves_.check("Wavefronts", "for_each_run");
    const auto& schedule = this->schedule();
    if (schedule.tasks() == 0) return;
    const backends::Progress progress(progress_.data());
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

  /// What runs, with every parameter.
  const Scheme& scheme() const { return scheduled_.scheme; }
  /// Iterations of the longest chain of dependences; 0 where they were not looked for.
  int levels() const { return scheduled_.schedule.levels(); }
  /// Who runs what on a CPU, and when.
  const detail::ordered::ThreadSchedule& schedule() const {
    return scheduled_.schedule.by_threads();
  }
  /// What it holds, in bytes.
  std::size_t bytes() const { return scheduled_.schedule.bytes() + progress_memory_.bytes(); }

 private:
  using Scheduled = detail::wavefronts::Scheduled<Exec, O>;
  using Step = backends::Progress::Word;

  Wavefronts(const Exec& exec, Scheduled scheduled) : scheduled_(std::move(scheduled)) {
    const auto threads = static_cast<std::size_t>(schedule().threads);
    progress_memory_ =
        Arena<Kokkos::HostSpace>(exec, "heddle::wavefronts::progress", arena_bytes<Step>(threads));
    progress_ = progress_memory_.template take<Step>(threads);
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
