// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <vector>

namespace heddle::bench {

/// Microseconds of each of `launches`, one after the other on `exec`: medians of `repetitions` runs
/// of about a millisecond, in turns, so that other load of the machine affects all alike.
template <class Exec, class... Launch>
std::array<double, sizeof...(Launch)> median_microseconds(const Exec& exec, int repetitions,
                                                          const Launch&... launches) {
  constexpr std::size_t kinds = sizeof...(Launch);
  const auto run = [&](const auto& launch, int times) {
    exec.fence("heddle::bench::before");
    const Kokkos::Timer timer;
    for (int i = 0; i < times; ++i) launch();
    exec.fence("heddle::bench::after");
    return 1e6 * timer.seconds() / times;
  };
  std::array<std::vector<double>, kinds> samples;
  std::array<int, kinds> times{};
  for (int repetition = -1; repetition < repetitions; ++repetition) {
    std::size_t kind = 0;
    const auto one = [&](const auto& launch) {
      if (repetition < 0) {
        run(launch, 1);
        times[kind] = std::clamp(static_cast<int>(1000 / run(launch, 3)), 1, 200);
      } else {
        samples[kind].push_back(run(launch, times[kind]));
      }
      ++kind;
    };
    (one(launches), ...);
  }
  std::array<double, kinds> medians{};
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    auto& sample = samples[kind];
    const auto middle = sample.begin() + static_cast<std::ptrdiff_t>(sample.size() / 2);
    std::nth_element(sample.begin(), middle, sample.end());
    medians[kind] = *middle;
  }
  return medians;
}

}  // namespace heddle::bench
