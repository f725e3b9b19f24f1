// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What Heddle's own launches gain over Kokkos' team policy
// (Portable<Exec>), for the same kernels on the same device. docs/backends.md gives figures.
#include <algorithm>
#include <cstdio>

#include "../../../backends/device.hpp"
#include "../../../backends/launch.hpp"
#include "../../../core/matrix.hpp"
#include "../../bench/common/launch_timing.hpp"
#include "launches.hpp"

namespace heddle::bench {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Portable = heddle::Portable<Exec>;
constexpr int threads = 256;

struct Nothing {
  using Scratch = backends::NoScratch;
  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team&, Scratch&) const {}
};

// A team's threads write their numbers into scratch and read each other's.
struct Mirror {
  struct Scratch {
    double value[threads];
  };
  double* values;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch& scratch) const {
    double* const mine = values + team.index() * team.threads;
    scratch.value[team.thread()] = mine[team.thread()];
    team.barrier();
    mine[team.thread()] = scratch.value[team.threads - 1 - team.thread()];
  }
};

// y = A x, a subwarp a row, rows_per_team rows a team.
struct Product {
  using Scratch = backends::NoScratch;
  const int* row_ptr;
  const int* col_idx;
  const double* values;
  const double* x;
  double* y;
  std::int64_t rows, rows_per_team;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t first = team.index() * rows_per_team;
    const std::int64_t stop = first + rows_per_team;
    for (std::int64_t row = first + team.subwarp_index(); row < stop; row += team.subwarps) {
      double sum = 0;
      if (row < rows) {
        for (int k = row_ptr[row] + subwarp.lane(); k < row_ptr[row + 1]; k += subwarp.width) {
          sum += values[k] * x[col_idx[k]];
        }
      }
      sum = subwarp.sum_together(sum);
      if (row < rows && subwarp.lane() == 0) y[row] = sum;
    }
  }
};

heddle::CsrStorage<double, int, int, Exec::memory_space> band(const Exec& exec, int rows,
                                                              int row_length) {
  const Kokkos::DefaultHostExecutionSpace host;
  heddle::CsrStorage<double, int, int, Kokkos::HostSpace> A(host, rows, rows, rows * row_length);
  host.fence("heddle::bench::host");
  for (int i = 0; i <= rows; ++i) A.row_ptr()(i) = i * row_length;
  for (int k = 0; k < rows * row_length; ++k) {
    A.col_idx()(k) = std::min(rows - 1, k / row_length + k % row_length);
    A.values()(k) = 1;
  }
  auto there = A.copy_to<Exec::memory_space>(exec);
  exec.fence("heddle::bench::copied");
  return there;
}

template <class Shape, class Kernel>
void compare(const char* name, const Exec& exec, int repetitions, std::int64_t size,
             std::int64_t teams, const Kernel& kernel) {
  const Portable portable(exec);
  const auto [direct, by_policy] = median_microseconds(
      exec, repetitions,
      [&] { backends::launch<Shape>(exec, "heddle::bench::direct", teams, kernel); },
      [&] { backends::launch<Shape>(portable, "heddle::bench::portable", teams, kernel); });
  std::printf("%-22s %9lld %9lld | %10.2f %10.2f %8.2f\n", name, static_cast<long long>(size),
              static_cast<long long>(teams), direct, by_policy, by_policy / direct);
  std::fflush(stdout);
}

template <int Width>
void products(const char* name, const Exec& exec, int repetitions, int row_length) {
  using Shape = backends::Shape<Width, threads>;
  using Team = backends::Team<Exec, Shape>;
  for (const int rows : {64, 1000, 10000, 100000, 1000000}) {
    const auto A = band(exec, rows, row_length);
    const Kokkos::View<double*, Exec> x("heddle::bench::x", rows);
    const Kokkos::View<double*, Exec> y("heddle::bench::y", rows);
    // A CPU takes a team a thread, a GPU as many as there are subwarps of rows.
    const std::int64_t per_team =
        backends::has_lanes<Exec> ? Team::subwarps : heddle::ceil_div(rows, exec.concurrency());
    compare<Shape>(name, exec, repetitions, rows, heddle::ceil_div<std::int64_t>(rows, per_team),
                   Product{A.row_ptr().data(), A.col_idx().data(), A.values().data(), x.data(),
                           y.data(), rows, per_team});
  }
}

}  // namespace

void print_portable_costs(const Kokkos::DefaultExecutionSpace& exec, int repetitions) {
  std::printf("The same kernels on %s, launched directly on %s and by a team policy.\n",
              backends::describe(exec).name.c_str(), Exec::name());
  std::printf("Medians of %d, in microseconds a launch.\n\n", repetitions);
  std::printf("%-22s %9s %9s | %10s %10s %8s\n", "kernel", "rows", "teams", "direct", "portable",
              "ratio");
  using Wide = backends::Shape<backends::max_subwarp_width<Exec>, threads>;
  for (const int teams : {1, 1000, 100000}) {
    compare<Wide>("nothing", exec, repetitions, 0, teams, Nothing());
  }
  const Kokkos::View<double*, Exec> values("heddle::bench::values", std::size_t{100000} * threads);
  for (const int teams : {1, 1000, 100000}) {
    compare<Wide>("mirror by scratch", exec, repetitions, 0, teams, Mirror{values.data()});
  }
  products<4>("SpMV, 4 lanes of 8", exec, repetitions, 8);
  products<backends::max_subwarp_width<Exec>>("SpMV, a warp of 40", exec, repetitions, 40);
}

}  // namespace heddle::bench
