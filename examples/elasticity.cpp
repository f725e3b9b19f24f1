// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A long elastic beam, fixed at one end and pulled down at the other: bilinear elements in plane
// stress, assembled from triplets, solved by conjugate gradients with multigrid whose
// near-nullspace is the rigid body motions of the beam. The residuals are drawn with those of a
// multigrid with constants.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <heddle/cg.hpp>
#include <heddle/csr.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/spmv.hpp>
#include <string>
#include <vector>

#include "matrices.hpp"

using example::Array, example::Exec;

/// The stiffness of a square element, by 2 x 2 Gauss quadrature: unknown 2 a + d is displacement d
/// of corner a; corners are numbered around the square from the lower left one.
std::array<std::array<double, 8>, 8> element() {
  const double poisson = 0.3, scale = 1 / (1 - poisson * poisson);
  const double at[2] = {(1 - 1 / std::sqrt(3.0)) / 2, (1 + 1 / std::sqrt(3.0)) / 2};
  std::array<std::array<double, 8>, 8> stiffness{};
  for (const double x : at) {
    for (const double y : at) {
      const double slope[4][2] = {{y - 1, x - 1}, {1 - y, -x}, {y, x}, {-y, 1 - x}};
      for (int a = 0; a < 4; ++a) {
        for (int b = 0; b < 4; ++b) {
          const double* const p = slope[a];
          const double* const q = slope[b];
          const double shear = (1 - poisson) / 2;
          const double block[2][2] = {
              {p[0] * q[0] + shear * p[1] * q[1], poisson * p[0] * q[1] + shear * p[1] * q[0]},
              {poisson * p[1] * q[0] + shear * p[0] * q[1], p[1] * q[1] + shear * p[0] * q[0]}};
          for (int d = 0; d < 2; ++d) {
            for (int e = 0; e < 2; ++e) {
              stiffness[static_cast<std::size_t>(2 * a + d)][static_cast<std::size_t>(2 * b + e)] +=
                  scale * block[d][e] / 4;
            }
          }
        }
      }
    }
  }
  return stiffness;
}

template <class T>
Array<T> to_device(const std::vector<T>& from) {
  const Array<T> to("example::array", from.size());
  const Kokkos::View<const T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> host(
      from.data(), from.size());
  Kokkos::deep_copy(to, host);
  return to;
}

/// Draws residual norms by iteration, a line for each power of ten: `*` and `o` for the two solves,
/// `@` where they coincide.
void draw(const std::vector<double>& one, const std::vector<double>& other) {
  const std::size_t wide = 64, most = std::max(one.size(), other.size());
  const std::size_t per_column = (most + wide - 1) / wide;
  std::vector<std::string> lines(10, std::string(wide, ' '));
  const auto put = [&](const std::vector<double>& residuals, char mark) {
    for (std::size_t i = 0; i < residuals.size(); i += per_column) {
      const double decades = std::log10(residuals.front() / residuals[i]);
      const auto line = static_cast<std::size_t>(std::clamp(decades, 0.0, 9.0));
      char& place = lines[line][i / per_column];
      place = place == ' ' ? mark : '@';
    }
  };
  put(one, '*');
  put(other, 'o');
  for (std::size_t line = 0; line < lines.size(); ++line) {
    std::printf("1e-%zu |%s\n", line, lines[line].c_str());
  }
  std::printf("     0 to %zu iterations; * constants, o rigid body motions\n", most - 1);
}

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const int length = 400, height = 40;  // in elements
  const auto node = [&](int x, int y) { return y * (length + 1) + x; };
  const int nodes = (length + 1) * (height + 1), rows = 2 * nodes;
  const auto stiffness = element();
  std::vector<int> row_of, column_of;
  std::vector<double> entries;
  const auto add = [&](int row, int column, double value) {
    row_of.push_back(row);
    column_of.push_back(column);
    entries.push_back(value);
  };
  const auto is_held = [&](int row) { return row / 2 % (length + 1) == 0; };
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < length; ++x) {
      const int corner[4] = {node(x, y), node(x + 1, y), node(x + 1, y + 1), node(x, y + 1)};
      for (int k = 0; k < 8; ++k) {
        for (int l = 0; l < 8; ++l) {
          const int row = 2 * corner[k / 2] + k % 2, column = 2 * corner[l / 2] + l % 2;
          if (is_held(row) || is_held(column)) continue;
          add(row, column, stiffness[static_cast<std::size_t>(k)][static_cast<std::size_t>(l)]);
        }
      }
    }
  }
  for (int y = 0; y <= height; ++y) {
    for (int d = 0; d < 2; ++d) add(2 * node(0, y) + d, 2 * node(0, y) + d, 1);
  }
  const auto A = heddle::assemble(exec, rows, rows, to_device(row_of), to_device(column_of),
                                  to_device(entries));

  const Kokkos::View<double**, Exec::memory_space> coordinates("example::coordinates", nodes, 2);
  const auto places = Kokkos::create_mirror_view(coordinates);
  for (int i = 0; i < nodes; ++i) {
    places(i, 0) = i % (length + 1);
    places(i, 1) = i / (length + 1);
  }
  Kokkos::deep_copy(coordinates, places);

  std::vector<double> force(static_cast<std::size_t>(rows));
  for (int y = 0; y <= height; ++y) {
    force[static_cast<std::size_t>(2 * node(length, y) + 1)] = -1e-6;
  }
  const Array<double> f = to_device(force), u("example::u", rows);
  heddle::SpmvPlan plan(exec, A.matrix());
  heddle::KrylovOptions options;
  options.zero_guess = true;
  options.history = true;
  options.max_iterations = 2000;
  heddle::CgSolver<Exec, double> cg(exec, rows, options);
  const auto solve = [&](const char* with, auto& preconditioner) {
    const heddle::KrylovResult result = cg.solve(exec, plan, f, u, preconditioner);
    std::printf("%s: %s, %d iterations\n", with, name(result.outcome), result.iterations);
    return result.converged() ? result.iterations : -1;
  };
  const auto motions = heddle::rigid_body_motions(exec, coordinates);
  heddle::MultigridPlan by_constants(exec, A.matrix(), {.block_size = 2});
  heddle::MultigridPlan by_motions(exec, A.matrix(), motions, {.block_size = 2});
  std::printf("%s", by_motions.levels().to_string().c_str());
  const int many = solve("constants", by_constants);
  const auto slow = cg.history(exec);
  const int few = solve("rigid body motions", by_motions);
  draw(slow, cg.history(exec));

  double tip = 0;
  Kokkos::deep_copy(exec, tip, Kokkos::subview(u, 2 * node(length, height / 2) + 1));
  exec.fence();
  // Euler-Bernoulli beam theory: P L^3 / (3 E I), to which shear adds little.
  const double load = 1e-6 * (height + 1), inertia = std::pow(height, 3) / 12.0;
  const double expected = -load * std::pow(length, 3) / (3 * inertia);
  std::printf("the tip moves by %.4f; a slender beam's by %.4f\n", tip, expected);
  const bool right = few > 0 && few < 60 && (many < 0 || 3 * few < 2 * many) &&
                     std::abs(tip - expected) < 0.05 * std::abs(expected);
  return right ? 0 : 1;
}
