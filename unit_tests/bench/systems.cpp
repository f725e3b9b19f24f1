// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values of generated systems.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "../../testing/generate.hpp"

using heddle::test::Assembled;
using heddle::test::generate_system;

namespace {

using Entries = std::map<std::pair<std::int64_t, std::int64_t>, double>;

Entries entries_of(const Assembled& A) {
  Entries entries;
  std::size_t k = 0;
  for (std::size_t i = 0; i < A.rows.size(); ++i) {
    for (const std::int64_t j : A.rows[i]) {
      entries[{static_cast<std::int64_t>(i), j}] = A.values.at(k++);
    }
  }
  CHECK(k == A.values.size());
  return entries;
}

double row_sum(const Entries& A, std::int64_t row) {
  double sum = 0;
  for (auto at = A.lower_bound({row, 0}); at != A.end() && at->first.first == row; ++at) {
    sum += at->second;
  }
  return sum;
}

/// The largest entry of A v, over rows that satisfy `counts`.
template <class Vector, class Counts>
double largest_product(const Entries& A, const Vector& v, const Counts& counts) {
  std::map<std::int64_t, double> product;
  for (const auto& [place, value] : A) product[place.first] += value * v(place.second);
  double largest = 0;
  for (const auto& [row, value] : product) {
    if (counts(row)) largest = std::max(largest, std::fabs(value));
  }
  return largest;
}

}  // namespace

TEST_CASE("symmetric systems are so to the last bit, with a positive diagonal") {
  for (const char* text :
       {"poisson2d:9", "poisson3d:5", "poisson3d:4,27", "anisotropic:5", "rotated:5,22,2",
        "jumps:17,6", "cutfaces:11", "neumann:5", "elasticity:4"}) {
    CAPTURE(text);
    const Entries A = entries_of(generate_system(text, 3));
    for (const auto& [place, value] : A) {
      if (place.first == place.second) CHECK(value > 0);
      const auto across = A.find({place.second, place.first});
      REQUIRE(across != A.end());
      CHECK(across->second == value);
    }
  }
  CHECK_FALSE(generate_system("grid2d:5", 1).own_values());
}

TEST_CASE("values of finite volumes") {
  const Entries plain = entries_of(generate_system("poisson3d:5", 1));
  CHECK(plain.at({0, 0}) == 6);
  CHECK(plain.at({62, 62}) == 6);
  CHECK(plain.at({62, 63}) == -1);
  CHECK(row_sum(plain, 62) == 0);
  CHECK(row_sum(plain, 0) == 3);
  const Entries weak = entries_of(generate_system("anisotropic:5,10", 1));
  CHECK(weak.at({62, 62 + 25}) == -0.1);
  CHECK(weak.at({62, 62 + 5}) == -1);
  const Entries insulated = entries_of(generate_system("neumann:5", 1));
  for (std::int64_t row = 0; row < 125; ++row) CHECK(row_sum(insulated, row) == 0);
  const Entries flow = entries_of(generate_system("convection:5,50", 1));
  CHECK(flow.at({62, 61}) == -1.5);
  CHECK(flow.at({62, 63}) == -1);
  CHECK(flow.at({62, 62 - 25}) == -1.125);
  CHECK(std::fabs(row_sum(flow, 62)) < 1e-15);
}

TEST_CASE("indefinite systems are symmetric") {
  for (const char* text : {"helmholtz:9,90", "mixed:1", "mixed:6"}) {
    CAPTURE(text);
    const Entries A = entries_of(generate_system(text, 3));
    for (const auto& [place, value] : A) {
      const auto across = A.find({place.second, place.first});
      REQUIRE(across != A.end());
      CHECK(across->second == value);
    }
  }
  const Entries plain = entries_of(generate_system("poisson2d:9", 1));
  for (const auto& [place, value] : entries_of(generate_system("helmholtz:9,90", 1))) {
    const double shift = place.first == place.second ? 0.09 : 0;
    CHECK(value == doctest::Approx(plain.at(place) - shift));
  }
  // Without its fluxes, whose block is the identity, -B' B of the pressures is a Laplacian.
  const Entries mixed = entries_of(generate_system("mixed:9", 1));
  constexpr std::int64_t faces = 180;
  Entries left;
  for (const auto& [a, value] : mixed) {
    if (a.first < faces) {
      if (a.second < faces) CHECK((a.first == a.second && value == 1));
      continue;
    }
    CHECK(a.second < faces);
    for (const auto& [b, other] : mixed) {
      if (b.first != a.second || b.second < faces) continue;
      left[{a.first - faces, b.second - faces}] += value * other;
    }
  }
  CHECK(left == plain);
}

TEST_CASE("rotated elements conduct along their direction") {
  const std::int64_t n = 7;
  const double cosine = std::cos(22 * 3.141592653589793 / 180);
  const double along = cosine * cosine + 0.01 * (1 - cosine * cosine);
  const double across = 1.01 - along, mixed = 0.99 * cosine * std::sqrt(1 - cosine * cosine);
  const Entries A = entries_of(generate_system("rotated:7,22,2", 1));
  const auto product = [&](const auto& v) {
    double sum = 0;
    for (const auto& [place, value] : A) {
      if (place.first != 3 * n + 3) continue;
      const auto x = static_cast<double>(place.second % n - 3);
      const auto y = static_cast<double>(place.second / n - 3);
      sum += value * v(x, y);
    }
    return sum;
  };
  CHECK(product([](double, double) { return 1.0; }) == doctest::Approx(0).epsilon(1e-12));
  CHECK(product([](double x, double) { return x; }) == doctest::Approx(0).epsilon(1e-12));
  CHECK(product([](double x, double) { return x * x; }) == doctest::Approx(-2 * along));
  CHECK(product([](double, double y) { return y * y; }) == doctest::Approx(-2 * across));
  CHECK(product([](double x, double y) { return x * y; }) == doctest::Approx(-2 * mixed));
}

TEST_CASE("coefficients jump, and cut faces conduct less") {
  double least = 1e30, most = 0;
  for (const auto& [place, value] : entries_of(generate_system("jumps:32,6", 1))) {
    if (place.first != place.second) {
      least = std::min(least, -value);
      most = std::max(most, -value);
    }
  }
  CHECK(least == 1);
  CHECK(most == 1e6);
  const Assembled cut = generate_system("cutfaces:20", 1);
  int whole = 0, part = 0, alone = 0;
  const Entries A = entries_of(cut);
  for (const auto& [place, value] : A) {
    if (place.first == place.second) continue;
    (value == -1 ? whole : part) += 1;
    CHECK(value < 0);
  }
  for (const auto row : cut.rows) alone += row.size() == 1 ? 1 : 0;
  CHECK(part > 100);
  CHECK(whole > 10 * part);
  CHECK(alone > 400);  // a ball of radius 0.3 N covers 11 %
  CHECK(alone < 1000);
}

TEST_CASE("rigid bodies cost an elastic cube nothing away from where it is held") {
  const std::int64_t n = 4;
  const Assembled cube = generate_system("elasticity:4", 1);
  CHECK(cube.dimensions == 3);
  CHECK(cube.coordinates.size() == cube.rows.size());
  const Entries A = entries_of(cube);
  const auto free = [&](std::int64_t row) { return row / 3 % n > 0; };
  const auto held = [&](std::int64_t row) { return !free(row); };
  const auto at = [&](std::int64_t row, std::int64_t axis) {
    return cube.coordinates[static_cast<std::size_t>(row / 3 * 3 + axis)];
  };
  for (std::int64_t axis = 0; axis < 3; ++axis) {
    const auto moved = [&](std::int64_t row) { return row % 3 == axis ? 1.0 : 0.0; };
    const std::int64_t u = (axis + 1) % 3, v = (axis + 2) % 3;
    const auto turned = [&](std::int64_t row) {
      return row % 3 == u ? -at(row, v) : row % 3 == v ? at(row, u) : 0.0;
    };
    CHECK(largest_product(A, moved, free) < 1e-13);
    CHECK(largest_product(A, moved, held) > 0.01);
    CHECK(largest_product(A, turned, free) < 1e-12);
    const auto stretched = [&](std::int64_t row) {
      return row % 3 == axis ? at(row, axis) * at(row, axis) : 0.0;
    };
    CHECK(largest_product(A, stretched, free) > 0.1);
  }
}
