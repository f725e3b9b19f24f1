// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowest modes of a drum skin: a round membrane fixed at its rim, as a mesh of triangles with
// linear elements, K x = lambda M x. Prints frequencies together with those of a round drum, draws
// the modes, and writes them as a picture if a file is named: vibration_modes modes.svg
#include <array>
#include <cmath>
#include <cstdio>
#include <heddle/lobpcg.hpp>
#include <heddle/spmv.hpp>
#include <map>
#include <numbers>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = heddle::CsrMatrix<double, int, int, Exec::memory_space>;
using Modes = Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

// A point in the middle and rings around it, of 6, 12, 18, ... points; the last one is the rim.
constexpr int rings = 24, count = 6;
constexpr int points_within(int ring) { return ring == 0 ? 0 : 1 + 3 * ring * (ring - 1); }
constexpr int point(int ring, int k) {
  return points_within(ring) + (ring == 0 ? 0 : k % (6 * ring));
}
constexpr int inner = points_within(rings);

struct Mesh {
  std::vector<std::array<double, 2>> at;
  std::vector<std::array<int, 3>> triangles;
};

Mesh disk() {
  Mesh mesh;
  mesh.at.push_back({0, 0});
  for (int r = 1; r <= rings; ++r) {
    for (int k = 0; k < 6 * r; ++k) {
      const double angle = std::numbers::pi * k / (3 * r), radius = double(r) / rings;
      mesh.at.push_back({radius * std::cos(angle), radius * std::sin(angle)});
    }
    for (int sector = 0; sector < 6; ++sector) {
      for (int j = 0; j < r; ++j) {
        const int out = sector * r + j, in = sector * (r - 1) + j;
        mesh.triangles.push_back({point(r, out), point(r, out + 1), point(r - 1, in)});
        if (j + 1 == r) continue;
        mesh.triangles.push_back({point(r - 1, in), point(r, out + 1), point(r - 1, in + 1)});
      }
    }
  }
  return mesh;
}

/// Rows of K and M for the free points: both entries by column.
std::vector<std::map<int, std::array<double, 2>>> assembled(const Mesh& mesh) {
  std::vector<std::map<int, std::array<double, 2>>> rows(inner);
  for (const auto& corner : mesh.triangles) {
    double dx[3], dy[3];  // vectors of the opposite sides
    for (std::size_t i = 0; i < 3; ++i) {
      const auto &from = mesh.at[static_cast<std::size_t>(corner[(i + 1) % 3])],
                 &to = mesh.at[static_cast<std::size_t>(corner[(i + 2) % 3])];
      dx[i] = to[0] - from[0];
      dy[i] = to[1] - from[1];
    }
    const double area = (dx[0] * dy[1] - dx[1] * dy[0]) / 2;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        if (corner[i] >= inner || corner[j] >= inner) continue;
        auto& [stiffness, mass] = rows[static_cast<std::size_t>(corner[i])][corner[j]];
        stiffness += (dx[i] * dx[j] + dy[i] * dy[j]) / (4 * area);
        mass += area / (i == j ? 6 : 12);
      }
    }
  }
  return rows;
}

void draw(const Modes& modes, int mode) {
  double largest = 0;
  for (int p = 0; p < inner; ++p) largest = std::max(largest, std::abs(modes(p, mode)));
  for (int i = -10; i <= 10; ++i) {
    for (int j = -20; j <= 20; ++j) {
      const double radius = std::hypot(i / 10.0, j / 20.0);
      const double angle = std::atan2(i / 10.0, j / 20.0) + 2 * std::numbers::pi;
      const int ring = static_cast<int>(std::lround(radius * rings));
      const int k = static_cast<int>(std::lround(angle / std::numbers::pi * 3 * ring));
      const double height = ring < rings ? modes(point(ring, k), mode) / largest : 0;
      std::putchar(ring > rings ? ' ' : height > 0.25 ? '#' : height < -0.25 ? '-' : '.');
    }
    std::putchar('\n');
  }
}

void write_picture(const char* path, const Mesh& mesh, const Modes& modes) {
  std::FILE* const file = std::fopen(path, "w");
  if (!file) return;
  std::fprintf(file, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='-1.1 -1.1 6.6 4.4'>\n");
  for (int m = 0; m < count; ++m) {
    double largest = 0;
    for (int p = 0; p < inner; ++p) largest = std::max(largest, std::abs(modes(p, m)));
    std::fprintf(file, "<g transform='translate(%.1f %.1f)'>\n", 2.2 * (m % 3), 2.2 * (m / 3));
    for (const auto& corner : mesh.triangles) {
      double height = 0;
      for (const int p : corner) height += p < inner ? modes(p, m) / largest / 3 : 0;
      const int fade = static_cast<int>(255 * (1 - std::abs(height)));
      std::fprintf(file, "<path fill='#%02x%02x%02x' d='M", height > 0 ? 255 : fade, fade,
                   height > 0 ? fade : 255);
      for (const int p : corner) {
        const auto& at = mesh.at[static_cast<std::size_t>(p)];
        std::fprintf(file, "%.3f %.3f ", at[0], at[1]);
      }
      std::fprintf(file, "z'/>\n");
    }
    std::fprintf(file, "</g>\n");
  }
  std::fprintf(file, "</svg>\n");
  std::fclose(file);
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Mesh mesh = disk();
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> stiffness, mass;
  for (const auto& row : assembled(mesh)) {
    for (const auto& [column, entry] : row) {
      col_idx.push_back(column);
      stiffness.push_back(entry[0]);
      mass.push_back(entry[1]);
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
  const auto of_k = copy_in(stiffness), of_m = copy_in(mass);
  heddle::SpmvPlan K(exec, Matrix(inner, inner, rows, columns, of_k)),
      M(exec, Matrix(inner, inner, rows, columns, of_m));
  const Kokkos::View<double**, Kokkos::LayoutLeft> x("modes", inner, count);
  heddle::LobpcgSolver<Exec, double> solver(exec, inner, {.count = count, .generalized = true});
  const auto result = solver.solve(exec, K, x, heddle::NoPreconditioner(), M);
  std::printf("%d points: %s after %d iterations\n", inner, heddle::name(result.outcome),
              result.iterations);

  // The zeros of Bessel functions are the frequencies of a drum of radius one.
  constexpr double drum[count] = {2.4048, 3.8317, 3.8317, 5.1356, 5.1356, 5.5201};
  const Modes modes = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  bool as_expected = result.converged();
  for (int m = 0; m < count; ++m) {
    const double frequency = std::sqrt(result.pairs[static_cast<std::size_t>(m)].value);
    std::printf("\nmode %d: frequency %.4f, of a round drum %.4f\n", m, frequency, drum[m]);
    as_expected = as_expected && std::abs(frequency - drum[m]) < 0.01 * drum[m];
    draw(modes, m);
  }
  if (argc > 1) write_picture(argv[1], mesh, modes);
  return as_expected ? 0 : 1;
}
