// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/error.hpp"
#include "generate/amg.hpp"
#include "generate/cutcell.hpp"
#include "generate/irregular.hpp"
#include "generate/levels.hpp"
#include "generate/rows.hpp"
#include "generate/systems.hpp"
#include "random.hpp"

namespace heddle::test {

namespace {

constexpr std::int64_t most_indices = std::numeric_limits<std::int32_t>::max();

/// The numbers after the colon, with defaults for missing ones.
class Arguments {
 public:
  Arguments(const std::string& text, const Generator& generator) : generator_(generator) {
    const std::size_t colon = text.find(':');
    std::size_t begin = colon == std::string::npos ? text.size() : colon + 1;
    while (begin < text.size()) {
      const std::size_t end = std::min(text.find(',', begin), text.size());
      numbers_.push_back(number(text.substr(begin, end - begin)));
      begin = end + 1;
    }
  }

  std::int64_t at(std::size_t i, std::int64_t fallback, std::int64_t least, std::int64_t most) {
    used_ = std::max(used_, i + 1);
    const std::int64_t value = i < numbers_.size() ? numbers_[i] : fallback;
    if (value < least || value > most) {
      fail("argument " + std::to_string(i + 1) + " is " + std::to_string(value) + ", not within " +
           std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

  void finish() const {
    if (numbers_.size() > used_) fail("it has at most " + std::to_string(used_) + " numbers");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error("generator " + generator_.name + ": " + why,
                "write " + generator_.name + ":" + generator_.arguments);
  }

 private:
  std::int64_t number(const std::string& text) const {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);  // so that 1e6 works
    if (text.empty() || *end != '\0' || !(std::abs(value) < 9e15) || value != std::floor(value)) {
      fail("\"" + text + "\" is not a whole number");
    }
    return static_cast<std::int64_t>(value);
  }

  const Generator& generator_;
  std::vector<std::int64_t> numbers_;
  std::size_t used_ = 0;
};

Pattern grid(int dimensions, std::int64_t n, bool diagonal_neighbours) {
  const std::int64_t layers = dimensions == 3 ? n : 1;
  const int reach_z = dimensions == 3 ? 1 : 0;
  RowWriter writer(n * n * layers, n * n * layers);
  for (std::int64_t row = 0; row < n * n * layers; ++row) {
    const std::int64_t x = row % n, y = row / n % n, z = row / n / n;
    for (int dz = -reach_z; dz <= reach_z; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const int steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
          const bool inside = x + dx >= 0 && x + dx < n && y + dy >= 0 && y + dy < n &&
                              z + dz >= 0 && z + dz < layers;
          if (inside && (diagonal_neighbours || steps <= 1)) {
            writer.add(row + (dz * n + dy) * n + dx);
          }
        }
      }
    }
    writer.end_row();
  }
  return writer.take();
}

Pattern grid2d(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 1000, 1, 40000);
  const std::int64_t points = args.at(1, 5, 5, 9);
  if (points != 5 && points != 9) args.fail("the stencil has 5 or 9 points");
  return grid(2, n, points == 9);
}

Pattern grid3d(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  const std::int64_t points = args.at(1, 7, 7, 27);
  if (points != 7 && points != 27) args.fail("the stencil has 7 or 27 points");
  return grid(3, n, points == 27);
}

Pattern amg(Arguments& args, Random&) {
  const std::int64_t level = args.at(0, 1, 0, 6);
  const std::int64_t n = args.at(1, 100, 1, 300);
  WeightedPattern A = laplacian(grid(3, n, false));
  for (std::int64_t l = 0; l < level; ++l) A = coarsened(A);
  return std::move(A.pattern);
}

Pattern cutcell(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  return cut_cells(n, args.at(1, 1, 0, 1) == 1);
}

Pattern diagonal(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 1000000, 0, most_indices);
  const std::int64_t count = args.at(1, 1, 1, std::max<std::int64_t>(1, rows));
  std::vector<std::int64_t> offsets{0};
  while (static_cast<std::int64_t>(offsets.size()) < count) {
    offsets.push_back(random.below(2 * rows - 1) - (rows - 1));
  }
  RowWriter writer(rows, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (const std::int64_t offset : offsets) writer.add(row + offset);
    writer.end_row();
  }
  return writer.take();
}

Pattern banded(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 400000, 1, most_indices);
  const std::int64_t half = args.at(1, 200, 0, most_indices);
  const std::int64_t per_row = args.at(2, 12, 1, most_indices);
  RowWriter writer(rows, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    writer.add(row);
    for (std::int64_t k = 1; k < per_row; ++k) writer.add(row + random.below(2 * half + 1) - half);
    writer.end_row();
  }
  return writer.take();
}

Pattern uniform(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 1000000, 0, most_indices);
  const std::int64_t per_row = args.at(1, 8, 0, most_indices);
  const std::int64_t columns = args.at(2, std::max<std::int64_t>(1, rows), 1, most_indices);
  RowWriter writer(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t k = 0; k < per_row; ++k) writer.add(random.below(columns));
    writer.end_row();
  }
  return writer.take();
}

/// Recursive matrix (R-MAT; Chakrabarti, Zhan, Faloutsos 2004): each edge falls recursively into
/// one of four quadrants, with probabilities 0.57, 0.19, 0.19, 0.05.
Pattern rmat(Arguments& args, Random& random) {
  const std::int64_t scale = args.at(0, 18, 0, 30);
  const std::int64_t per_row = args.at(1, 16, 0, 4096);
  const std::int64_t rows = std::int64_t{1} << scale;
  std::vector<std::pair<std::int32_t, std::int32_t>> edges(
      static_cast<std::size_t>(rows * per_row));
  for (auto& [row, column] : edges) {
    for (std::int64_t bit = 0; bit < scale; ++bit) {
      const double draw = random.unit();
      row = row * 2 + (draw >= 0.76 ? 1 : 0);
      column = column * 2 + ((draw >= 0.57 && draw < 0.76) || draw >= 0.95 ? 1 : 0);
    }
  }
  std::sort(edges.begin(), edges.end());
  RowWriter writer(rows, rows);
  std::size_t next = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (; next < edges.size() && edges[next].first == row; ++next) writer.add(edges[next].second);
    writer.end_row();
  }
  return writer.take();
}

/// Like a circuit: short rows of near neighbours, and a few rows (supply nets) with a large share
/// of all columns, each a third as many as the one before.
Pattern hub(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 600000, 2, most_indices);
  const std::int64_t hubs = args.at(1, 6, 0, rows);
  std::vector<std::int64_t> length(static_cast<std::size_t>(rows), 0);
  double share = 0.5;
  for (std::int64_t h = 0; h < hubs; ++h, share /= 3) {
    auto& at = length[static_cast<std::size_t>(random.below(rows))];
    at = std::max(at, static_cast<std::int64_t>(share * static_cast<double>(rows)));
  }
  RowWriter writer(rows, rows);
  for (std::int64_t row = 0; row < rows; ++row) {
    writer.add(row);
    const std::int64_t reach = 1 + static_cast<std::int64_t>(-30 * std::log1p(-random.unit()));
    for (std::int64_t k = 2 + random.below(5); k > 0; --k) {
      writer.add(row + random.below(2 * reach + 1) - reach);
    }
    if (random.unit() < 0.2) writer.add(random.below(rows));
    for (std::int64_t k = length[static_cast<std::size_t>(row)]; k > 0; --k) {
      writer.add(random.below(rows));
    }
    writer.end_row();
  }
  return writer.take();
}

/// Like the constraints of a linear program: few rows, many columns, row lengths over decades.
Pattern rectangular(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 4000, 1, most_indices);
  const std::int64_t columns = args.at(1, 1000000, 1, most_indices);
  const std::int64_t mean = args.at(2, 4000, 0, columns);
  RowWriter writer(rows, columns);
  constexpr double spread = 1.5;  // of the logarithm, whose mean is shifted so that `mean` is kept
  for (std::int64_t row = 0; row < rows; ++row) {
    const double radius = std::sqrt(-2 * std::log1p(-random.unit()));
    const double normal = radius * std::cos(6.283185307179586 * random.unit());
    const double drawn =
        static_cast<double>(mean) * std::exp(spread * normal - spread * spread / 2);
    const auto length = static_cast<std::int64_t>(std::min(drawn, static_cast<double>(columns)));
    for (std::int64_t k = 0; k < length; ++k) writer.add(random.below(columns));
    writer.end_row();
  }
  return writer.take();
}

Pattern irregular_rows(Arguments& args, Random& random) {
  const auto share = [&args](std::size_t at, std::int64_t fallback, std::int64_t most,
                             double whole) {
    return static_cast<double>(args.at(at, fallback, 0, most)) / whole;
  };
  Irregular of;
  of.rows = args.at(0, 100000, 1, most_indices);
  of.mean = args.at(1, 16, 0, most_indices);
  of.variation = share(2, 0, 1000, 100);
  of.longest = share(3, 1, most_indices, 1);
  of.band = share(4, 1000, 1000, 1000);
  of.run = args.at(5, 1, 1, most_indices);
  of.same = share(6, 0, 100, 100);
  return irregular(of, random);
}

Pattern levels(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 100000, 1, most_indices);
  return leveled_triangle(
      {rows, args.at(1, 100, 1, rows), args.at(2, 2, 1, most_indices),
       args.at(3, 1, 1, most_indices), 0.01 * static_cast<double>(args.at(4, 0, 0, 100)),
       args.at(5, 0, 0, rows)},
      random);
}

Pattern hypersparse(Arguments& args, Random& random) {
  const std::int64_t rows = args.at(0, 2000000, 1, most_indices);
  const std::int64_t nonzeros = args.at(1, 300000, 0, most_indices);
  std::vector<std::int64_t> places(static_cast<std::size_t>(nonzeros));
  for (auto& place : places) place = random.below(rows);
  std::sort(places.begin(), places.end());
  RowWriter writer(rows, rows);
  std::size_t next = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (; next < places.size() && places[next] == row; ++next) writer.add(random.below(rows));
    writer.end_row();
  }
  return writer.take();
}

Pattern dense(Arguments& args, Random&) {
  const std::int64_t rows = args.at(0, 2000, 0, most_indices);
  const std::int64_t columns = args.at(1, std::max<std::int64_t>(1, rows), 1, most_indices);
  RowWriter writer(rows, columns);
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) writer.add(column);
    writer.end_row();
  }
  return writer.take();
}

Assembled poisson2d(Arguments& args, Random&) {
  return finite_volumes(2, args.at(0, 1000, 1, 40000), [](const Cell&, int, int) { return 1; });
}

Assembled poisson3d(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  const std::int64_t points = args.at(1, 7, 7, 27);
  if (points != 7 && points != 27) args.fail("the stencil has 7 or 27 points");
  if (points == 27) return with_27_points(grid(3, n, true));
  return finite_volumes(3, n, [](const Cell&, int, int) { return 1; });
}

Assembled anisotropic(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  return weak_direction(n, 0.01 * static_cast<double>(args.at(1, 1, 0, 100)));
}

Assembled rotated(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 300, 1, 40000);
  const auto degrees = static_cast<double>(args.at(1, 45, -360, 360));
  return rotated_anisotropy(n, degrees, std::pow(10, -args.at(2, 3, 0, 12)));
}

Assembled jumps(Arguments& args, Random& random) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  return jumping_coefficients(n, std::pow(10, args.at(1, 6, 0, 12)), random);
}

Assembled cutfaces(Arguments& args, Random&) { return cut_faces(args.at(0, 100, 1, 1200)); }

Assembled convection(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 1200);
  return upwind(n, 0.01 * static_cast<double>(args.at(1, 100, 0, 100000)));
}

Assembled helmholtz(Arguments& args, Random&) {
  const std::int64_t n = args.at(0, 100, 1, 40000);
  return shifted_laplacian(n, 0.001 * static_cast<double>(args.at(1, 50, 0, 3999)));
}

Assembled mixed(Arguments& args, Random&) { return mixed_poisson(args.at(0, 100, 1, 20000)); }

Assembled neumann(Arguments& args, Random&) { return insulated(args.at(0, 100, 1, 1200)); }

Assembled elasticity(Arguments& args, Random&) { return elastic_cube(args.at(0, 40, 2, 800)); }

/// A generator; one of the two functions makes it.
struct Entry {
  Generator generator;
  Pattern (*make)(Arguments&, Random&) = nullptr;
  Assembled (*assemble)(Arguments&, Random&) = nullptr;
};

const std::vector<Entry>& entries() {
  static const std::vector<Entry> list = {
      {{"grid2d", "N[,5|9]", "N x N grid, 5- or 9-point stencil"}, grid2d},
      {{"grid3d", "N[,7|27]", "N x N x N grid, 7- or 27-point stencil"}, grid3d},
      {{"amg", "LEVEL[,N]", "an N x N x N Poisson problem, coarsened LEVEL times"}, amg},
      {{"cutcell", "N[,0|1]", "N x N x N cells about a sphere; entries of a covered row"}, cutcell},
      {{"banded", "ROWS,HALF,PER_ROW", "PER_ROW entries at random, at most HALF off the diagonal"},
       banded},
      {{"diagonal", "ROWS[,COUNT]", "the main and COUNT - 1 other whole diagonals"}, diagonal},
      {{"random", "ROWS,PER_ROW[,COLUMNS]", "PER_ROW entries a row, anywhere"}, uniform},
      {{"rmat", "SCALE[,PER_ROW]", "power law, 2^SCALE rows of PER_ROW entries on average"}, rmat},
      {{"hub", "ROWS[,HUBS]", "like a circuit: short rows and HUBS huge ones"}, hub},
      {{"rectangular", "ROWS,COLUMNS,MEAN", "row lengths that vary by decades about MEAN"},
       rectangular},
      {{"irregular", "ROWS,MEAN[,VARIATION%,LONGEST,BAND/1000,RUN,SAME%]",
        "rows of any unevenness, scatter and likeness"},
       irregular_rows},
      {{"levels", "ROWS,LEVELS[,NEEDED,DISTANCE,TAPER%,HUBS]",
        "a lower triangle of so many levels, which a row needs NEEDED others of"},
       levels},
      {{"hypersparse", "ROWS,NONZEROS", "most rows are empty"}, hypersparse},
      {{"dense", "ROWS[,COLUMNS]", "every entry"}, dense},
      {{"poisson2d", "N", "with values: Poisson's equation, N x N cells"}, nullptr, poisson2d},
      {{"poisson3d", "N[,7|27]", "with values: N x N x N, 7 points, or HPCG's 27"},
       nullptr,
       poisson3d},
      {{"anisotropic", "N[,PERCENT]", "the same, PERCENT (1) of it along one direction"},
       nullptr,
       anisotropic},
      {{"rotated", "N[,DEGREES,DECADES]",
        "with values: N x N bilinear elements, 10^-DECADES (3) across a direction at DEGREES (45)"},
       nullptr,
       rotated},
      {{"jumps", "N[,DECADES]", "the same, boxes of 8 x 8 x 8 conduct by 1 or 10^DECADES (6)"},
       nullptr,
       jumps},
      {{"cutfaces", "N", "the same, a sphere cut out, symmetric"}, nullptr, cutfaces},
      {{"neumann", "N", "the same, insulated: singular"}, nullptr, neumann},
      {{"convection", "N[,PERCENT]", "the same with a flow, PERCENT (100) of diffusion a cell"},
       nullptr,
       convection},
      {{"helmholtz", "N[,SHIFT/1000]", "poisson2d less SHIFT (50): symmetric and indefinite"},
       nullptr,
       helmholtz},
      {{"mixed", "N", "with values: a saddle point, fluxes and pressures of N x N cells"},
       nullptr,
       mixed},
      {{"elasticity", "N", "with values: a cube of trilinear elements with N x N x N free nodes"},
       nullptr,
       elasticity},
  };
  return list;
}

}  // namespace

const std::vector<Generator>& generators() {
  static const std::vector<Generator> list = [] {
    std::vector<Generator> all;
    for (const auto& entry : entries()) all.push_back(entry.generator);
    return all;
  }();
  return list;
}

Assembled generate_system(const std::string& text, std::uint64_t seed) {
  const std::string name = text.substr(0, text.find(':'));
  std::string known;
  for (const auto& entry : entries()) {
    known += (known.empty() ? "" : ", ") + entry.generator.name;
    if (entry.generator.name != name) continue;
    Arguments arguments(text, entry.generator);
    Random random(seed);
    Assembled made = entry.assemble ? entry.assemble(arguments, random)
                                    : Assembled{entry.make(arguments, random), {}, {}, 0};
    arguments.finish();
    made.name = text;
    return made;
  }
  throw Error("\"" + name + "\" is no generator", "use one of " + known);
}

Pattern generate(const std::string& text, std::uint64_t seed) {
  return generate_system(text, seed);
}

}  // namespace heddle::test
