// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops whose iterations depend on each other, against the sequential loop.
#include "draw_pattern.hpp"

namespace heddle::test {

namespace {

template <class Exec>
void trial(Random& random, Report& report) {
  Exec exec = draw_instance<Exec>(random, report);
  WavefrontsOptions options;
  const bool backward = once_in(random, 2), ahead = once_in(random, 2);
  Pattern pattern = ahead ? draw_full(random) : draw_lower(random);
  if (backward) options.sweep = SweepDirection::backward;
  if (backward && !ahead) pattern = reversed(pattern);
  if (ahead) options.ahead = ReadsAhead::old_value;
  const auto schemes = variants_of(heddle::detail::wavefronts::grammar(backends::describe(exec)));
  if (!once_in(random, 4)) options.scheme = one_of(random, schemes);
  options.threads = static_cast<int>(random.below(7));
  report.says(", ", pattern.rows.size(), " iterations of ", pattern.name,
              backward ? ", backward, " : ", forward, ",
              options.scheme ? options.scheme->to_string() : "chosen", " for ", options.threads);
  const DevicePattern<Exec> on_device(pattern);
  const auto expected = items_in_order(pattern, options.sweep);
  draw_events(
      random, exec, report,
      [&] { return Wavefronts<Exec>(exec, on_device.rows, on_device.reads(), options); },
      [](auto&) {},
      [&](const Wavefronts<Exec>& waves) {
        report.take(on_device.run(exec, waves) == expected ? "" : "not the items of the loop");
      });
}

const AddTrial added("wavefronts", &trial<DefaultDevice>);
#ifndef HEDDLE_EMULATED
const AddTrial portable("wavefronts portable", &trial<Portable<DefaultDevice>>);
#endif

}  // namespace

}  // namespace heddle::test
