// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What happens to a plan between its applies.
#pragma once

#include <optional>

#include "draw_numbers.hpp"
#include "trial.hpp"

namespace heddle::test {

/// Up to four times use(plan), until it finds a problem; before that the plan may be moved, go on
/// on another instance, and be given other values by update(plan).
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
