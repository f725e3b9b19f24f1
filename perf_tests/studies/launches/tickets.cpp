// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs that every team of a launch takes a ticket, for
// many short teams. docs/backends.md gives figures.
#include <cstdio>

#include "../../../backends/device.hpp"
#include "../../../backends/launch.hpp"
#include "../../bench/common/launch_timing.hpp"
#include "launches.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Shape = backends::Shape<backends::max_subwarp_width<Exec>, 128, 8>;
using Team = backends::Team<Exec, Shape>;

// Each thread adds up `each` numbers, which lie as those of the team's other threads do.
struct AddUp {
  using Scratch = backends::NoScratch;
  const double* numbers;
  double* sums;
  int each;

  template <class T>
  KOKKOS_FUNCTION void operator()(const T& team, Scratch&) const {
    double sum = 0;
    for (int i = 0; i < each; ++i) {
      sum += numbers[(team.index() * each + i) * team.threads + team.thread()];
    }
    sums[team.index() * team.threads + team.thread()] = sum;
  }
};

}  // namespace

void print_ticket_costs(const Kokkos::DefaultExecutionSpace& exec, int repetitions) {
  constexpr int most_teams = 100000, most_each = 8;
  const Kokkos::View<double*, Exec> numbers("heddle::bench::numbers",
                                            std::size_t{most_teams} * most_each * Team::threads);
  const Kokkos::View<double*, Exec> sums("heddle::bench::sums",
                                         std::size_t{most_teams} * Team::threads);
  const Kokkos::View<std::uint32_t, Exec> next("heddle::bench::next");
  const backends::Tickets tickets{next.data()};

  std::printf("Teams of %d threads on %s (%s), each thread adding up a number of doubles.\n",
              Team::threads, backends::describe(exec).name.c_str(), Exec::name());
  std::printf("Medians of %d, in ns a launch. A CPU has no tickets: both columns are the same.\n\n",
              repetitions);
  std::printf("%8s %8s | %12s %12s %8s\n", "teams", "doubles", "no tickets", "tickets", "ratio");
  for (const int teams : {100, 1000, 10000, most_teams}) {
    for (const int each : {0, 1, most_each}) {
      const AddUp kernel{numbers.data(), sums.data(), each};
      const auto [without, with] = median_microseconds(
          exec, repetitions,
          [&] { backends::launch<Shape>(exec, "heddle::bench::plain", teams, kernel); },
          [&] {
            backends::launch_by_ticket<Shape>(exec, "heddle::bench::tickets", teams, kernel,
                                              tickets);
          });
      std::printf("%8d %8d | %12.0f %12.0f %8.3f\n", teams, each, 1e3 * without, 1e3 * with,
                  with / without);
      std::fflush(stdout);
    }
  }
}

}  // namespace heddle::bench
