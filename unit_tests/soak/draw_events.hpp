// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events between the applies of a plan.
#pragma once

#include <optional>

#include "draw_numbers.hpp"
#include "trial.hpp"

namespace heddle::test {

/// Calls use(plan) up to four times, until it finds a problem. Before each call the plan may be
/// moved, change to another instance, and get other values by update(plan).
template <class Exec, class Plan, class Update, class Use>
void draw_events(Random& random, Exec& exec, std::optional<Plan>& plan, Outcome& outcome,
                 const Update& update, const Use& use) {
  for (std::int64_t event = random.below(4); event >= 0 && outcome.problem.empty(); --event) {
    if (once_in(random, 4)) {
      outcome.what += "; moved";
      Plan taken(std::move(*plan));
      plan.emplace(std::move(taken));
    }
    if (once_in(random, 4)) {
      exec.fence("heddle::test::instance");
      exec = draw_instance<Exec>(random);
    }
    if (once_in(random, 4)) {
      outcome.what += "; updated";
      update(*plan);
    }
    if (outcome.problem.empty()) use(*plan);
  }
}

}  // namespace heddle::test
