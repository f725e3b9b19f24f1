// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Discretized equations over a grid: patterns with values of their own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "../pattern.hpp"
#include "../random.hpp"

namespace heddle::test {

/// A pattern, and if it is that of a system, its values in the order of the entries.
struct Assembled : Pattern {
  std::vector<double> values;
  /// Coordinates of the nodes of an elastic body, node by node.
  std::vector<double> coordinates;
  int dimensions = 0;

  bool own_values() const { return !values.empty(); }
};

using Cell = std::array<std::int64_t, 3>;

/// Finite volumes over N x N or N x N x N cells. conductance(cell, axis, side) is that of the face
/// of a cell towards `side` (-1 or 1) along an axis, as its row uses it; x is zero outside of the
/// grid. A face of zero conductance makes no entry. A cell with no conducting face has diagonal 1.
template <class Conductance>
Assembled finite_volumes(int dimensions, std::int64_t n, const Conductance& conductance) {
  const std::int64_t layers = dimensions == 3 ? n : 1, cells = n * n * layers;
  const std::array<std::int64_t, 3> step{1, n, n * n}, extent{n, n, layers};
  Assembled system;
  system.columns = cells;
  system.rows.reserve(static_cast<std::size_t>(cells));
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < cells; ++i) {
    const Cell cell{i % n, i / n % n, i / n / n};
    row.clear();
    const std::size_t begin = system.values.size();
    double diagonal = 0;
    const auto face = [&](std::size_t axis, int side) {
      const double conducts = conductance(cell, static_cast<int>(axis), side);
      diagonal += conducts;
      const std::int64_t next = cell[axis] + side;
      if (conducts == 0 || next < 0 || next >= extent[axis]) return;
      row.push_back(i + side * step[axis]);
      system.values.push_back(-conducts);
    };
    for (int axis = dimensions - 1; axis >= 0; --axis) face(static_cast<std::size_t>(axis), -1);
    const std::size_t before = row.size();
    for (int axis = 0; axis < dimensions; ++axis) face(static_cast<std::size_t>(axis), 1);
    row.insert(row.begin() + static_cast<std::ptrdiff_t>(before), i);
    system.values.insert(system.values.begin() + static_cast<std::ptrdiff_t>(begin + before),
                         diagonal == 0 ? 1 : diagonal);
    system.rows.push_back(row);
  }
  return system;
}

/// 26 on the diagonal and -1 for each neighbour, including those across edges and corners: the
/// system of HPCG.
inline Assembled with_27_points(Pattern grid) {
  Assembled system{std::move(grid), {}, {}, 0};
  for (std::size_t i = 0; i < system.rows.size(); ++i) {
    for (const std::int32_t j : system.rows[i]) {
      system.values.push_back(static_cast<std::size_t>(j) == i ? 26 : -1);
    }
  }
  return system;
}

/// Anisotropy: layers along one axis are coupled to each other with the factor `weak`.
inline Assembled weak_direction(std::int64_t n, double weak) {
  return finite_volumes(3, n, [&](const Cell&, int axis, int) { return axis == 2 ? weak : 1; });
}

/// Bilinear elements on a square with N x N free nodes, and values 0 around them. They conduct by 1
/// along the direction at `degrees` from the first axis, and by `weak` across it.
inline Assembled rotated_anisotropy(std::int64_t n, double degrees, double weak) {
  const double angle = degrees * 3.141592653589793 / 180, c = std::cos(angle), s = std::sin(angle);
  const double xx = c * c + weak * s * s, yy = s * s + weak * c * c, xy = (1 - weak) * c * s;
  // Integrals over a line of two linear functions, of their derivatives, and of one of each.
  const double both[] = {1 / 6.0, 4 / 6.0, 1 / 6.0}, slopes[] = {-1, 2, -1},
               mixed[] = {-0.5, 0, 0.5};
  Assembled system;
  system.columns = n * n;
  std::vector<std::int64_t> row;
  for (std::int64_t i = 0; i < n * n; ++i) {
    row.clear();
    for (int step = 0; step < 9; ++step) {
      const int dx = step % 3, dy = step / 3;
      const std::int64_t x = i % n + dx - 1, y = i / n + dy - 1;
      if (x < 0 || x >= n || y < 0 || y >= n) continue;
      row.push_back(y * n + x);
      system.values.push_back(xx * slopes[dx] * both[dy] + yy * both[dx] * slopes[dy] -
                              2 * xy * mixed[dx] * mixed[dy]);
    }
    system.rows.push_back(row);
  }
  return system;
}

/// No flux through outer faces: constants are in the nullspace.
inline Assembled insulated(std::int64_t n) {
  return finite_volumes(3, n, [&](const Cell& cell, int axis, int side) {
    const std::int64_t next = cell[static_cast<std::size_t>(axis)] + side;
    return next < 0 || next >= n ? 0 : 1;
  });
}

/// Boxes of 8 x 8 x 8 cells conduct by 1 or by `jump`, at random; a face by the harmonic mean.
inline Assembled jumping_coefficients(std::int64_t n, double jump, Random& random) {
  const std::int64_t boxes = (n + 7) / 8;
  std::vector<double> of_box(static_cast<std::size_t>(boxes * boxes * boxes));
  for (double& coefficient : of_box) coefficient = random.below(2) == 0 ? 1 : jump;
  const auto at = [&](const Cell& cell) {
    return of_box[static_cast<std::size_t>(((cell[2] / 8) * boxes + cell[1] / 8) * boxes +
                                           cell[0] / 8)];
  };
  return finite_volumes(3, n, [&](const Cell& cell, int axis, int side) {
    Cell next = cell;
    std::int64_t& along = next[static_cast<std::size_t>(axis)];
    along = std::clamp<std::int64_t>(along + side, 0, n - 1);
    const double here = at(cell), there = at(next);
    return here == there ? here : 2 / (1 / here + 1 / there);
  });
}

/// An insulated sphere is in the middle of the grid. A face that it cuts conducts about in
/// proportion to its remaining area, which may be tiny.
inline Assembled cut_faces(std::int64_t n) {
  const double radius = 0.3 * static_cast<double>(n);
  const std::array<double, 3> centre{0.5 * static_cast<double>(n), 0.47 * static_cast<double>(n),
                                     0.45 * static_cast<double>(n)};
  return finite_volumes(3, n, [&](const Cell& cell, int axis, int side) {
    double square = 0;
    for (int d = 0; d < 3; ++d) {
      const auto at = static_cast<std::size_t>(d);
      // The coordinate of the lower cell's upper face, so that both cells use the same number.
      const auto corner = static_cast<double>(cell[at] + (d == axis && side > 0 ? 1 : 0));
      const double offset = corner + (d == axis ? 0 : 0.5) - centre[at];
      square += offset * offset;
    }
    return std::clamp(std::sqrt(square) - radius + 0.5, 0.0, 1.0);
  });
}

/// Diffusion by 1 and convection along (1, 1/2, 1/4) that carries `flow` through a face, upwind:
/// not symmetric, with zero row sums in the interior.
inline Assembled upwind(std::int64_t n, double flow) {
  return finite_volumes(3, n, [&](const Cell&, int axis, int side) {
    return side < 0 ? 1 + flow / static_cast<double>(1 << axis) : 1;
  });
}

/// The Laplacian of N x N cells less `shift`, symmetric and indefinite: of its eigenvalues, which
/// reach from about 20 / N^2 to 8, those below the shift become negative.
inline Assembled shifted_laplacian(std::int64_t n, double shift) {
  Assembled system = finite_volumes(2, n, [](const Cell&, int, int) { return 1; });
  for (double& value : system.values) {
    if (value > 0) value -= shift;
  }
  return system;
}

/// Poisson's equation of N x N cells in mixed form, a symmetric saddle point: the flux through each
/// face, by 1 times the difference of both cells' pressures, then the cells, whose fluxes add up.
/// The diagonal of the N^2 cells is zero and not stored; there are 3 N^2 + 2 N rows.
inline Assembled mixed_poisson(std::int64_t n) {
  const std::int64_t across = n * (n + 1), faces = 2 * across;
  Assembled system;
  system.columns = faces + n * n;
  std::vector<std::int64_t> row;
  const auto add = [&](std::int64_t column, double value) {
    row.push_back(column);
    system.values.push_back(value);
  };
  const auto end_row = [&] {
    system.rows.push_back(row);
    row.clear();
  };
  for (std::int64_t face = 0; face < faces; ++face) {
    const bool vertical = face < across;
    const std::int64_t k = vertical ? face : face - across;
    const std::int64_t x = vertical ? k % (n + 1) : k % n, y = vertical ? k / (n + 1) : k / n;
    const std::int64_t along = vertical ? x : y, upper = faces + y * n + x;
    add(face, 1);
    if (along > 0) add(upper - (vertical ? 1 : n), -1);
    if (along < n) add(upper, 1);
    end_row();
  }
  for (std::int64_t cell = 0; cell < n * n; ++cell) {
    const std::int64_t x = cell % n, y = cell / n;
    add(y * (n + 1) + x, 1);
    add(y * (n + 1) + x + 1, -1);
    add(across + y * n + x, 1);
    add(across + (y + 1) * n + x, -1);
    end_row();
  }
  return system;
}

/// 24 x 24 stiffness matrix of the trilinear unit cube: Young's modulus 1, Poisson's ratio 0.3.
/// Corner c is at (c & 1, c >> 1 & 1, c >> 2).
using ElementStiffness = std::array<std::array<double, 24>, 24>;
inline ElementStiffness element_stiffness() {
  constexpr double poisson = 0.3;
  const double lambda = poisson / ((1 + poisson) * (1 - 2 * poisson)), mu = 0.5 / (1 + poisson);
  const double places[] = {0.5 - 0.5 / std::sqrt(3.0), 0.5 + 0.5 / std::sqrt(3.0)};
  ElementStiffness stiffness{};
  for (int point = 0; point < 8; ++point) {
    double gradient[8][3];
    for (int corner = 0; corner < 8; ++corner) {
      for (int d = 0; d < 3; ++d) {
        gradient[corner][d] = 1;
        for (int e = 0; e < 3; ++e) {
          const double at = places[point >> e & 1];
          const bool upper = (corner >> e & 1) != 0;
          gradient[corner][d] *= d == e ? (upper ? 1 : -1) : (upper ? at : 1 - at);
        }
      }
    }
    for (std::size_t row = 0; row < 24; ++row) {
      for (std::size_t column = row; column < 24; ++column) {
        const double* const a = gradient[row / 3];
        const double* const b = gradient[column / 3];
        const std::size_t k = row % 3, l = column % 3;
        double sum = lambda * a[k] * b[l] + mu * a[l] * b[k];
        if (k == l) sum += mu * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        stiffness[row][column] += sum / 8;
      }
    }
  }
  for (std::size_t row = 0; row < 24; ++row) {
    for (std::size_t column = 0; column < row; ++column) {
      stiffness[row][column] = stiffness[column][row];
    }
  }
  return stiffness;
}

/// A cube of N x (N - 1) x (N - 1) trilinear elements, fixed at the face where the first coordinate
/// is 0: N^3 free nodes with three displacements each.
inline Assembled elastic_cube(std::int64_t n) {
  const ElementStiffness element = element_stiffness();
  Assembled system;
  system.columns = 3 * n * n * n;
  system.dimensions = 3;
  system.rows.reserve(static_cast<std::size_t>(system.columns));
  std::vector<std::int64_t> columns;
  for (std::int64_t node = 0; node < n * n * n; ++node) {
    const Cell at{node % n + 1, node / n % n, node / n / n};
    for (const std::int64_t place : at) system.coordinates.push_back(static_cast<double>(place));
    double blocks[27][3][3] = {};
    for (int around = 0; around < 8; ++around) {  // the element whose corner 7 - around is the node
      const Cell first{at[0] - 1 + (around & 1), at[1] - 1 + (around >> 1 & 1),
                       at[2] - 1 + (around >> 2)};
      if (first[0] < 0 || first[0] >= n || first[1] < 0 || first[1] >= n - 1 || first[2] < 0 ||
          first[2] >= n - 1) {
        continue;
      }
      for (int corner = 0; corner < 8; ++corner) {
        const int place = ((around >> 2) + (corner >> 2)) * 9 +
                          ((around >> 1 & 1) + (corner >> 1 & 1)) * 3 + (around & 1) + (corner & 1);
        for (int k = 0; k < 3; ++k) {
          for (int l = 0; l < 3; ++l) {
            blocks[place][k][l] += element[static_cast<std::size_t>(3 * (7 - around) + k)]
                                          [static_cast<std::size_t>(3 * corner + l)];
          }
        }
      }
    }
    for (int k = 0; k < 3; ++k) {
      columns.clear();
      for (int place = 0; place < 27; ++place) {
        const Cell to{at[0] + place % 3 - 1, at[1] + place / 3 % 3 - 1, at[2] + place / 9 - 1};
        if (to[0] < 1 || to[0] > n || to[1] < 0 || to[1] >= n || to[2] < 0 || to[2] >= n) continue;
        for (int l = 0; l < 3; ++l) {
          columns.push_back(3 * ((to[2] * n + to[1]) * n + to[0] - 1) + l);
          system.values.push_back(blocks[place][k][l]);
        }
      }
      system.rows.push_back(columns);
    }
  }
  return system;
}

}  // namespace heddle::test
