// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elastic bodies: lattices of springs, whose rigid body motions need no energy.
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

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

}  // namespace heddle::test
