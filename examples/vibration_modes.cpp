// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowest modes of a drum skin: a membrane on a disk, held at its rim, as a grid of points.
// Prints frequencies over the lowest one beside those of a round drum, and draws the modes.
#include <cmath>
#include <cstdio>
#include <heddle/lobpcg.hpp>
#include <heddle/spmv.hpp>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  constexpr int side = 61, count = 6;
  const auto inside = [](int i, int j) { return std::hypot(i - 30, j - 30) < 30; };
  std::vector<int> place(side * side, -1);
  int n = 0;
  for (int p = 0; p < side * side; ++p) {
    if (inside(p / side, p % side)) place[static_cast<std::size_t>(p)] = n++;
  }
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (int p = 0; p < side * side; ++p) {
    if (place[static_cast<std::size_t>(p)] < 0) continue;
    for (const int step : {-side, -1, 0, 1, side}) {
      const int q = place[static_cast<std::size_t>(p + step)];
      if (q < 0) continue;
      col_idx.push_back(q);
      values.push_back(step == 0 ? 4 : -1);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const auto copy_in = [](const auto& from) {
    using T = typename std::decay_t<decltype(from)>::value_type;
    const Kokkos::View<T*> to("membrane", from.size());
    Kokkos::deep_copy(to, Kokkos::View<const T*, Kokkos::HostSpace>(from.data(), from.size()));
    return to;
  };
  const Exec exec;
  const auto rows = copy_in(row_ptr), columns = copy_in(col_idx);
  const auto entries = copy_in(values);
  const heddle::CsrMatrix<double, int, int, Exec::memory_space> matrix(n, n, rows, columns,
                                                                       entries);
  heddle::SpmvPlan plan(exec, matrix);
  const Kokkos::View<double**, Kokkos::LayoutLeft> modes("modes", static_cast<std::size_t>(n),
                                                         count);
  heddle::LobpcgSolver<Exec, double> solver(exec, n, {.count = count});
  const heddle::LobpcgResult result = solver.solve(exec, plan, modes);
  std::printf("%d points: %s after %d iterations\n", n, heddle::name(result.outcome),
              result.iterations);

  // Zeros of Bessel's functions, over the first of them.
  constexpr double drum[count] = {1, 1.5933, 1.5933, 2.1355, 2.1355, 2.2954};
  const auto shape = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), modes);
  bool as_expected = result.converged();
  for (int m = 0; m < count; ++m) {
    const double over_lowest =
        std::sqrt(result.pairs[static_cast<std::size_t>(m)].value / result.pairs[0].value);
    std::printf("\nmode %d: frequency %.4f, of a round drum %.4f\n", m, over_lowest, drum[m]);
    as_expected = as_expected && std::abs(over_lowest - drum[m]) < 0.02 * drum[m];
    for (int i = 0; i < side; i += 4) {
      for (int j = 0; j < side; j += 2) {
        const int at = place[static_cast<std::size_t>(i * side + j)];
        const double height = at < 0 ? 0 : shape(at, m) * std::sqrt(n);
        std::putchar(at < 0 ? ' ' : height > 0.5 ? '#' : height < -0.5 ? '-' : '.');
      }
      std::putchar('\n');
    }
  }
  return as_expected ? 0 : 1;
}
