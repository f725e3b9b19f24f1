// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "../../backends/algorithms/lowest_where.hpp"
#include "../../backends/device.hpp"
#include "../../backends/host/measured_thread_costs.hpp"
#include "../../backends/host/thread_costs.hpp"
#include "../../backends/loops.hpp"
#include "../../backends/threads_at_once.hpp"
#include "../../core/arena.hpp"
#include "../../core/move_only.hpp"
#include "../../core/pinned_scheme.hpp"
#include "../../core/scheme.hpp"
#include "../ordered/levels.hpp"
#include "../ordered/loop.hpp"
#include "../ordered/schedule.hpp"
#include "../ordered/sweep.hpp"

namespace heddle {

/// Options of a loop. Every default is sensible.
struct WavefrontsOptions {
  /// The direction: from the first iteration to the last, or from the last to the first.
  SweepDirection sweep = SweepDirection::forward;
  /// The meaning of reading an item that is written later: an error, or its value before the loop.
  ReadsAhead ahead = ReadsAhead::error;
  /// Pins the scheme; by default one is chosen.
  std::optional<Scheme> scheme = std::nullopt;
  /// CPU threads that the schedule is made for; 0: the execution space's threads, at most one for
  /// each processor. The loop runs on any number of threads.
  int threads = 0;
  /// The smallest predicted speed-up over one thread with which more threads are used; otherwise
  /// one is. Set it above 1 if iterations touch vectors, besides the items that they read, that
  /// another order scatters.
  double least_gain = 1;
};

}  // namespace heddle

namespace heddle::detail::ordered {

/// The reads of a chain: the chains of the items that its iterations read.
template <Ordinal O, class Reads>
struct ReadsOfChain {
  Reads reads;
  const O* begin;   ///< the first iteration of each chain
  const O* before;  ///< the number of chains that begin before each iteration

  template <class Visit>
  KOKKOS_FUNCTION void operator()(O chain, const Visit& visit) const {
    for (O i = begin[chain]; i < begin[chain + 1]; ++i) {
      reads(i, [&](const auto& item) { visit(before[item + 1] - 1); });
    }
  }
};

/// Whether each iteration and the one before it, by number, are neighbours in a chain: the later
/// one in the sweep reads what the earlier one wrote. One byte for each iteration; waits.
template <ExecutionSpace Exec, Ordinal O>
class ChainLinks {
 public:
  template <class Reads>
  ChainLinks(const Exec& exec, const Loop<O, Reads>& loop)
      : memory_(exec, "heddle::ordered::links", arena_array(links_, loop.iterations)) {
    std::uint8_t* const links = links_;
    Kokkos::parallel_reduce(
        "heddle::ordered::links", range_policy(exec, loop.iterations),
        [loop, links](std::int64_t i, std::int64_t& sum) {
          bool linked = false;
          if (i > 0) {
            const bool forward = loop.sweep == SweepDirection::forward;
            const O here = static_cast<O>(i), previous = static_cast<O>(i - 1);
            const O earlier = forward ? previous : here;
            loop.visit(
                forward ? here : previous, [&](O j) { linked = linked || j == earlier; }, [](O) {});
          }
          links[i] = linked;
          sum += linked;
        },
        count_);
  }
  const std::uint8_t* links() const { return links_; }
  std::int64_t count() const { return count_; }

 private:
  std::uint8_t* links_ = nullptr;
  Arena<Kokkos::HostSpace> memory_;
  std::int64_t count_ = 0;
};

/// Chains of a loop, as a loop of their own: runs of iterations that follow each other, each of
/// which reads what the one before wrote, such as a line of a grid. One thread runs a chain. So
/// levels of chains are fewer than those of iterations, and their memory is contiguous. Every chain
/// depends on earlier ones alone, since its iterations follow each other in the loop.
///
/// The loop must read only what it may (check_reads). Arrays are on the host.
///
/// Idea: coarsening by chains of rows, as K. Cheshmi et al., "ParSy", SC 2018, and B. Zarebavani et
/// al., "HDagg", IPDPS 2022, merge parts of the graph of dependences.
template <ExecutionSpace Exec, Ordinal O>
class Chains {
 public:
  /// Cuts chains of at most `most_steps` steps, which an int can count, or of one iteration. Waits
  /// for `exec`.
  Chains(const Exec& exec, O iterations, const ChainLinks<Exec, O>& links, const int* steps,
         std::int64_t most_steps) {
    O* before = nullptr;
    const auto n = static_cast<std::size_t>(iterations);
    before_memory_ =
        Arena<Kokkos::HostSpace>(exec, "heddle::ordered::chain_of", arena_array(before, n + 1));
    constexpr std::int64_t block = 8192;
    most_steps = std::min<std::int64_t>(most_steps, std::numeric_limits<int>::max());
    const std::uint8_t* const linked = links.links();
    const std::int64_t n64 = iterations;
    // A block goes from its first iteration without a link to that of a later block.
    Kokkos::parallel_for("heddle::ordered::cut_chains", range_policy(exec, ceil_div(n64, block)),
                         [=](std::int64_t b) {
                           const std::int64_t next = (b + 1) * block;
                           std::int64_t i = b * block, sum = 0;
                           while (i < n64 && i < next && linked[i]) ++i;
                           if (i == next) return;
                           for (; i < n64 && (i < next || linked[i]); ++i) {
                             const bool begins = !linked[i] || sum + steps[i] > most_steps;
                             sum = (begins ? 0 : sum) + steps[i];
                             before[i] = begins ? 1 : 0;
                           }
                         });
    count_ = static_cast<O>(running_sum_and_total(exec, "heddle::ordered::chains", before,
                                                  iterations, Terms<O>{before}));
    O* begin = nullptr;
    int* steps_of = nullptr;
    const auto chains = static_cast<std::size_t>(count_);
    memory_ =
        Arena<Kokkos::HostSpace>(exec, "heddle::ordered::chains", arena_array(begin, chains + 1),
                                 arena_array(steps_of, chains));
    parallel_for(exec, "heddle::ordered::begin_of_chains", iterations + std::int64_t{1},
                 [=](std::int64_t i) {
                   if (i == iterations || before[i] < before[i + 1]) {
                     begin[before[i]] = static_cast<O>(i);
                   }
                 });
    parallel_for(exec, "heddle::ordered::steps_of_chains", count_, [=](std::int64_t c) {
      steps_of[c] = 0;
      for (O i = begin[c]; i < begin[c + 1]; ++i) steps_of[c] += steps[i];
    });
    exec.fence("heddle::ordered::chains");
    before_ = before;
    begin_ = begin;
    steps_ = steps_of;
  }

  O count() const { return count_; }
  /// The first iteration of each chain, and the end.
  const O* begin() const { return begin_; }
  const int* steps() const { return steps_; }
  template <class Reads>
  Loop<O, ReadsOfChain<O, Reads>> loop_of(const Loop<O, Reads>& loop) const {
    return {count_, loop.sweep, loop.ahead, {loop.reads, begin_, before_}};
  }

 private:
  Arena<Kokkos::HostSpace> before_memory_, memory_;
  O count_ = 0;
  const O* before_ = nullptr;
  const O* begin_ = nullptr;
  const int* steps_ = nullptr;
};

/// The levels of chains.
template <ExecutionSpace Exec, Ordinal O>
struct ChainLevels {
  Chains<Exec, O> chains;
  int* level = nullptr;
  Arena<Kokkos::HostSpace> memory;
  LevelCounts counts;

  template <class Reads>
  ChainLevels(const Exec& exec, const Loop<O, Reads>& loop, Chains<Exec, O> of)
      : chains(std::move(of)),
        memory(exec, "heddle::ordered::level_of_chains", arena_array(level, chains.count())) {
    const auto coarse = chains.loop_of(loop);
    const int levels = find_levels_on_threads(exec, coarse, level, nullptr).levels;
    counts = count_levels(exec, coarse, level, chains.steps(), levels);
    counts.units = std::exchange(counts.sizes, std::vector<std::int64_t>(counts.sizes.size(), 0));
    for (O c = 0; c < chains.count(); ++c) {
      counts.sizes[static_cast<std::size_t>(level[c])] += chains.begin()[c + 1] - chains.begin()[c];
    }
  }

  /// The schedule of these stages, and its order of iterations. Waits for `exec`.
  template <class Reads>
  ThreadSchedule schedule(const Exec& exec, const Loop<O, Reads>& loop, int threads,
                          const Stages& stages, O* iterations) const {
    const auto coarse = chains.loop_of(loop);
    O* order = nullptr;
    std::int64_t* first_place = nullptr;
    const Arena<Kokkos::HostSpace> work(exec, "heddle::ordered::order_of_chains",
                                        arena_array(order, chains.count()),
                                        arena_array(first_place, chains.count() + std::int64_t{1}));
    const auto begin = order_by_stage(exec, coarse, level, counts, stages, order);
    ThreadSchedule schedule = cut_stages(exec, threads, stages, begin, order, chains.steps());
    const O* const of = chains.begin();
    running_sum(exec, "heddle::ordered::place_of_chains", first_place, chains.count(),
                [=](std::int64_t p) { return of[order[p] + 1] - of[order[p]]; });
    const bool forward = loop.sweep == SweepDirection::forward;
    parallel_for(exec, "heddle::ordered::order_in_chains", chains.count(), [=](std::int64_t p) {
      const O first = of[order[p]], last = of[order[p] + 1] - 1;
      for (O i = first; i <= last; ++i) {
        iterations[first_place[p] + i - first] = forward ? i : last - (i - first);
      }
    });
    exec.fence("heddle::ordered::order_in_chains");
    for (auto& place : schedule.task_begin) place = first_place[place];
    return schedule;
  }
};

}  // namespace heddle::detail::ordered

namespace heddle::detail::wavefronts {

/// Steps of a level that are worth a thread: one for each item that an iteration reads, and some
/// for the iteration itself.
inline constexpr std::int64_t default_grain = 750;

// The cost of a loop, in items read. Fitted to half of the triangles on the CPUs of
// docs/design/sptrsv.md, and checked on the others.

/// Steps of a chain between which the prediction decides: short ones leave more to the threads of a
/// level, long ones make fewer levels.
inline std::vector<std::int64_t> chain_steps() { return {500, 2000}; }

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
// Xeon: docs/design/sptrsv.md.

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
///       chain=<n>          steps of iterations that follow each other, are scheduled as one, and
///                          read each what the one before wrote; left out: none are
///     launches           one launch for each level (all but CPUs)
inline SchemeGrammar grammar(const Device& device) {
  if (device.backend != BackendKind::host) return {"wavefronts", {{"launches"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  const SchemeKey chain("chain", {"<n>"}, scheme_auto, {"40"});
  return {
      "wavefronts",
      {{"sequential"}, {"barrier", {}, {grain, chain}}, {"point-to-point", {}, {grain, chain}}}};
}

/// The pinned scheme of options, checked; nothing if it is another backend's.
inline std::optional<Scheme> pinned(const WavefrontsOptions& options, const Device& device) {
  if (!options.scheme) return std::nullopt;
  return resolve_pinned(*options.scheme, device, &grammar).scheme;
}

/// A scheme of several threads, completed by the default grain.
inline Scheme with_grain(const Scheme& scheme) {
  if (scheme.has("grain")) return scheme;
  std::vector<SchemeTerm> terms = scheme.terms();
  terms.insert(terms.begin() + 1, SchemeTerm("grain", std::to_string(default_grain)));
  return Scheme(scheme.format(), std::move(terms));
}
inline Scheme with_chain(const Scheme& scheme, std::int64_t steps) {
  std::vector<SchemeTerm> terms = scheme.terms();
  terms.emplace_back("chain", std::to_string(steps));
  return Scheme(scheme.format(), std::move(terms));
}

/// Predicted speed-up of the threads of stages over one thread that runs the loop in order, by the
/// costs of threads on this machine. Point to point; barriers cost more. `foreign`: items that a
/// thread reads and another has written, the mean of all threads. Chains are dealt whole, so that
/// some threads get one more than others.
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
    double largest = 1.0 / tasks;
    if (!counts.units.empty()) {
      const std::int64_t chains = counts.units[level];
      largest = static_cast<double>(ceil_div<std::int64_t>(chains, tasks)) /
                static_cast<double>(std::max<std::int64_t>(1, chains));
    }
    together += (iteration_cost * size + read) * largest;
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
  const auto stages_of = [&](const ordered::LevelCounts& of) {
    return ordered::make_stages(of.steps, of.units.empty() ? of.sizes : of.units, threads,
                                scheme.integer("grain"));
  };
  ordered::Stages stages = stages_of(counts);
  const auto gain_of = [&](const ordered::LevelCounts& of, double foreign = 0) {
    return predicted_gain(of, stages, loop.iterations, backends::thread_costs(exec), foreign);
  };
  std::optional<ordered::ChainLevels<Exec, O>> chained;
  if (scheme.has("chain")) {
    const ordered::ChainLinks<Exec, O> links(exec, loop);
    chained.emplace(
        exec, loop,
        ordered::Chains<Exec, O>(exec, loop.iterations, links, steps, scheme.integer("chain")));
    stages = stages_of(chained->counts);
  } else if (!pinned) {
    const Scheme plain = scheme;
    double best = gain_of(counts);
    const ordered::ChainLinks<Exec, O> links(exec, loop);
    O chains_before = 4 * links.count() < loop.iterations ? 0 : loop.iterations;
    for (const std::int64_t most : chain_steps()) {
      if (chains_before == 0) break;
      ordered::Chains<Exec, O> chains(exec, loop.iterations, links, steps, most);
      if (std::exchange(chains_before, chains.count()) == chains.count()) break;  // the same ones
      ordered::ChainLevels<Exec, O> other(exec, loop, std::move(chains));
      ordered::Stages kept = std::exchange(stages, stages_of(other.counts));
      const double gain = gain_of(other.counts);
      if (gain > best) {
        best = gain;
        scheme = with_chain(plain, most);
        chained.emplace(std::move(other));
      } else {
        stages = std::move(kept);
      }
    }
    if (best < options.least_gain) return one;
  }
  Scheduled<Exec, O> several{scheme, {loop.iterations, loop.sweep}};
  O* const iterations = several.schedule.allocate_order(exec);
  ordered::ThreadSchedule by_threads;
  if (chained) {
    by_threads = chained->schedule(exec, loop, threads, stages, iterations);
  } else {
    const auto begin = ordered::order_by_stage(exec, loop, level, counts, stages, iterations);
    by_threads = ordered::cut_stages(exec, threads, stages, begin, iterations, steps);
  }
  if (!pinned) {
    const auto foreign = count_foreign_reads(exec, loop, iterations, by_threads);
    const double gain =
        gain_of(chained ? chained->counts : counts, static_cast<double>(foreign) / threads);
    if (gain < options.least_gain) return one;
  }
  chained.reset();  // before waits take memory
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
  if (!order.scheme.has("barrier") || order.scheme.has("chain")) {
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
/// threads are predicted not to gain, one thread runs the plain loop. See docs/sptrsv.md.
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
  /// the inspection up to 16 bytes more for each iteration, with chains up to 36 (O of 32 bits),
  /// and 8 for each task and thread.
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
  /// How loops over places that do not depend on each other are shared: as for_each_place shares
  /// them, so that memory lies near the thread that reads it.
  detail::ordered::ThreadsOfPlaces threads_of_places() const {
    return detail::ordered::ThreadsOfPlaces{&schedule()};
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
