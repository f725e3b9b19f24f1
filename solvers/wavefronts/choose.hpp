// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <string>

#include "../../backends/host/thread_costs.hpp"
#include "../../core/pinned_scheme.hpp"
#include "../ordered/loop.hpp"
#include "../ordered/schedule_on_threads.hpp"
#include "options.hpp"

namespace heddle::detail::wavefronts {

/// Steps of a level that are worth a thread: one for each item that an iteration reads, and some
/// for itself.
inline constexpr std::int64_t default_grain = 750;

// What a loop costs, in items read. On the CPUs of docs/wavefronts.md these numbers were fitted to
// half of the triangles, and judged on the others.

/// Of an item read.
inline constexpr double item_seconds = 0.45e-9;

/// An iteration beside its items.
inline constexpr double iteration_cost = 8;
/// What an item costs more in an iteration that does not follow the one before it, so that no cache
/// line is read on.
inline constexpr double torn_item = 0.2;
/// The same of loops of more steps, some 40 MB of a triangle, whose items come from memory or from
/// the farthest cache; and what an iteration costs more there.
inline constexpr double cached_steps = 4.5e6, far_item = 0.8, far_iteration = 2;

// What threads cost, in hand-overs. Fitted to five triangles on two threads of a Xeon:
// docs/design/wavefronts.md.

/// The waits of a stage.
inline constexpr double hand_overs_per_stage = 3;
/// An item that another thread has written: its cache line comes from there, often with others.
inline constexpr double hand_overs_per_foreign_item = 0.0085;

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

/// What options pin, checked; nothing where that is another backend's.
inline std::optional<Scheme> pinned(const WavefrontsOptions& options, const Device& device) {
  if (!options.scheme) return std::nullopt;
  return resolve_pinned(*options.scheme, device, &grammar).scheme;
}

/// A scheme of several threads with the grain that it leaves out.
inline Scheme with_grain(const Scheme& scheme) {
  if (scheme.has("grain")) return scheme;
  return Scheme(scheme.format(),
                {scheme.terms().front(), SchemeTerm("grain", std::to_string(default_grain))});
}

/// By how much the threads of stages are predicted to be faster than one that runs the loop in
/// order, by what threads cost on the machine at hand. Point to point; barriers cost more.
/// `foreign`: the most items that a thread reads which another has written.
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

}  // namespace heddle::detail::wavefronts
