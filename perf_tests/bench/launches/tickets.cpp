// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// ticket_study [--repetitions N]: what it costs that every team of a launch takes a ticket, for
// many short teams. docs/backends.md gives figures.
#include <cstdio>

#include "../backends/device.hpp"
#include "../backends/launch.hpp"
#include "launch_timing.hpp"

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Shape = heddle::backends::Shape<heddle::backends::max_subwarp_width<Exec>, 128, 8>;
using Team = heddle::backends::Team<Exec, Shape>;

// Each thread adds up so many numbers, which lie as those of the team's other threads do.
struct AddUp {
  using Scratch = heddle::backends::NoScratch;
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

int main(int argc, char** argv) {
  const int repetitions = heddle::study::repetitions(argc, argv);
  Kokkos::ScopeGuard kokkos;
  const Exec exec;
  constexpr int most_teams = 100000, most_each = 8;
  const Kokkos::View<double*, Exec> numbers("heddle::ticket_study::numbers",
                                            std::size_t{most_teams} * most_each * Team::threads);
  const Kokkos::View<double*, Exec> sums("heddle::ticket_study::sums",
                                         std::size_t{most_teams} * Team::threads);
  const Kokkos::View<std::uint32_t, Exec> next("heddle::ticket_study::next");
  const heddle::backends::Tickets tickets{next.data()};

  std::printf("Teams of %d threads on %s (%s), each thread adding up so many doubles.\n",
              Team::threads, heddle::backends::describe(exec).name.c_str(), Exec::name());
  std::printf("Medians of %d, in ns a launch. A CPU has no tickets: both columns are the same.\n\n",
              repetitions);
  std::printf("%8s %8s | %12s %12s %8s\n", "teams", "doubles", "no tickets", "tickets", "ratio");
  for (const int teams : {100, 1000, 10000, most_teams}) {
    for (const int each : {0, 1, most_each}) {
      const AddUp kernel{numbers.data(), sums.data(), each};
      const auto [without, with] = heddle::study::microseconds(
          exec, repetitions,
          [&] { heddle::backends::launch<Shape>(exec, "heddle::study::plain", teams, kernel); },
          [&] {
            heddle::backends::launch_by_ticket<Shape>(exec, "heddle::study::tickets", teams, kernel,
                                                      tickets);
          });
      std::printf("%8d %8d | %12.0f %12.0f %8.3f\n", teams, each, 1e3 * without, 1e3 * with,
                  with / without);
      std::fflush(stdout);
    }
  }
  return 0;
}
