// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations depend on each other, against the sequential loop.
#include <array>

#include "../support/loops.hpp"
#include "draw_triangle.hpp"
#include "trial.hpp"

namespace heddle::test {

namespace {

struct DrawnLoop {
  Pattern pattern;
  WavefrontsOptions options;
};

DrawnLoop draw_loop(Random& random, const std::vector<Scheme>& schemes) {
  DrawnLoop drawn;
  if (once_in(random, 2)) {
    drawn.pattern = draw_lower(random);
    if (once_in(random, 2)) {
      drawn.pattern = reversed(drawn.pattern);
      drawn.options.sweep = SweepDirection::backward;
    }
  } else {
    const std::int64_t sizes[] = {2, 50, 900, 3000};
    drawn.pattern = full_pattern(random.below(one_of(random, sizes) + 1),
                                 1 + random.below(once_in(random, 4) ? 40 : 6), random.bits());
    drawn.options.ahead = ReadsAhead::old_value;
    if (once_in(random, 2)) drawn.options.sweep = SweepDirection::backward;
  }
  if (!once_in(random, 4)) drawn.options.scheme = one_of(random, schemes);
  drawn.options.threads = static_cast<int>(random.below(7));
  return drawn;
}

template <class Exec>
Outcome run_loop(Random& random) {
  Exec exec = draw_instance<Exec>(random);
  const DrawnLoop drawn =
      draw_loop(random, variants_of(heddle::detail::wavefronts::grammar(backends::describe(exec))));
  const auto& options = drawn.options;
  Outcome outcome;
  outcome.what = "threads " + std::to_string(exec.concurrency()) + ", " +
                 std::to_string(drawn.pattern.rows.size()) + " iterations of " +
                 drawn.pattern.name + ", " +
                 (options.sweep == SweepDirection::forward ? "forward, " : "backward, ") +
                 (options.scheme ? options.scheme->to_string() : "chosen") + " for " +
                 std::to_string(options.threads) + " threads";
  try {
    const DevicePattern<Exec> on_device(drawn.pattern);
    Wavefronts<Exec> waves(exec, on_device.rows, on_device.reads(), options);
    const auto expected = items_in_order(drawn.pattern, options.sweep);
    for (std::int64_t event = random.below(4); event >= 0; --event) {
      if (once_in(random, 4)) {
        Wavefronts<Exec> taken(std::move(waves));
        waves = std::move(taken);
      }
      if (once_in(random, 3)) {
        exec.fence("heddle::test::instance");
        exec = draw_instance<Exec>(random);
      }
      ++outcome.applies;
      if (on_device.run(exec, waves) == expected) continue;
      outcome.problem = waves.scheme().to_string() + " on " + std::to_string(exec.concurrency()) +
                        " threads leaves other items than the loop";
      break;
    }
  } catch (const std::exception& error) {
    outcome.problem = error.what();
  }
  return outcome;
}

}  // namespace

std::vector<Trial> trials_of_wavefronts() {
  std::vector<Trial> trials{{"wavefronts", &run_loop<DefaultDevice>}};
  if constexpr (!emulated) {
    trials.push_back({"wavefronts portable", &run_loop<Portable<DefaultDevice>>});
  }
  return trials;
}

}  // namespace heddle::test
