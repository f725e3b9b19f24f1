// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/device.hpp"
#include "../order/check_reads.hpp"
#include "../order/levels.hpp"
#include "../order/sort_by_level.hpp"
#include "choose.hpp"
#include "options.hpp"
#include "schedule_threads.hpp"

namespace heddle::detail::wavefronts {

/// What an inspection finds: the scheme, and whatever that needs.
template <ExecutionSpace Exec, Ordinal O>
struct Order {
  using Space = typename Exec::memory_space;

  Scheme scheme = Scheme("wavefronts", {{"sequential"}});
  int levels = 0;
  /// Of the iterations at their places; empty where they stand in the order of the loop.
  Arena<Space> memory = {};
  typename Arena<Space>::template Array<O> iterations = {};
  order::ThreadSchedule schedule = {};          ///< of CPUs
  std::vector<std::int64_t> level_begin = {0};  ///< elsewhere: the first place of each level

  O* allocate(const Exec& exec, O n) {
    const auto size = static_cast<std::size_t>(n);
    memory = Arena<Space>(exec, "heddle::wavefronts::iterations", arena_bytes<O>(size));
    iterations = memory.template take<O>(size);
    return iterations.data();
  }
};

/// On the threads of a CPU. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
Order<Exec, O> inspect_on_threads(const Exec& exec, const order::Loop<O, Reads>& loop,
                                  const WavefrontsOptions& options) {
  Order<Exec, O> order;
  const auto n = static_cast<std::size_t>(loop.iterations);
  Arena<Kokkos::HostSpace> memory(exec, "heddle::wavefronts::level", arena_bytes<int, int>(n, n));
  int* const level = memory.take<int>(n).data();
  int* const steps = memory.take<int>(n).data();
  const order::LevelSums sums = order::find_levels_on_threads(exec, loop, level, steps);
  order::check_reads(exec, sums, loop);
  order.levels = sums.levels;
  order.schedule = order::ThreadSchedule::in_order(loop.iterations);
  const int at_once = backends::threads_at_once(exec);
  const int threads = options.threads > 0 ? options.threads : at_once;
  Scheme scheme("wavefronts", {{threads > 1 && n > 0 ? "point-to-point" : "sequential"}});
  if (options.scheme) {
    const SchemeGrammar legal = grammar(Device());
    scheme = resolve(*options.scheme, std::span(&legal, 1));
  }
  if (scheme.has("sequential")) return order;
  scheme = with_grain(scheme);

  const LevelCounts counts = count_levels(exec, loop, level, steps, sums.levels);
  const order::Stages stages =
      order::make_stages(counts.steps, counts.sizes, threads, scheme.integer("grain"));
  if (!options.scheme) {
    const int idle = exec.concurrency() - at_once;
    const double gain = predicted_gain(counts, stages, loop.iterations, idle);
    if (gain < options.least_gain) return order;
  }
  order.scheme = scheme;
  O* const iterations = order.allocate(exec, loop.iterations);
  const auto begin = order_by_stage(exec, loop, level, counts, stages, iterations);
  order.schedule = cut_stages(exec, threads, stages, begin, iterations, steps);
  if (scheme.has("point-to-point")) add_waits(exec, loop, iterations, order.schedule);
  return order;
}

/// Puts iterations of level[i] in order, on a device that is no CPU. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
void order_on_device(const Exec& exec, O n, SweepDirection sweep, const int* level,
                     Order<Exec, O>& order) {
  O* const iterations = order.allocate(exec, n);
  order.level_begin = order::sort_by_level(exec, n, sweep, level, order.levels, iterations);
}

/// The scheme of a device that is no CPU.
template <ExecutionSpace Exec>
Scheme scheme_on_device(const Exec& exec, const WavefrontsOptions& options) {
  const SchemeGrammar legal = grammar(backends::describe(exec));  // or the device is refused
  if (options.scheme) return resolve(*options.scheme, std::span(&legal, 1));
  return Scheme("wavefronts", {{"launches"}});
}

/// By launches. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O, class Reads>
Order<Exec, O> inspect_on_device(const Exec& exec, const order::Loop<O, Reads>& loop,
                                 const WavefrontsOptions& options) {
  Order<Exec, O> order;
  order.scheme = scheme_on_device(exec, options);
  const auto n = static_cast<std::size_t>(loop.iterations);
  Arena<typename Exec::memory_space> work(exec, "heddle::wavefronts::level", arena_bytes<int>(n));
  int* const level = work.template take<int>(n).data();
  const order::LevelSums sums = order::find_levels_on_device(exec, loop, level);
  order::check_reads(exec, sums, loop);
  order.levels = sums.levels;
  order_on_device(exec, loop.iterations, loop.sweep, level, order);
  return order;
}

template <ExecutionSpace Exec, Ordinal O, class Reads>
Order<Exec, O> inspect(const Exec& exec, const order::Loop<O, Reads>& loop,
                       const WavefrontsOptions& options) {
  order::check_loop(loop.iterations, loop.sweep);
  if constexpr (order::on_threads<Exec>) {
    return inspect_on_threads(exec, loop, options);
  } else {
    return inspect_on_device(exec, loop, options);
  }
}

}  // namespace heddle::detail::wavefronts
