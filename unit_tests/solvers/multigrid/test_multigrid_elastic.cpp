// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elastic bodies: lattices of springs, whose rigid body motions need no energy.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

#include "../../../solvers/multigrid/level.hpp"
#include "../../../testing/generate/systems.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Plan = MultigridOf<Exec, double>;

struct Body {
  PlainOperator<Exec, double> matrix;
  Kokkos::View<double**, Space> coordinates;
};

/// Springs between neighbours of a lattice, also diagonal ones. `held`: springs to the ground at x
/// = 0. The body is long in x.
Body lattice(int side, int dimensions, double held) {
  using Block = std::map<int, std::vector<double>>;
  const int length = 2 * side, depth = dimensions == 3 ? side : 1;
  const int nodes = length * side * depth;
  std::vector<Block> rows(static_cast<std::size_t>(nodes));
  const auto d = static_cast<std::size_t>(dimensions);
  Body body;
  body.coordinates = Kokkos::View<double**, Space>("heddle::test::coordinates",
                                                   static_cast<std::size_t>(nodes), d);
  const auto places = Kokkos::create_mirror_view(body.coordinates);
  const auto of = [&](int i, int j) -> std::vector<double>& {
    return rows[static_cast<std::size_t>(i)].try_emplace(j, d * d, 0.0).first->second;
  };
  for (int i = 0; i < nodes; ++i) {
    const int at[3] = {i % length, i / length % side, i / length / side};
    for (std::size_t k = 0; k < d; ++k) places(static_cast<std::size_t>(i), k) = 7 + 0.5 * at[k];
    for (std::size_t k = 0; k < d; ++k) of(i, i)[k * d + k] += at[0] == 0 ? held : 0.0;
    for (int step = 0; step < 27; ++step) {
      const int to[3] = {at[0] + step % 3 - 1, at[1] + step / 3 % 3 - 1, at[2] + step / 9 - 1};
      const int across =
          std::abs(step % 3 - 1) + std::abs(step / 3 % 3 - 1) + std::abs(step / 9 - 1);
      if (across == 0 || across > 2) continue;
      if (to[0] < 0 || to[0] >= length || to[1] < 0 || to[1] >= side || to[2] < 0 ||
          to[2] >= depth) {
        continue;
      }
      const int j = (to[2] * side + to[1]) * length + to[0];
      for (std::size_t k = 0; k < d; ++k) {
        for (std::size_t l = 0; l < d; ++l) {
          const double stiffness = static_cast<double>((to[k] - at[k]) * (to[l] - at[l])) / across;
          of(i, i)[k * d + l] += stiffness;
          of(i, j)[k * d + l] -= stiffness;
        }
      }
    }
  }
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values;
  for (const Block& row : rows) {
    for (std::size_t k = 0; k < d; ++k) {
      for (const auto& [j, block] : row) {
        for (std::size_t l = 0; l < d; ++l) {
          col_idx.push_back(j * dimensions + static_cast<int>(l));
          values.push_back(block[k * d + l]);
        }
      }
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
  }
  Kokkos::deep_copy(body.coordinates, places);
  body.matrix = plain_operator<Exec>(row_ptr, col_idx, values);
  return body;
}

/// A cube of trilinear elements, held at one face.
Body elastic(int side) {
  const Assembled cube = elastic_cube(side);
  Body body;
  std::vector<int> row_ptr, col_idx;
  for (const auto offset : cube.rows.row_ptr()) row_ptr.push_back(static_cast<int>(offset));
  for (const auto column : cube.rows.col_idx()) col_idx.push_back(column);
  body.matrix = plain_operator<Exec>(row_ptr, col_idx, cube.values);
  const auto nodes = cube.coordinates.size() / 3;
  body.coordinates = Kokkos::View<double**, Space>("heddle::test::coordinates", nodes, 3);
  const auto places = Kokkos::create_mirror_view(body.coordinates);
  for (std::size_t i = 0; i < nodes; ++i) {
    for (std::size_t k = 0; k < 3; ++k) places(i, k) = cube.coordinates[3 * i + k];
  }
  Kokkos::deep_copy(body.coordinates, places);
  return body;
}

using Block = std::array<std::array<double, 3>, 3>;

/// D A D' and D^-T v of each vector v, with a dense block D for each node.
template <class Vectors>
std::pair<PlainOperator<Exec, double>, Vectors> in_other_unknowns(
    const PlainOperator<Exec, double>& a, const Vectors& vectors,
    const std::function<Block(int)>& block_of,
    const std::function<Block(int)>& inverse_transposed_of) {
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  const auto from = to_host(a.values);
  std::vector<double> to(from.extent(0));
  const auto rows = static_cast<std::size_t>(a.n);
  for (std::size_t node = 0; node < rows / 3; ++node) {
    const Block D = block_of(static_cast<int>(node));
    const auto begin = [&](std::size_t r) {
      return static_cast<std::size_t>(row_ptr(3 * node + r));
    };
    for (std::size_t k = 0; k < begin(1) - begin(0); k += 3) {
      const Block other = block_of(col_idx(begin(0) + k) / 3);
      for (std::size_t r = 0; r < 3; ++r) {
        for (std::size_t c = 0; c < 3; ++c) {
          double sum = 0;
          for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j)
              sum += D[r][i] * from(begin(i) + k + j) * other[c][j];
          }
          to[begin(r) + k + c] = sum;
        }
      }
    }
  }
  PlainOperator<Exec, double> changed = a;
  changed.values = copy_in<Space>(to);
  const Vectors others("heddle::test::vectors", rows, vectors.extent(1));
  const auto old = to_host(vectors);
  const auto places = Kokkos::create_mirror_view(others);
  for (std::size_t row = 0; row < rows; ++row) {
    const Block D = inverse_transposed_of(static_cast<int>(row / 3));
    for (std::size_t v = 0; v < vectors.extent(1); ++v) {
      places(row, v) = 0;
      for (std::size_t c = 0; c < 3; ++c) places(row, v) += D[row % 3][c] * old(row / 3 * 3 + c, v);
    }
  }
  Kokkos::deep_copy(others, places);
  return {changed, others};
}

/// A rotation about an axis of the node's own, times a power of two.
Block rotation(int node, double scale) {
  const double angle = 0.7 * node, cosine = std::cos(angle), sine = std::sin(angle);
  const std::size_t x = static_cast<std::size_t>(node) % 3, y = (x + 1) % 3, z = (x + 2) % 3;
  Block D{};
  D[x][x] = D[y][y] = scale * cosine;
  D[x][y] = -scale * sine;
  D[y][x] = scale * sine;
  D[z][z] = scale;
  return D;
}

}  // namespace

TEST_CASE("rigid bodies cost nothing") {
  const Exec exec;
  for (const int dimensions : {2, 3}) {
    Body body = lattice(3, dimensions, 0);
    const auto motions = rigid_body_motions(exec, body.coordinates);
    CHECK(motions.extent(1) == (dimensions == 2 ? 3 : 6));
    for (std::size_t v = 0; v < motions.extent(1); ++v) {
      const auto motion = Kokkos::subview(motions, Kokkos::ALL, v);
      const Kokkos::View<double*, Space> force("heddle::test::force", motions.extent(0));
      body.matrix.apply(exec, motion, force);
      const auto host = to_host(force);
      for (std::size_t i = 0; i < host.extent(0); ++i) CHECK(std::abs(host(i)) < 1e-12);
    }
  }
  const Kokkos::View<double**, Space> line("heddle::test::line", 5, 1);
  CHECK_THROWS_WITH_AS(rigid_body_motions(exec, line), doctest::Contains("have 1 dimensions"),
                       Error);
}

TEST_CASE("elastic bodies, held and free") {
  const Exec exec;
  for (const int dimensions : {2, 3}) {
    const std::vector<int> sides = dimensions == 2
                                       ? (emulated ? std::vector{6, 12} : std::vector{12, 40})
                                       : (emulated ? std::vector{3} : std::vector{3, 10});
    for (const int side : sides) {
      for (const double held : {10.0, 0.0}) {
        CAPTURE(dimensions);
        CAPTURE(side);
        CAPTURE(held);
        Body body = lattice(side, dimensions, held);
        const auto motions = rigid_body_motions(exec, body.coordinates);
        const MultigridOptions options{.block_size = dimensions, .coarsest_rows = 20};
        Plan plan(exec, body.matrix.matrix(), motions, options);
        Plan plain(exec, body.matrix.matrix(), options);
        const std::string levels = plan.levels().to_string();
        CAPTURE(levels);
        CHECK(plan.levels().levels.size() > 1);
        check_positive_definite<double>(exec, plan);
        const int with = iterations_with(exec, body.matrix, plan);
        CHECK(with <= 15);
        CHECK(with < iterations_with(exec, body.matrix, plain));
      }
    }
  }
}

TEST_CASE("unknowns of a point have a constant each, without any vectors") {
  const Exec exec;
  constexpr int side = emulated ? 14 : 60, fields = 3;
  const auto one = poisson<Exec, double>(side, side, 1);
  const auto one_row_ptr = to_host(one.row_ptr), one_col_idx = to_host(one.col_idx);
  const auto one_values = to_host(one.values);
  for (const double coupling : {0.0, 0.001}) {
    std::vector<int> row_ptr(1), col_idx;
    std::vector<double> values;
    for (std::size_t i = 0; i < static_cast<std::size_t>(one.n); ++i) {
      for (int field = 0; field < fields; ++field) {
        for (auto k = static_cast<std::size_t>(one_row_ptr(i));
             k < static_cast<std::size_t>(one_row_ptr(i + 1)); ++k) {
          const bool diagonal = one_col_idx(k) == static_cast<int>(i);
          for (int other = 0; other < fields; ++other) {
            if (other != field && (!diagonal || coupling == 0)) continue;
            col_idx.push_back(one_col_idx(k) * fields + other);
            values.push_back(other == field ? one_values(k) : coupling);
          }
        }
        row_ptr.push_back(static_cast<int>(col_idx.size()));
      }
    }
    const auto a = plain_operator<Exec>(row_ptr, col_idx, values);
    Plan plan(exec, a.matrix(), {.block_size = fields, .coarsest_rows = 60});
    CHECK(plan.levels().levels[1].rows % fields == 0);
    check_positive_definite<double>(exec, plan);
    CHECK(iterations_with(exec, a, plan) <= 12);
  }
}

TEST_CASE(
    "blocks of nodes smooth an elastic cube in any unit, and in other unknowns of each node") {
  const Exec exec;
  const Body body = elastic(emulated ? 5 : 12);
  const auto motions = rigid_body_motions(exec, body.coordinates);
  MultigridOptions options{.block_size = 3, .coarsest_rows = emulated ? 12 : 60};
  Plan by_points(exec, body.matrix.matrix(), motions, options);
  options.smoother = MultigridSmoother::block_chebyshev;
  Plan by_blocks(exec, body.matrix.matrix(), motions, options);
  const auto levels = by_blocks.levels();
  CHECK(levels.levels.size() > 1);
  CHECK(levels.levels.front().smoother == "block-chebyshev of degree 2");
  CHECK(levels.hint.empty());
  check_positive_definite<double>(exec, by_blocks);
  const int points = iterations_with(exec, body.matrix, by_points);
  const int blocks = iterations_with(exec, body.matrix, by_blocks);
  CAPTURE(points);
  CAPTURE(blocks);
  CHECK(points <= 15);
  CHECK(blocks <= points + 1);
  for (const int degree : {1, 3}) {
    options.degree = degree;
    Plan other(exec, body.matrix.matrix(), motions, options);
    check_positive_definite<double>(exec, other);
    CHECK(iterations_with(exec, body.matrix, other) <= 2 * points);
  }
  options.degree = 0;

  for (const double unit : {1e-12, 1e12}) {
    CAPTURE(unit);
    const auto scaled = with_values(body.matrix, [=](double value) { return unit * value; });
    by_blocks.update_values(exec, scaled.matrix());
    by_blocks.check_values(exec);
    CHECK(std::abs(iterations_with(exec, scaled, by_blocks) - blocks) <= 1);
    Plan made(exec, scaled.matrix(), motions, options);
    CHECK(std::abs(iterations_with(exec, scaled, made) - blocks) <= 1);
  }
  const auto turned = [](int node) { return rotation(node, node % 4 ? 1 : 64); };
  const auto back = [](int node) { return rotation(node, node % 4 ? 1 : 1.0 / 64); };
  const auto [other, vectors] = in_other_unknowns(body.matrix, motions, turned, back);
  Plan in_turned(exec, other.matrix(), vectors, options);
  check_positive_definite<double>(exec, in_turned);
  CHECK(iterations_with(exec, other, in_turned) <= blocks + 3);
}

TEST_CASE("a singular block of a node is replaced by its diagonal, an indefinite one is an error") {
  const Exec exec;
  // Each node has two unknowns with the block ((1, c), (c, 1)), and one unknown is exchanged.
  const auto pairs = [](const auto& coupling) {
    constexpr int side = 12;
    const Star star{side, side, 1};
    std::vector<std::map<int, double>> rows(2 * side * side);
    for (int i = 0; i < side * side; ++i) {
      auto &first = rows[static_cast<std::size_t>(2 * i)],
           &second = rows[static_cast<std::size_t>(2 * i + 1)];
      first[2 * i + 1] = second[2 * i] = coupling(i);
      first[2 * i] = second[2 * i + 1] = 1;
      star(i, [&](int j) {
        if (j == i) return;
        first[2 * i] += i % 5 == 0 ? 0 : 0.5;
        first[2 * j] -= i % 5 == 0 || j % 5 == 0 ? 0 : 0.5;
      });
    }
    return operator_of<Exec, double>(rows);
  };
  const MultigridOptions options{.block_size = 2,
                                 .smoother = MultigridSmoother::block_chebyshev,
                                 .coarsest_rows = 10,
                                 .max_levels = 1};
  const auto regular = pairs([](int) { return 0.5; });
  const auto singular = pairs([](int i) { return i % 5 == 0 ? 1 : 0.5; });
  const auto negative = pairs([](int i) { return i == 5 ? 1.5 : 0.5; });
  Plan plan(exec, regular.matrix(), options);
  CHECK(plan.levels().levels.front().smoother == "block-chebyshev of degree 2");
  check_positive_definite<double>(exec, plan);
  const std::string words = Plan(exec, singular.matrix(), options).levels().to_string();
  CHECK(words.find("with the diagonal in place of 29 singular blocks from row 0") !=
        std::string::npos);
  plan.update_values(exec, singular.matrix());
  plan.check_values(exec);
  check_positive_definite<double>(exec, plan);
  CHECK_THROWS_WITH_AS(Plan(exec, negative.matrix(), options),
                       doctest::Contains("not positive definite"), Error);
}

TEST_CASE("levels say what an elastic system was not given") {
  const Exec exec;
  const Body body = elastic(emulated ? 4 : 6);
  const auto motions = rigid_body_motions(exec, body.coordinates);
  const auto said = [&](const Plan& plan) {
    const MultigridHierarchy levels = plan.levels();
    CHECK((levels.to_string().find("rigid_body_motions(coordinates)") != std::string::npos) ==
          !levels.hint.empty());
    return !levels.hint.empty();
  };
  CHECK(said(Plan(exec, body.matrix.matrix(), {.block_size = 3})));
  CHECK_FALSE(said(Plan(exec, body.matrix.matrix(), motions, {.block_size = 3})));
  CHECK_FALSE(said(Plan(exec, body.matrix.matrix())));
}

TEST_CASE("levels in blocks compute the same as in rows, wherever blocks are chosen") {
  const Exec exec;
  // Blocks are compared with CSR alone, which this list leaves out.
  using InBlocks = MultigridPlan<Exec, PlainOperator<Exec, double>::Matrix,
                                 Formats<Shared<BcsrFormat>, Shared<CooFormat>>>;
  const Body body = elastic(emulated ? 4 : 8);
  const auto motions = rigid_body_motions(exec, body.coordinates);
  const MultigridOptions options{.block_size = 3,
                                 .coarsest_rows = emulated ? 6 : 30,
                                 .one_launch_entries = 0,
                                 .expected_applies = 1000000};
  InBlocks in_blocks(exec, body.matrix.matrix(), motions, options);
  Plan in_rows(exec, body.matrix.matrix(), motions, options);
  const auto levels = in_blocks.levels().levels;
  REQUIRE(levels.size() > 1);
  CHECK(levels[0].scheme.starts_with("bcsr/3x3"));
  CHECK(levels[1].scheme.starts_with("bcsr/6x6"));
  const auto b = right_hand_side<double>(in_rows.rows());
  const auto check_same = [&] {
    // NaN if the result is zero.
    CHECK(relative_difference(applied(exec, in_blocks, b), applied(exec, in_rows, b)) <= 1e-11);
  };
  check_same();
  const auto changed = weighted(body.matrix, [](int i) { return 1 + i % 7 * 0.1; });
  in_blocks.update_values(exec, changed.matrix());
  in_rows.update_values(exec, changed.matrix());
  check_same();
}

TEST_CASE("a node with another column, or with a row of another length, is in no block") {
  const Exec exec;
  using Matrix = PlainOperator<Exec, double>::Matrix;
  using Rows = std::vector<std::vector<int>>;
  const auto is_full = [&](const Rows& rows) {
    std::vector<int> row_ptr(1), col_idx;
    for (const auto& row : rows) {
      col_idx.insert(col_idx.end(), row.begin(), row.end());
      row_ptr.push_back(static_cast<int>(col_idx.size()));
    }
    const auto a = plain_operator<Exec>(row_ptr, col_idx, std::vector<double>(col_idx.size(), 1.0));
    return heddle::detail::multigrid::has_full_nodes<Exec, Matrix>(exec, a.matrix(), 2);
  };
  CHECK(is_full({}));
  CHECK(is_full({{0, 1, 2, 3}, {0, 1, 2, 3}, {2, 3}, {2, 3}}));
  CHECK(is_full({{0, 1}, {0, 1}, {}, {}}));
  CHECK_FALSE(is_full({{0, 1}, {0, 1}, {}, {2, 3}}));
  CHECK_FALSE(is_full({{0, 1}, {0, 1}, {2, 3}, {}}));
  CHECK_FALSE(is_full({{0, 1}, {0, 1, 2, 3}, {2, 3}, {2, 3}}));
  CHECK_FALSE(is_full({{0, 1}, {1, 0}, {2, 3}, {2, 3}}));
  CHECK_FALSE(is_full({{1, 2}, {1, 2}, {2, 3}, {2, 3}}));
  CHECK_FALSE(is_full({{0, 1}, {0, 1}, {0, 3}, {0, 3}}));
  CHECK_FALSE(is_full({{2, 3, 0, 1}, {2, 3, 0, 1}, {2, 3}, {2, 3}}));
  CHECK_FALSE(is_full({{0}, {0}, {2, 3}, {2, 3}}));
  CHECK_FALSE(is_full({{0, 1, 2}, {0, 1, 2}, {2, 3}, {2, 3}}));
}

#ifndef HEDDLE_EMULATED
TEST_CASE("levels with nodes of several rows are stored in blocks, and move fewer bytes") {
  const Exec exec;
  using Matrix = PlainOperator<Exec, double>::Matrix;
  if (!heddle::detail::is_compiled<Exec, Matrix>() || backends::has_lanes<Exec>) {
    return;
  }
  const Body body = elastic(12);
  const auto motions = rigid_body_motions(exec, body.coordinates);
  const MultigridOptions options{.block_size = 3, .coarsest_rows = 30};
  const Plan in_blocks(exec, body.matrix.matrix(), motions, options);
  MultigridOptions few = options;
  few.expected_applies = 1;
  const Plan in_rows(exec, body.matrix.matrix(), motions, few);
  const auto bytes = [](const Plan& plan) {
    double sum = 0;
    for (const MultigridLevel& level : plan.levels().levels) sum += level.moved_bytes;
    return sum;
  };
  const auto levels = in_blocks.levels().levels;
  REQUIRE(levels.size() > 2);
  CHECK(levels[0].scheme.starts_with("bcsr/3x3"));
  CHECK(levels[1].scheme.starts_with("bcsr/6x6"));
  CAPTURE(bytes(in_blocks));
  CAPTURE(bytes(in_rows));
  CHECK(bytes(in_blocks) < 0.8 * bytes(in_rows));
  const auto b = right_hand_side<double>(in_rows.rows());
  CHECK(relative_difference(applied(exec, in_blocks, b), applied(exec, in_rows, b)) <= 1e-11);
}
#endif

}  // namespace heddle::test
