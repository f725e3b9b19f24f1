// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "../../backends/algorithms/lowest_where.hpp"
#include "../../backends/device.hpp"
#include "../../backends/host/measured_thread_costs.hpp"
#include "../../backends/host/thread_costs.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/pinned_scheme.hpp"
#include "../ordered/levels.hpp"
#include "../ordered/loop.hpp"
#include "../ordered/schedule.hpp"
#include "../ordered/schedule_on_threads.hpp"
#include "options.hpp"

namespace heddle::detail::wavefronts {

/// Steps of a level that are worth a thread: one for each item that an iteration reads, and some
/// for the iteration itself.
inline constexpr std::int64_t default_grain = 750;

// The cost of a loop, in items read. Fitted to half of the triangles on the CPUs of
// docs/wavefronts.md, and checked on the others.

/// Seconds of an item read.
inline constexpr double item_seconds = 0.45e-9;

/// Cost of an iteration besides its items.
inline constexpr double iteration_cost = 8;
/// Additional cost of an item in an iteration that does not follow the previous one, so that it
/// does not continue a cache line.
inline constexpr double torn_item = 0.2;
/// Additional cost of an item, and of an iteration, in such iterations of a loop of more than
/// cached_steps steps, some 40 MB of a triangle, whose items are read from memory or the last-level
/// cache.
inline constexpr double cached_steps = 4.5e6, far_item = 0.8, far_iteration = 2;

// The cost of threads, in hand-overs (ThreadCosts). Fitted to five triangles on two threads of a
// Xeon: docs/design/wavefronts.md.

/// Cost of the waits of a stage.
inline constexpr double hand_overs_per_stage = 3;
/// Cost of an item that another thread has written: its cache line is read from there, often with
/// others.
inline constexpr double hand_overs_per_foreign_item = 0.0085;

/// The schemes of a loop on a device.
///
///     sequential         one thread, in the order of the loop (CPU)
///     barrier            one launch; all threads wait for each other after each stage (CPU)
///     point-to-point     one launch; a task waits for those that it needs (CPU)
///       grain=<n>          steps of a level that are worth a thread
///     launches           one launch for each level (all but CPUs)
inline SchemeGrammar grammar(const Device& device) {
  if (device.backend != BackendKind::host) return {"wavefronts", {{"launches"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  return {"wavefronts",
          {{"sequential"}, {"barrier", {}, {grain}}, {"point-to-point", {}, {grain}}}};
}

/// The pinned scheme of options, checked; nothing if it is another backend's.
inline std::optional<Scheme> pinned(const WavefrontsOptions& options, const Device& device) {
  if (!options.scheme) return std::nullopt;
  return resolve_pinned(*options.scheme, device, &grammar).scheme;
}

/// A scheme of several threads, completed by the default grain.
inline Scheme with_grain(const Scheme& scheme) {
  if (scheme.has("grain")) return scheme;
  return Scheme(scheme.format(),
                {scheme.terms().front(), SchemeTerm("grain", std::to_string(default_grain))});
}

/// Predicted speed-up of the threads of stages over one thread that runs the loop in order, by the
/// costs of threads on this machine. Point to point; barriers cost more. `foreign`: items that a
/// thread reads and another has written, the mean of all threads.
inline double predicted_gain(const ordered::LevelCounts& counts, const ordered::Stages& stages,
                             std::int64_t iterations, const backends::ThreadCosts& costs,
                             double foreign = 0) {
  double steps = 0, items = 0, together = 0;
  for (std::size_t level = 0; level < counts.steps.size(); ++level) {
    const auto size = static_cast<double>(counts.sizes[level]);
    const auto work = static_cast<double>(counts.steps[level]);
    const double read = work - static_cast<double>(ordered::steps_per_iteration) * size;
    const int tasks = stages.tasks[static_cast<std::size_t>(stages.of_level[level])];
    steps += work;
    items += read;
    together += (iteration_cost * size + read) / tasks;
  }
  const auto n = static_cast<double>(std::max<std::int64_t>(1, iterations));
  const double alone = iteration_cost * n + items;
  const double lost =
      steps > cached_steps ? far_iteration * n + far_item * items : torn_item * items;
  together *= 1 + lost / alone * static_cast<double>(counts.torn) / n;
  const double hand_overs = hand_overs_per_stage * static_cast<double>(stages.tasks.size()) +
                            hand_overs_per_foreign_item * foreign;
  together += (costs.launch_seconds + costs.hand_over_seconds * hand_overs) / item_seconds;
  return alone / together;
}

/// Number of reads of items that another thread of the schedule has written, or writes. Waits for
/// `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
std::int64_t count_foreign_reads(const Exec& exec, const ordered::Loop<O, Reads>& loop,
                                 const O* iterations, const ordered::ThreadSchedule& schedule) {
  int* thread_of = nullptr;
  const Arena<Kokkos::HostSpace> memory(exec, "heddle::wavefronts::thread_of",
                                        arena_array(thread_of, loop.iterations));
  Kokkos::parallel_for("heddle::wavefronts::thread_of", range_policy(exec, schedule.stages()),
                       [&schedule, iterations, thread_of](std::int64_t stage) {
                         const auto* const begin = schedule.stage_begin.data() + stage;
                         for (std::int64_t task = begin[0]; task < begin[1]; ++task) {
                           const auto* const edge = schedule.task_begin.data() + task;
                           for (std::int64_t p = edge[0]; p < edge[1]; ++p) {
                             thread_of[iterations[p]] = static_cast<int>(task - begin[0]);
                           }
                         }
                       });
  std::int64_t foreign = 0;
  Kokkos::parallel_reduce(
      "heddle::wavefronts::foreign_reads", range_policy(exec, loop.iterations),
      [loop, thread_of](std::int64_t i, std::int64_t& sum) {
        const auto count = [&](O j) { sum += thread_of[j] != thread_of[i]; };
        loop.visit(static_cast<O>(i), count, count);
      },
      foreign);
  return foreign;
}

/// The result of an inspection: a scheme, and its schedule.
template <ExecutionSpace Exec, Ordinal O>
struct Scheduled {
  Scheme scheme;
  ordered::Schedule<Exec, O> schedule;

  /// A schedule of one thread, in the order of the loop. `levels`: those of the loop, 0 if not
  /// known.
  static Scheduled sequential(O n, SweepDirection sweep, int levels) {
    Scheduled one{Scheme("wavefronts", {{"sequential"}}), {n, sweep}};
    one.schedule.set_threads(ordered::ThreadSchedule::in_order(n), levels);
    return one;
  }
};

/// Inspects a loop for CPU threads. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
Scheduled<Exec, O> inspect_on_threads(const Exec& exec, const ordered::Loop<O, Reads>& loop,
                                      const WavefrontsOptions& options) {
  const auto n = static_cast<std::size_t>(loop.iterations);
  int *level = nullptr, *steps = nullptr;
  const Arena<Kokkos::HostSpace> memory(exec, "heddle::wavefronts::level", arena_array(level, n),
                                        arena_array(steps, n));
  const ordered::LevelSums sums = ordered::find_levels_on_threads(exec, loop, level, steps);
  ordered::check_reads(exec, sums, loop);
  auto one = Scheduled<Exec, O>::sequential(loop.iterations, loop.sweep, sums.levels);
  const int threads = options.threads > 0 ? options.threads : backends::threads_at_once(exec);
  Scheme scheme("wavefronts", {{threads > 1 && n > 0 ? "point-to-point" : "sequential"}});
  const std::optional<Scheme> pinned = wavefronts::pinned(options, Device());
  if (pinned) scheme = *pinned;
  if (scheme.has("sequential")) return one;
  scheme = with_grain(scheme);

  const ordered::LevelCounts counts = ordered::count_levels(exec, loop, level, steps, sums.levels);
  const ordered::Stages stages =
      ordered::make_stages(counts.steps, counts.sizes, threads, scheme.integer("grain"));
  const auto gains = [&](double foreign) {
    return predicted_gain(counts, stages, loop.iterations, backends::thread_costs(exec), foreign) >=
           options.least_gain;
  };
  if (!pinned && !gains(0)) return one;
  Scheduled<Exec, O> several{scheme, {loop.iterations, loop.sweep}};
  O* const iterations = several.schedule.allocate_order(exec);
  const auto begin = ordered::order_by_stage(exec, loop, level, counts, stages, iterations);
  auto by_threads = ordered::cut_stages(exec, threads, stages, begin, iterations, steps);
  if (!pinned) {
    const auto foreign = count_foreign_reads(exec, loop, iterations, by_threads);
    if (!gains(static_cast<double>(foreign) / threads)) return one;
  }
  if (scheme.has("point-to-point")) ordered::add_waits(exec, loop, iterations, by_threads);
  several.schedule.set_threads(std::move(by_threads), sums.levels);
  return several;
}

/// The scheme of a device that is no CPU.
template <ExecutionSpace Exec>
Scheme scheme_on_device(const Exec& exec, const WavefrontsOptions& options) {
  const Device device = backends::describe(exec);  // throws if the device is refused
  return wavefronts::pinned(options, device).value_or(Scheme("wavefronts", {{"launches"}}));
}

/// Inspects a loop for launches, one for each level. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
Scheduled<Exec, O> inspect_on_device(const Exec& exec, const ordered::Loop<O, Reads>& loop,
                                     const WavefrontsOptions& options) {
  const Scheme scheme = scheme_on_device(exec, options);
  int* level = nullptr;
  const Arena<typename Exec::memory_space> work(exec, "heddle::wavefronts::level",
                                                arena_array(level, loop.iterations));
  const ordered::LevelSums sums = ordered::find_levels_on_device(exec, loop, level);
  ordered::check_reads(exec, sums, loop);
  return {scheme, ordered::Schedule<Exec, O>::by_level(exec, loop.iterations, loop.sweep, level,
                                                       sums.levels)};
}

template <ExecutionSpace Exec, Ordinal O, class Reads>
Scheduled<Exec, O> inspect(const Exec& exec, const ordered::Loop<O, Reads>& loop,
                           const WavefrontsOptions& options) {
  ordered::check_loop(loop.iterations, loop.sweep);
  if constexpr (ordered::on_threads<Exec>) {
    return inspect_on_threads(exec, loop, options);
  } else {
    return inspect_on_device(exec, loop, options);
  }
}

/// The reads of a loop whose order is given: none.
struct NoReads {
  template <class O, class Visit>
  KOKKOS_FUNCTION void operator()(O, const Visit&) const {}
};

struct IsLevelBelowZero {
  const int* level;
  KOKKOS_FUNCTION bool operator()(std::int64_t i) const { return level[i] < 0; }
};

/// Number of levels, some perhaps empty. Throws Error for one below 0. Waits for `exec`.
template <ExecutionSpace Exec>
int count_given_levels(const Exec& exec, std::int64_t n, const int* level) {
  if (n == 0) return 0;
  const std::int64_t wrong =
      lowest_where(exec, "heddle::wavefronts::wrong_level", n, IsLevelBelowZero{level});
  if (wrong < n) {
    throw Error("iteration " + std::to_string(wrong) + " has a level below 0",
                "count levels from 0");
  }
  int highest = 0;
  Kokkos::parallel_reduce("heddle::wavefronts::highest_level", range_policy(exec, n),
                          ordered::HighestLevel{level}, Kokkos::Max<int>(highest));
  return highest + 1;
}

/// Schedules given levels on CPU threads, with a barrier after each level. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
Scheduled<Exec, O> levels_on_threads(const Exec& exec, O n, const int* level, int levels,
                                     const WavefrontsOptions& options) {
  Scheduled<Exec, O> order{Scheme("wavefronts", {{"barrier"}}), {n, SweepDirection::forward}};
  if (const auto pinned = wavefronts::pinned(options, Device())) order.scheme = *pinned;
  if (!order.scheme.has("barrier")) {
    throw Error(order.scheme.to_string() + " was pinned for levels that were found elsewhere",
                "pin wavefronts/barrier, or none: what iterations read is not known");
  }
  order.scheme = with_grain(order.scheme);
  int* steps = nullptr;
  const Arena<Kokkos::HostSpace> work(exec, "heddle::wavefronts::steps", arena_array(steps, n));
  fill(exec, "heddle::wavefronts::steps", steps, n, static_cast<int>(ordered::steps_per_iteration));
  const ordered::Loop<O, NoReads> loop{n, SweepDirection::forward, ReadsAhead::error, {}};
  const ordered::LevelCounts counts = ordered::count_levels(exec, loop, level, steps, levels);
  int threads = options.threads > 0 ? options.threads : backends::threads_at_once(exec);
  const auto stages_of = [&](int number) {
    return ordered::make_stages(counts.steps, counts.sizes, number, order.scheme.integer("grain"),
                                false);
  };
  ordered::Stages stages = stages_of(threads);
  if (!options.scheme &&
      predicted_gain(counts, stages, n, backends::thread_costs(exec)) < options.least_gain) {
    threads = 1;
    stages = stages_of(threads);
  }
  O* const iterations = order.schedule.allocate_order(exec);
  const auto begin = ordered::order_by_stage(exec, loop, level, counts, stages, iterations);
  order.schedule.set_threads(ordered::cut_stages(exec, threads, stages, begin, iterations, steps),
                             levels);
  return order;
}

/// Schedules a loop by given levels: iteration i has level[i]. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
Scheduled<Exec, O> inspect_levels(const Exec& exec, O n, const int* level,
                                  const WavefrontsOptions& options) {
  const int levels = count_given_levels(exec, n, level);
  if constexpr (ordered::on_threads<Exec>) {
    return levels_on_threads(exec, n, level, levels, options);
  } else {
    return {scheme_on_device(exec, options),
            ordered::Schedule<Exec, O>::by_level(exec, n, SweepDirection::forward, level, levels)};
  }
}

}  // namespace heddle::detail::wavefronts
