// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <thread>

namespace demo {

namespace {

double quantile(std::vector<double> sorted, double share) {
  std::sort(sorted.begin(), sorted.end());
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Total and idle ticks of the processors since the system began.
struct Moments {
  double all = 0, idle = 0;
};
Moments moments() {
  Moments sum;
  std::ifstream file("/proc/stat");
  std::string name;
  file >> name;
  double value = 0;
  // The fields are user nice system idle iowait irq softirq steal; user includes the later ones.
  for (int field = 0; field < 8 && file >> value; ++field) {
    sum.all += value;
    if (field == 3 || field == 4) sum.idle += value;
  }
  return sum;
}

}  // namespace

double Contestant::median() const { return quantile(seconds, 0.5); }
double Contestant::spread() const {
  return (quantile(seconds, 0.75) - quantile(seconds, 0.25)) / median();
}

void time_in_turns(const Exec& exec, std::vector<Contestant>& contestants, double seconds,
                   int enough, int fewest) {
  constexpr double patience = 3;
  const Kokkos::Timer all;
  const auto goes_on = [&](int round) {
    if (round < fewest) return true;
    return all.seconds() < (round < enough ? patience * seconds : seconds);
  };
  for (int round = -1; goes_on(round); ++round) {
    for (Contestant& contestant : contestants) {
      exec.fence("demo::before");
      const Kokkos::Timer timer;
      contestant.run();
      exec.fence("demo::after");
      // The first round warms up.
      if (round >= 0) contestant.seconds.push_back(timer.seconds());
    }
  }
}

std::string bar(double share) {
  constexpr int width = 24;
  const int length = std::clamp(static_cast<int>(width * share + 0.5), 1, 2 * width);
  return std::string(static_cast<std::size_t>(length), '#');
}

void print_bars(const std::vector<Contestant>& contestants, double bytes, double full_rate) {
  for (const Contestant& c : contestants) {
    const double rate = bytes / c.median();
    std::printf("  %-34.34s %7.2f ms %6.1f GB/s  %s%s\n", c.name.c_str(), 1e3 * c.median(),
                1e-9 * rate, bar(rate / full_rate).c_str(), c.steady() ? "" : "  unsteady");
  }
}

double triad_rate(const Exec& exec, double bytes, double seconds) {
  const int entries = static_cast<int>(bytes / 24);
  const Vector a = vector(exec, entries, 0), b = vector(exec, entries, 1),
               c = vector(exec, entries, 2);
  std::vector<Contestant> triad{{"triad", [&] {
                                   Kokkos::parallel_for(
                                       "demo::triad", Kokkos::RangePolicy<Exec>(exec, 0, entries),
                                       KOKKOS_LAMBDA(int i) { a(i) = b(i) + 0.5 * c(i); });
                                 }}};
  time_in_turns(exec, triad, seconds);
  return 24.0 * entries / triad.front().median();
}

double used_by_others() {
  const Moments before = moments();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  const Moments after = moments();
  const double all = after.all - before.all;
  return all > 0 ? 1 - (after.idle - before.idle) / all : -1;
}

}  // namespace demo
