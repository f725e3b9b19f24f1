// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One system by the ten lines, beside conjugate gradients written by hand and scipy's.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <string>

#include "matrices.hpp"
#include "measure.hpp"
#include "plain_cg.hpp"
#include "scipy.hpp"
#include "sections.hpp"

namespace demo {

namespace {

/// Side of a grid on which a plain loop takes about `seconds`, by its times on smaller ones:
/// iterations grow a little faster than the side, and an iteration as the points do.
int side_for(const Exec& exec, double seconds) {
  constexpr int first = 64, most = 1024;
  if (seconds == 0) return 32;
  for (int side = first;; side *= 2) {
    const Rows A = heat(exec, side);
    const Vector b = vector(exec, A.rows, 1), x = vector(exec, A.rows, 0);
    exec.fence("demo::before");
    const Kokkos::Timer timer;
    plain_cg(A, b, x);
    const double taken = timer.seconds();
    if (2 * side <= most && 10 * taken < seconds) continue;
    return std::clamp(static_cast<int>(side * std::pow(seconds / taken, 0.3)), first, most);
  }
}

/// Prints a line of the table, and returns whether x solves the system.
bool print_line(const std::string& name, double seconds, int iterations, double left,
                double plain_seconds, const char* note) {
  // Loops written by hand and scipy stop by an updated residual, so the computed one may be a bit
  // larger.
  const bool solved = left <= 2 * tolerance;
  const double factor = plain_seconds / seconds;
  std::printf("  %-34s %7.0f ms %10d %13.1e %8.2fx  %s%s%s\n", name.c_str(), 1e3 * seconds,
              iterations, left, factor, bar(factor / 10).c_str(), note,
              solved ? "" : "  NOT SOLVED");
  return solved;
}

}  // namespace

bool show_solves(const Exec& exec, const Size& size) {
  const Rows A = heat(exec, side_for(exec, 2 * size.seconds));
  const Vector b = vector(exec, A.rows, 1);
  std::printf("\nA x = b, heat in a plate of layers: %d rows, %.1f MB, to |b - A x| <= 1e-8 |b|\n",
              A.rows, 1e-6 * 12 * static_cast<double>(A.nonzeros()));

  struct Entry {
    Vector x;
    Solved found = {};
  };
  std::deque<Entry> entries;
  std::vector<Contestant> contestants;
  const auto enter = [&](const char* name, const auto& solve_by) {
    Entry& entry = entries.emplace_back(Entry{vector(exec, A.rows, 0)});
    contestants.push_back({name, [&entry, solve_by] { entry.found = solve_by(entry.x); }});
  };
  enter("Heddle, CG and multigrid", [&](const Vector& x) {
    Kokkos::deep_copy(exec, x, 0.0);
    return solve(exec, A, b, x);
  });
  enter("Kokkos loops, CG and the diagonal",
        [&](const Vector& x) { return kokkos_cg(exec, A, b, x); });
  enter("a plain loop, CG and the diagonal", [&](const Vector& x) { return plain_cg(A, b, x); });
  time_in_turns(exec, contestants, 0, 0, 2);

  const double plain_seconds = contestants.back().median();
  bool right = true;
  std::printf("  %-34s %10s %10s %13s %9s\n", "set-up counted", "time", "iterations",
              "|b-Ax| / |b|", "as fast");
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    const Contestant& contestant = contestants[i];
    const Entry& entry = entries[i];
    const bool solved =
        print_line(contestant.name, contestant.median(), entry.found.iterations,
                   residual(A, b, entry.x), plain_seconds, contestant.steady() ? "" : "  unsteady");
    right = right && solved && entry.found.converged;
  }
  const Vector x = vector(exec, A.rows, 0);
  if (const auto found = scipy_cg(A, b, x)) {
    print_line("scipy, CG and the diagonal", found->seconds, found->iterations, residual(A, b, x),
               plain_seconds, "");
  }
  std::printf("  residuals were computed apart, in long double; Heddle's report:\n%s",
              entries.front().found.report.c_str());
  return right;
}

}  // namespace demo
