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
///     launches           a launch a level (all others)
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
  double alone = 0, together = 0;
  for (std::size_t level = 0; level < counts.steps.size(); ++level) {
    const auto steps = static_cast<double>(counts.steps[level]);
    const int tasks = stages.tasks[static_cast<std::size_t>(stages.of_level[level])];
    alone += steps;
    together += steps / tasks;
  }
  const auto n = static_cast<double>(std::max<std::int64_t>(1, iterations));
  const double items = alone - n * static_cast<double>(order::steps_per_iteration);
  const double torn = iterations > cached_iterations ? static_cast<double>(counts.torn) / n : 0;
  const double lost = torn * (torn_iteration * n + torn_item * items);
  together *= shared_step * (1 + lost / std::max(1.0, alone));
  together += static_cast<double>(launch_steps + idle_thread_steps * idle);
  together += static_cast<double>(wait_steps) * static_cast<double>(stages.tasks.size());
  return alone / together;
}

}  // namespace heddle::detail::wavefronts
