// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finite volumes over a grid from which a sphere is cut out.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "rows.hpp"

namespace heddle::test {

/// N x N x N cells around a sphere: a cell is outside it, cut by it, or covered. All numbers are
/// integers, so that the grid is the same everywhere.
class CutCells {
 public:
  using Cell = std::array<std::int64_t, 3>;
  enum class Kind { outside, cut, covered };

  explicit CutCells(std::int64_t n) : n_(n) {}

  std::int64_t count() const { return n_ * n_ * n_; }
  std::int64_t index(const Cell& cell) const { return (cell[2] * n_ + cell[1]) * n_ + cell[0]; }
  Cell cell(std::int64_t index) const { return {index % n_, index / n_ % n_, index / n_ / n_}; }
  bool exists(const Cell& cell) const {
    return std::all_of(cell.begin(), cell.end(),
                       [&](std::int64_t at) { return at >= 0 && at < n_; });
  }

  Kind kind(const Cell& cell) const {
    Cell end = cell;
    for (std::int64_t& at : end) ++at;
    if (!reaches(cell, end)) return Kind::outside;
    std::int64_t farthest = 0;
    for (int d = 0; d < 3; ++d) {
      const std::int64_t far = std::max(std::abs(offset(cell, d)), std::abs(offset(end, d)));
      farthest += far * far;
    }
    return farthest <= radius() * radius() ? Kind::covered : Kind::cut;
  }

  /// Whether the sphere cuts the face of a cell towards `side` (-1 or 1) along an axis.
  bool cuts_face(const Cell& cell, int axis, int side) const {
    Cell begin = cell, end = cell;
    for (std::int64_t& at : end) ++at;
    const auto a = static_cast<std::size_t>(axis);
    begin[a] = end[a] = cell[a] + (side > 0 ? 1 : 0);
    return reaches(begin, end);
  }

  /// Direction away from the centre of the sphere, along one axis: -1 or 1.
  int outward(const Cell& cell, int axis) const {
    return 2 * offset(cell, axis) + unit >= 0 ? 1 : -1;
  }
  /// The axis that the sphere's normal follows most closely.
  int normal_axis(const Cell& cell) const {
    int axis = 0;
    for (int d = 1; d < 3; ++d) {
      if (std::abs(2 * offset(cell, d) + unit) > std::abs(2 * offset(cell, axis) + unit)) axis = d;
    }
    return axis;
  }

 private:
  // A cell is `unit` wide. The centre differs from that of the grid: no two octants are cut alike.
  static constexpr std::int64_t unit = 100;
  static constexpr Cell centre_percent{50, 47, 45};
  static constexpr std::int64_t radius_percent = 30;

  std::int64_t radius() const { return radius_percent * n_; }
  /// Distance of a corner from the centre, along an axis.
  std::int64_t offset(const Cell& corner, int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return unit * corner[a] - centre_percent[a] * n_;
  }
  /// Whether the point of a box that is nearest to the centre is inside the sphere.
  bool reaches(const Cell& begin, const Cell& end) const {
    std::int64_t nearest = 0;
    for (int d = 0; d < 3; ++d) {
      const std::int64_t near =
          std::max<std::int64_t>({offset(begin, d), -offset(end, d), std::int64_t{0}});
      nearest += near * near;
    }
    return nearest < radius() * radius();
  }

  std::int64_t n_;
};

/// The couplings of an embedded boundary (Johansen, Colella 1998; in three dimensions Schwartz,
/// Barad, Colella, Ligocki 2006). A cell has its six neighbours. The flux through a cut face is
/// interpolated from the adjacent faces, away from the sphere, in the rows of both cells that share
/// it, so that the flux out of one enters the other. The gradient of a cut cell at the sphere uses
/// nine cells in each of the next two planes along the normal. Nothing is coupled to covered cells,
/// whose rows have their diagonal alone, or are empty.
inline Pattern cut_cells(std::int64_t n, bool covered_diagonal) {
  using Cell = CutCells::Cell;
  using Kind = CutCells::Kind;
  const CutCells cells(n);
  RowWriter writer(cells.count(), cells.count());
  const auto couple = [&](const Cell& to) {
    if (cells.exists(to) && cells.kind(to) != Kind::covered) writer.add(cells.index(to));
  };
  const auto moved = [](Cell cell, int axis, int by) {
    cell[static_cast<std::size_t>(axis)] += by;
    return cell;
  };
  for (std::int64_t row = 0; row < cells.count(); ++row) {
    const Cell cell = cells.cell(row);
    const Kind kind = cells.kind(cell);
    if (kind != Kind::covered || covered_diagonal) writer.add(row);
    if (kind != Kind::covered) {
      for (int axis = 0; axis < 3; ++axis) {
        const int u = (axis + 1) % 3, v = (axis + 2) % 3;
        for (const int side : {-1, 1}) {
          const Cell next = moved(cell, axis, side);
          couple(next);
          if (!cells.exists(next) || cells.kind(next) == Kind::covered) continue;
          if (!cells.cuts_face(cell, axis, side)) continue;
          for (const Cell& one : {cell, next}) {
            const Cell aside = moved(one, u, cells.outward(cell, u));
            couple(aside);
            couple(moved(one, v, cells.outward(cell, v)));
            couple(moved(aside, v, cells.outward(cell, v)));
          }
        }
      }
    }
    if (kind == Kind::cut) {
      const int axis = cells.normal_axis(cell);
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (int plane = 1; plane <= 2; ++plane) {
        const Cell ahead = moved(cell, axis, plane * cells.outward(cell, axis));
        for (int du = -1; du <= 1; ++du) {
          for (int dv = -1; dv <= 1; ++dv) couple(moved(moved(ahead, u, du), v, dv));
        }
      }
    }
    writer.end_row();
  }
  return writer.take();
}

}  // namespace heddle::test
