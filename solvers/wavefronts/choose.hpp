// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "../../core/device.hpp"
#include "../../core/scheme_grammar.hpp"
#include "schedule_threads.hpp"
#include "tuning.hpp"

namespace heddle::detail::wavefronts {

/// The schemes of a loop on a device.
///
///     sequential         one thread, in the order of the loop (CPU)
///     barrier            one launch; all threads wait for each other after each stage (CPU)
///     point-to-point     one launch; a task waits for those that it needs (CPU)
///       grain=<n>          steps of a level that are worth a thread
///     launches           a launch a level (all but CPUs)
inline SchemeGrammar grammar(const Device& device) {
  if (device.backend != BackendKind::host) return {"wavefronts", {{"launches"}}};
  const SchemeKey grain("grain", {"<n>"}, scheme_auto, {"1", "200"});
  return {"wavefronts",
          {{"sequential"}, {"barrier", {}, {grain}}, {"point-to-point", {}, {grain}}}};
}

/// A scheme of several threads with the grain that it leaves out.
inline Scheme with_grain(const Scheme& scheme) {
  if (scheme.has("grain")) return scheme;
  return Scheme(scheme.format(),
                {scheme.terms().front(), SchemeTerm("grain", std::to_string(default_grain))});
}

/// By how much the threads of stages are predicted to be faster than one that runs the loop in
/// order. Point to point; barriers cost more. `idle` threads have no processor, and are launched
/// too.
inline double predicted_gain(const LevelCounts& counts, const order::Stages& stages,
                             std::int64_t iterations, int idle = 0) {
  double steps = 0, items = 0, together = 0;
  for (std::size_t level = 0; level < counts.steps.size(); ++level) {
    const auto size = static_cast<double>(counts.sizes[level]);
    const auto work = static_cast<double>(counts.steps[level]);
    const double read = work - static_cast<double>(order::steps_per_iteration) * size;
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
  together += launch_cost + idle_thread_cost * idle;
  together += wait_cost * static_cast<double>(stages.tasks.size());
  return alone / together;
}

}  // namespace heddle::detail::wavefronts
