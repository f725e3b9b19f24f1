// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps over rows of blocks against the same on the host, of every scheme that has blocks.
#include "../support/block_sweeps.hpp"
#include "../tools/events.hpp"

namespace heddle::test {

namespace {

template <class E, class S>
struct Tested {
  using Exec = E;
  using Scalar = S;
  using Matrix = typename PlainOperator<E, S>::Matrix;
  using Plan = GaussSeidelPlan<E, Matrix, Formats<CsrFormat>>;
};

#if defined(HEDDLE_EMULATED) || defined(HEDDLE_SANITIZED_TESTS)
using TestedTypes = std::tuple<Tested<DefaultDevice, double>>;
#else
using TestedTypes = JoinTuples<std::tuple<Tested<DefaultDevice, double>>,
                               InTurn<Tested<DefaultDevice, Kokkos::complex<float>>,
                                      Tested<Portable<Kokkos::DefaultExecutionSpace>, double>>>;
#endif
using First = std::tuple_element_t<0, TestedTypes>;

constexpr GaussSeidelSweep every_sweep[] = {GaussSeidelSweep::forward, GaussSeidelSweep::backward,
                                            GaussSeidelSweep::symmetric};

template <class S>
double tolerance() {
  return 4000 * static_cast<double>(std::numeric_limits<RealOf<S>>::epsilon());
}

/// A plan's sweeps from zero and from a guess, and their residuals, against the host's.
template <class Type, class Operator>
void check_sweeps(Operator& a, const GaussSeidelOptions& options) {
  using Exec = typename Type::Exec;
  using S = typename Type::Scalar;
  using Space = typename Exec::memory_space;
  const Exec exec;
  const auto n = static_cast<std::size_t>(a.n);
  SequentialBlockSweeps<S> sweeps(a, options.block_size);
  const SequentialSweeps<S> rows(a);
  if (options.order == GaussSeidelOrder::multicolor) sweeps.take_colors(exec, a.matrix());
  typename Type::Plan plan(exec, a.matrix(), options, Formats<CsrFormat>());
  const auto b = random_vector<S>(n, 1), guess = random_vector<S>(n, 2);
  const auto on_device = copy_to<Space>(b);
  const HostVector<S> expected("heddle::test::expected", n);
  const Kokkos::View<S*, Space> x("heddle::test::x", n), r("heddle::test::r", n);
  fill_with_poison(x);
  fill_with_poison(r);
  plan.apply(exec, on_device, x, r);
  exec.fence("heddle::test::applied");
  sweeps.run(b, expected, options.sweep, options.omega);
  CHECK(difference(x, expected.data()) < tolerance<S>());
  CHECK(difference(r, rows.residual(b, expected)) < tolerance<S>());
  const auto bits = bits_of(x);
  fill_with_poison(x);
  plan.apply(exec, on_device, x);
  exec.fence("heddle::test::applied");
  CHECK(bits_of(x) == bits);
  Kokkos::deep_copy(x, guess);
  Kokkos::deep_copy(expected, guess);
  plan.relax(exec, on_device, x, 2, r);
  exec.fence("heddle::test::relaxed");
  for (int i = 0; i < 2; ++i) sweeps.run(b, expected, options.sweep, options.omega);
  CHECK(difference(x, expected.data()) < tolerance<S>());
  CHECK(difference(r, rows.residual(b, expected)) < tolerance<S>());
}

}  // namespace

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
      for (const GaussSeidelSweep sweep : every_sweep) {
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
TEST_CASE_TEMPLATE_APPLY(block_sweeps_are_right, TestedTypes);

TEST_CASE("several vectors are swept over blocks as each alone, in any layout") {
  using Exec = First::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  auto a = scattered_matrix<Exec, double>(emulated ? 50 : 301, 7);
  const auto n = static_cast<std::size_t>(a.n);
  const auto check = [&](auto layout, const GaussSeidelOptions& options, std::size_t count) {
    using Layout = decltype(layout);
    First::Plan plan(exec, a.matrix(), options, Formats<CsrFormat>());
    const auto host_b = random_columns<double, Layout>(n, count, 1);
    const auto host_x = random_columns<double, Layout>(n, count, 2);
    const auto b = copy_to<Space>(host_b), x = copy_to<Space>(host_x);
    plan.relax(exec, b, x);
    exec.fence("heddle::test::relaxed");
    const SequentialBlockSweeps<double> sweeps(a, options.block_size);
    const Kokkos::View<double*, Space> column("heddle::test::column", n);
    const HostVector<double> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
    for (std::size_t v = 0; v < count; ++v) {
      Kokkos::deep_copy(of_b, Kokkos::subview(host_b, Kokkos::ALL, v));
      Kokkos::deep_copy(
          of_x, Kokkos::subview(random_columns<double, Layout>(n, count, 2), Kokkos::ALL, v));
      sweeps.run(of_b, of_x, options.sweep, options.omega);
      Kokkos::deep_copy(column, Kokkos::subview(x, Kokkos::ALL, v));
      CHECK(difference(column, of_x.data()) < 1e-12);
    }
  };
  for (const Scheme& scheme : block_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    for (const int size : {3, 5}) {
      CAPTURE(size);
      GaussSeidelOptions options;
      options.block_size = size;
      options.scheme = scheme;
      options.threads = 2;
      options.omega = 1.2;
      options.vectors = {6, true};
      check(Kokkos::LayoutLeft(), options, 6);
      options.vectors = {6, false};
      options.sweep = GaussSeidelSweep::backward;
      check(Kokkos::LayoutRight(), options, 5);
    }
  }
}

TEST_CASE("new values, and blocks that are singular by their first row") {
  using Exec = First::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  auto a = lopsided_grid<Exec>(8), other = lopsided_grid<Exec>(8, 1);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = random_vector<double>(n, 1);
  const auto on_device = copy_to<Space>(b);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  const HostVector<double> expected("heddle::test::expected", n);
  SequentialBlockSweeps<double>(other, 4).run(b, expected, GaussSeidelSweep::symmetric, 1);
  GaussSeidelOptions options;
  options.block_size = 4;
  First::Plan first(exec, a.matrix(), options, Formats<CsrFormat>());
  const std::size_t bytes = first.bytes();
  CHECK(bytes > 16 * n * sizeof(double));
  First::Plan plan = std::move(first);
  CHECK(plan.bytes() == bytes);
  plan.update_values(exec, other.matrix());
  plan.check_diagonal(exec);
  plan.apply(exec, on_device, x);
  exec.fence("heddle::test::applied");
  CHECK(difference(x, expected.data()) < 1e-13);
  // Row 9, of the block that begins with row 8, is zero.
  const auto row_ptr = to_host(other.row_ptr);
  Kokkos::deep_copy(Kokkos::subview(other.values, std::pair(row_ptr(9), row_ptr(10))), 0.0);
  plan.update_values(exec, other.matrix());
  CHECK_THROWS_WITH_AS(plan.check_diagonal(exec), doctest::Contains("row 8: the diagonal block"),
                       Error);
  CHECK_THROWS_WITH_AS(First::Plan(exec, other.matrix(), options, Formats<CsrFormat>()),
                       doctest::Contains("row 8: the diagonal block"), Error);
}

TEST_CASE("a diagonal of zeros will do where its blocks are regular") {
  using Exec = First::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  // Pairs of unknowns that only know each other: one sweep solves for them.
  PlainOperator<Exec, double> a;
  a.n = 6;
  a.row_ptr = copy_in<Space>(std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  a.col_idx = copy_in<Space>(std::vector<int>{1, 0, 3, 2, 5, 4});
  a.values = copy_in<Space>(std::vector<double>{2, 4, 2, 4, 2, 4});
  GaussSeidelOptions options;
  options.block_size = 2;
  First::Plan plan(exec, a.matrix(), options, Formats<CsrFormat>());
  const Kokkos::View<double*, Space> b("heddle::test::b", 6), x("heddle::test::x", 6);
  Kokkos::deep_copy(b, 8.0);
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  for (std::size_t i = 0; i < 6; ++i) CHECK(to_host(x)(i) == (i % 2 ? 4 : 2));
}

TEST_CASE("sizes and schemes without blocks are refused; empty matrices do nothing") {
  using Exec = First::Exec;
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return First::Plan(exec, a.matrix(), options, Formats<CsrFormat>());
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
  First::Plan nothing(exec, empty.matrix(), {.block_size = 3}, Formats<CsrFormat>());
  nothing.apply(exec, none, none);
  nothing.update_values(exec, empty.matrix());
  nothing.check_diagonal(exec);
}

TEST_CASE("sweeps over blocks are quiet") {
  using Exec = First::Exec;
  const Exec exec;
  auto a = lopsided_grid<Exec>(9);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Exec::memory_space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Exec::memory_space> x("heddle::test::x", n), r("heddle::test::r", n);
  for (const Scheme& scheme : block_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    First::Plan plan(exec, a.matrix(), {.block_size = 3, .scheme = scheme, .threads = 2},
                     Formats<CsrFormat>());
    plan.apply(exec, b, x, r);  // a first launch may allocate a thread's scratch
    plan.relax(exec, b, x, 1, r);
    exec.fence("heddle::test::applied");
    std::vector<Event> seen;
    {
      const Recording recording;
      plan.apply(exec, b, x, r);
      plan.relax(exec, b, x, 2, r);
      plan.update_values(exec, a.matrix());
      seen = Recording::seen();
    }
    exec.fence("heddle::test::applied");
    CHECK(strangers(seen) == "");
    CHECK(count(seen, Event::allocation) == 0);
    CHECK(count(seen, Event::fence) == 0);
  }
}

}  // namespace heddle::test
