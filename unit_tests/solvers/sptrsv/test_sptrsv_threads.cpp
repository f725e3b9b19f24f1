// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Triangular solves by the threads of a CPU, and supernodes: rows of a triangle that share their
// columns.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../support/assumed_processors.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Type = TriangleType<Exec, double, Indices32>;
using Plan = Type::Plan<>;
using heddle::detail::sptrsv::most_supernode_rows;
using Graph = heddle::detail::triangle::DependencyGraph<int, int>;
using Supernodes = heddle::detail::sptrsv::Supernodes<Exec, int>;

/// The supernodes of one triangle of a pattern.
struct Found {
  Found(const Pattern& pattern, Triangle triangle)
      : matrix(triangle_on_device<Type>(Exec(), pattern)),
        graph{matrix.matrix().row_ptr().data(), matrix.matrix().col_idx().data(),
              matrix.matrix().rows(), triangle},
        supernodes(Exec(), graph) {}

  std::vector<int> sizes() const {
    std::vector<int> sizes;
    for (int g = 0; g < supernodes.count(); ++g) {
      sizes.push_back(supernodes.first()[g + 1] - supernodes.first()[g]);
    }
    return sizes;
  }

  DeviceMatrix<Type> matrix;
  Graph graph;
  Supernodes supernodes;
};

}  // namespace

TEST_CASE("supernodes: rows that share their columns are found, and cut where they are too many") {
  CHECK(most_supernode_rows == 8);
  std::vector<int> sizes;
  for (int period = 0; period < 10; ++period) {
    for (const int size : {1, 2, 3, 4, 5, 6, 7, 8, 8, 1}) sizes.push_back(size);
  }
  CHECK(Found(triangle_named("elements"), Triangle::lower).sizes() == sizes);
  CHECK(Found(reversed(triangle_named("elements")), Triangle::upper).sizes() == sizes);
  CHECK(Found(triangle_named("dense"), Triangle::lower).supernodes.count() == 12);
  CHECK(Found(triangle_named("diagonal"), Triangle::lower).supernodes.count() == 300);
  CHECK(Found(triangle_named("0 x 0"), Triangle::lower).supernodes.count() == 0);
}

TEST_CASE("supernodes: rows that nearly share their columns do not") {
  const auto sizes = [](const std::vector<std::vector<std::int64_t>>& last_rows) {
    const auto pattern = lower_pattern("nearly", 12, [&](std::int64_t i) {
      return i < 10 ? std::vector<std::int64_t>{} : last_rows[static_cast<std::size_t>(i - 10)];
    });
    const auto all = Found(pattern, Triangle::lower).sizes();
    return std::vector<int>(all.begin() + 10, all.end());
  };
  CHECK(sizes({{3, 7}, {3, 7, 10}}) == std::vector<int>{2});
  CHECK(sizes({{3, 7}, {10, 3, 7}}) == std::vector<int>{2});
  CHECK(sizes({{3, 3}, {3, 3, 10}}) == std::vector<int>{2});
  CHECK(sizes({{3, 7}, {3, 7}}) == std::vector<int>{1, 1});          // without the row before
  CHECK(sizes({{3, 7}, {3, 10}}) == std::vector<int>{1, 1});         // one column fewer
  CHECK(sizes({{3, 7}, {3, 7, 8, 10}}) == std::vector<int>{1, 1});   // one column more
  CHECK(sizes({{3, 7}, {3, 6, 10}}) == std::vector<int>{1, 1});      // another column
  CHECK(sizes({{3, 7}, {7, 3, 10}}) == std::vector<int>{1, 1});      // in another order
  CHECK(sizes({{3, 7}, {3, 7, 10, 10}}) == std::vector<int>{1, 1});  // the row before twice
}

TEST_CASE("supernodes: each reads the supernodes of all that its rows need") {
  for (const Pattern& lower : triangle_patterns()) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const bool upper = triangle == Triangle::upper;
      const Found found(upper ? reversed(lower) : lower, triangle);
      CAPTURE(found.matrix.name);
      const auto& graph = found.graph;
      const int* const of = found.supernodes.of();
      const heddle::detail::sptrsv::SupernodeReads<int, int> reads{graph, found.supernodes.first(),
                                                                   of};
      bool covered = true, earlier = true;
      for (int p = 0; p < graph.rows; ++p) {
        std::vector<int> read{of[p]};
        reads(of[p], [&](int other) {
          earlier &= other < of[p];
          read.push_back(other);
        });
        const int i = graph.row(p);
        for (int k = graph.row_ptr[i]; k < graph.row_ptr[i + 1]; ++k) {
          const int j = graph.col_idx[k];
          if (!heddle::detail::triangle::in_triangle(triangle, i, j)) continue;
          covered &= std::find(read.begin(), read.end(), of[graph.row(j)]) != read.end();
        }
      }
      CHECK(covered);
      CHECK(earlier);
    }
  }
}

TEST_CASE("supernodes: taken where rows share their columns, scheduled as rows are, and printed") {
  const Exec exec;
  const auto scheme = [&](const char* name, const SptrsvOptions& options) {
    const auto A = triangle_on_device<Type>(exec, triangle_named(name));
    return Plan(exec, A.matrix(), options).scheme().to_string();
  };
  CHECK(scheme("elements", {}) == "sptrsv/supernodes,schedule=sequential");  // too few for two
  CHECK(scheme("grid", {}) == "sptrsv/sequential");
  for (const char* name : {"grid", "elements", "0 x 0"}) {
    for (const char* pinned : {"sptrsv/supernodes,schedule=point-to-point,grain=1",
                               "sptrsv/supernodes,schedule=level-set,grain=200",
                               "sptrsv/supernodes,schedule=sequential"}) {
      CHECK(scheme(name, {.scheme = pinned, .threads = 3}) == pinned);
    }
    CHECK(scheme(name, {.scheme = "sptrsv/supernodes,grain=9", .threads = 3}) ==
          "sptrsv/supernodes,schedule=point-to-point,grain=9");
  }
}

namespace {

/// A triangle on which two threads are predicted to be faster.
Pattern wide_triangle() { return lower_band("two wide levels", 60000, {30000}); }

std::string kernel_of(const Plan& plan) { return plan.scheme().terms().front().key; }

}  // namespace

TEST_CASE("sptrsv: threads that have no processor are not counted on") {
  const Exec exec;
  if (exec.concurrency() < 2) return;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  {
    const AssumedProcessors two(2);
    CHECK(kernel_of(Plan(exec, A.matrix())) == "point-to-point");
  }
  const AssumedProcessors one(1);
  CHECK(kernel_of(Plan(exec, A.matrix())) == "sequential");
  // A user's number of threads counts, since solves may run elsewhere than the inspection.
  CHECK(kernel_of(Plan(exec, A.matrix(), {.threads = 2})) != "sequential");
}

TEST_CASE("sptrsv: a solve is scheduled for the threads that are asked for, and runs on any") {
  const Exec exec;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  CHECK(kernel_of(Plan(exec, A.matrix(), {.threads = 1})) == "sequential");
  CHECK_THROWS_WITH((Plan(exec, A.matrix(), {.threads = -1})),
                    doctest::Contains("options.threads is -1"));
  for (const char* name : {"grid", "elements"}) {
    CAPTURE(std::string(name));
    const auto B = triangle_on_device<Type>(exec, triangle_named(name));
    for (const char* scheme : {"sptrsv/point-to-point,grain=1", "sptrsv/level-set,grain=1",
                               "sptrsv/supernodes,schedule=point-to-point,grain=1",
                               "sptrsv/supernodes,schedule=level-set,grain=1"}) {
      CAPTURE(std::string(scheme));
      std::size_t bytes = 0;
      for (const int threads : {1, 2, 3, 8}) {
        CAPTURE(threads);
        Plan plan(exec, B.matrix(),
                  {.scheme = scheme, .vectors = {.count = 4}, .threads = threads});
        for (const int vectors : {1, 4, 3, 2}) {
          CHECK(solve_randomly<Type>(exec, plan, B, Triangle::lower, vectors, 3) <= 1);
        }
        CHECK(plan.bytes() > bytes);  // at least one word a thread
        bytes = plan.bytes();
        if (name == std::string("elements") && kernel_of(plan) == "supernodes") {
          CHECK(plan.levels() < plan.features(exec).levels);
        }
      }
    }
  }
}

TEST_CASE("sptrsv: without a plan too, no thread waits for one that has no processor") {
  const Exec exec;
  if (exec.concurrency() < 2) return;
  const auto A = triangle_on_device<Type>(exec, wide_triangle());
  const Kokkos::View<double*, Exec> x("heddle::test::x", 60000);
  const SptrsvWorkspace<Exec, double> workspace(exec, A.host.rows());
  const auto launches = [&](int processors) {
    const AssumedProcessors assumed(processors);
    const Recording recording;
    sptrsv(exec, 1.0, A.matrix(), x, x, workspace);
    exec.fence("heddle::test::solved");
    return count(recording.seen(), Event::kernel);
  };
  CHECK(launches(1) == 1);  // one thread needs no tickets
  CHECK(launches(2) == 2);
}

}  // namespace heddle::test
