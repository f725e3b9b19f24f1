// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps over rows of blocks against those on the host, for every scheme that has blocks.
#include "../../../formats/csr/inspect.hpp"
#include "../../../solvers/gauss_seidel/definitions.hpp"
#include "../../support/gauss_seidel_check.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("sweeps over blocks have the numbers of the sequential program", Type,
                          block_sweeps_are_right) {
  using Exec = typename Type::Exec;
  using S = typename Type::Scalar;
  auto grid = lopsided_grid<Exec, S>(emulated ? 7 : 17), one = lopsided_grid<Exec, S>(1);
  auto scattered = scattered_matrix<Exec, S>(emulated ? 59 : 302, 5);
  for (const Scheme& scheme : block_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    for (const int size : {2, 3, 4, 7, 8}) {
      CAPTURE(size);
      for (const SweepDirection sweep : every_sweep) {
        CAPTURE(std::string(name(sweep)));
        GaussSeidelOptions options;
        options.sweep = sweep;
        options.block_size = size;
        options.scheme = scheme;
        options.threads = 3;
        check_sweeps<Type>(grid, options);
        options.omega = size == 4 ? 1.6 : 0.7;
        check_sweeps<Type>(scattered, options);
        if (size == 3) check_sweeps<Type>(one, options);
        options.order = GaussSeidelOrder::multicolor;
        if (size == 2 || size == 7) check_sweeps<Type>(scattered, options);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(block_sweeps_are_right, SweepTypes);

TEST_CASE("several vectors are swept over blocks as each alone, in any layout") {
  auto a = scattered_matrix<FirstSweepType::Exec, double>(emulated ? 50 : 301, 7);
  GaussSeidelOptions options;
  options.threads = 2;
  options.omega = 1.2;
  for (const Scheme& scheme : block_schemes<FirstSweepType::Exec>()) {
    CAPTURE(scheme.to_string());
    options.scheme = scheme;
    for (const int size : {3, 5}) {
      CAPTURE(size);
      options.block_size = size;
      options.vectors = {4, true};  // fewer than are applied
      options.sweep = SweepDirection::symmetric;
      check_vectors<Kokkos::LayoutLeft>(a, options, 6);
      options.vectors = {6, false};
      options.sweep = SweepDirection::backward;
      check_vectors<Kokkos::LayoutRight>(a, options, 5);
    }
  }
}

TEST_CASE("new values, and blocks that are singular by their first row") {
  using Exec = FirstSweepType::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  auto a = lopsided_grid<Exec>(8), other = lopsided_grid<Exec>(8, 1);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = random_vector<double>(n, 1);
  const auto on_device = copy_to<Space>(b);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  const HostVector<double> expected("heddle::test::expected", n);
  GaussSeidelOptions options;
  options.block_size = 4;
  SequentialSweeps<double>(exec, other, options).run(b, expected);
  FirstSweepType::Plan first(exec, a.matrix(), options, FirstSweepType::List());
  const std::size_t bytes = first.bytes();
  CHECK(bytes > 16 * n * sizeof(double));
  FirstSweepType::Plan plan = std::move(first);
  CHECK(plan.bytes() == bytes);
  plan.update_values(exec, other.matrix());
  plan.check_values(exec);
  plan.apply(exec, on_device, x);
  exec.fence("heddle::test::applied");
  CHECK(difference(x, expected.data()) < 1e-13);
  // Row 9, in the block that begins with row 8, is zero, and so is a row of a later block.
  const auto row_ptr = to_host(other.row_ptr);
  for (const std::size_t row : {9, 33}) {
    const std::pair entries(row_ptr(row), row_ptr(row + 1));
    Kokkos::deep_copy(Kokkos::subview(other.values, entries), 0.0);
  }
  plan.update_values(exec, other.matrix());
  CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 8: the diagonal block"),
                       Error);
  CHECK_THROWS_WITH_AS(FirstSweepType::Plan(exec, other.matrix(), options, FirstSweepType::List()),
                       doctest::Contains("row 8: the diagonal block"), Error);
}

TEST_CASE("a diagonal of zeros will do where its blocks are regular") {
  using Exec = FirstSweepType::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  // Pairs of unknowns without other neighbours: one sweep solves for them.
  const auto a =
      plain_operator<Exec, double>({0, 1, 2, 3, 4, 5, 6}, {1, 0, 3, 2, 5, 4}, {2, 4, 2, 4, 2, 4});
  GaussSeidelOptions options;
  options.block_size = 2;
  FirstSweepType::Plan plan(exec, a.matrix(), options, FirstSweepType::List());
  const Kokkos::View<double*, Space> b("heddle::test::b", 6), x("heddle::test::x", 6);
  Kokkos::deep_copy(b, 8.0);
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  for (std::size_t i = 0; i < 6; ++i) CHECK(to_host(x)(i) == (i % 2 ? 4 : 2));
}

TEST_CASE("sizes and schemes without blocks are refused; empty matrices do nothing") {
  using Exec = FirstSweepType::Exec;
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return FirstSweepType::Plan(exec, a.matrix(), options, FirstSweepType::List());
  };
  for (const int size : {0, 9}) {
    CHECK_THROWS_WITH_AS(plan({.block_size = size}), doctest::Contains("options.block_size is"),
                         Error);
  }
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    if (!scheme.has("split") && !scheme.has("hand-over")) continue;
    CHECK_THROWS_WITH_AS(plan({.block_size = 2, .scheme = scheme}),
                         doctest::Contains("has no blocks"), Error);
  }
  PlainOperator<Exec, double> empty;
  empty.row_ptr = Kokkos::View<int*, Exec::memory_space>("heddle::test::row_ptr", 1);
  const Kokkos::View<double*, Exec::memory_space> none("heddle::test::none", 0);
  FirstSweepType::Plan nothing(exec, empty.matrix(), {.block_size = 3}, FirstSweepType::List());
  nothing.apply(exec, none, none);
  nothing.update_values(exec, empty.matrix());
  nothing.check_values(exec);
}

TEST_CASE("sweeps over blocks are quiet") {
  for (const Scheme& scheme : block_schemes<FirstSweepType::Exec>()) {
    CAPTURE(scheme.to_string());
    check_quiet_sweeps({.block_size = 3, .scheme = scheme, .threads = 2});
  }
}

}  // namespace heddle::test
