// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "inspect.hpp"

namespace heddle::detail::wavefronts {

/// A loop whose iterations read nothing that the order has to know of.
struct NoReads {
  template <class O, class Visit>
  KOKKOS_FUNCTION void operator()(O, const Visit&) const {}
};

/// The first iteration of a level below 0, or `places` where there is none.
struct FirstWrongLevel {
  const int* level;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first) const {
    if (level[i] < 0 && i < first) first = i;
  }
};

/// How many levels there are, some perhaps empty. Throws Error for one below 0. Waits for `exec`.
template <ExecutionSpace Exec>
int count_given_levels(const Exec& exec, std::int64_t n, const int* level) {
  if (n == 0) return 0;
  std::int64_t wrong = n;
  Kokkos::parallel_reduce("heddle::wavefronts::wrong_level", range_policy(exec, n),
                          FirstWrongLevel{level}, Kokkos::Min<std::int64_t>(wrong));
  if (wrong < n) {
    throw Error("iteration " + std::to_string(wrong) + " is of a level below 0",
                "count levels from 0");
  }
  int highest = 0;
  Kokkos::parallel_reduce("heddle::wavefronts::highest_level", range_policy(exec, n),
                          order::HighestLevel{level}, Kokkos::Max<int>(highest));
  return highest + 1;
}

/// On the threads of a CPU: a barrier after each level. Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
void order_on_threads(const Exec& exec, O n, const int* level, const WavefrontsOptions& options,
                      Order<Exec, O>& order) {
  order.scheme = Scheme("wavefronts", {{"barrier"}});
  if (options.scheme) {
    const SchemeGrammar legal = grammar(Device());
    order.scheme = resolve(*options.scheme, std::span(&legal, 1));
  }
  if (!order.scheme.has("barrier")) {
    throw Error(order.scheme.to_string() + " was pinned for levels that were found elsewhere",
                "pin wavefronts/barrier, or none: what iterations read is not known");
  }
  order.scheme = with_grain(order.scheme);
  const auto size = static_cast<std::size_t>(n);
  Arena<Kokkos::HostSpace> work(exec, "heddle::wavefronts::steps", arena_bytes<int>(size));
  int* const steps = work.take<int>(size).data();
  fill(exec, "heddle::wavefronts::steps", steps, n, static_cast<int>(order::steps_per_iteration));
  const order::Loop<O, NoReads> loop{n, SweepDirection::forward, ReadsAhead::error, {}};
  const LevelCounts counts = count_levels(exec, loop, level, steps, order.levels);
  const int at_once = backends::threads_at_once(exec);
  int threads = options.threads > 0 ? options.threads : at_once;
  const auto stages_of = [&](int number) {
    return order::make_stages(counts.steps, counts.sizes, number, order.scheme.integer("grain"),
                              false);
  };
  order::Stages stages = stages_of(threads);
  const int idle = exec.concurrency() - at_once;
  if (!options.scheme && predicted_gain(counts, stages, n, idle) < options.least_gain) {
    threads = 1;
    stages = stages_of(threads);
  }
  O* const iterations = order.allocate(exec, n);
  const auto begin = order_by_stage(exec, loop, level, counts, stages, iterations);
  order.schedule = cut_stages(exec, threads, stages, begin, iterations, steps);
}

/// For a loop whose order was found elsewhere: level by level, of which iteration i has level[i].
/// Waits for `exec`.
template <ExecutionSpace Exec, Ordinal O>
Order<Exec, O> inspect_levels(const Exec& exec, O n, const int* level,
                              const WavefrontsOptions& options) {
  Order<Exec, O> order;
  order.levels = count_given_levels(exec, n, level);
  if constexpr (order::on_threads<Exec>) {
    order_on_threads(exec, n, level, options, order);
  } else {
    order.scheme = scheme_on_device(exec, options);
    order_on_device(exec, n, SweepDirection::forward, level, order);
  }
  return order;
}

}  // namespace heddle::detail::wavefronts
