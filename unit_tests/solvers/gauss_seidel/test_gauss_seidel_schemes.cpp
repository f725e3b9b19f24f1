// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every scheme of Gauss-Seidel against sweeps on the host, in both orders.
#include <set>

#include "../../../formats/csr/inspect.hpp"
#include "../../../solvers/gauss_seidel/definitions.hpp"
#include "../../support/gauss_seidel_check.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

TEST_CASE_TEMPLATE_DEFINE("sweeps have the numbers of the sequential program", Type,
                          sweeps_are_right) {
  using Exec = typename Type::Exec;
  using S = typename Type::Scalar;
  auto grid = lopsided_grid<Exec, S>(emulated ? 7 : 33), one = lopsided_grid<Exec, S>(1);
  auto scattered = scattered_matrix<Exec, S>(emulated ? 60 : 400, 5);
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    const bool plain = scheme.terms().size() == 1;
    for (const SweepDirection sweep : every_sweep) {
      for (const double omega : {1.0, 0.7, 1.6}) {
        CAPTURE(std::string(name(sweep)));
        CAPTURE(omega);
        GaussSeidelOptions options;
        options.sweep = sweep;
        options.omega = omega;
        options.scheme = scheme;
        options.threads = 3;
        check_sweeps<Type>(grid, options);
        if (omega == 0.7 || plain) check_sweeps<Type>(scattered, options);
        if (omega == 0.7) check_sweeps<Type>(one, options);
        options.order = GaussSeidelOrder::multicolor;
        if (scheme.has("split") || omega == 0.7) continue;
        if (!emulated || plain) check_sweeps<Type>(scattered, options);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(sweeps_are_right, SweepTypes);

TEST_CASE("several vectors are as each alone, in any layout") {
  using Exec = FirstSweepType::Exec;
  auto a = scattered_matrix<Exec, double>(emulated ? 50 : 300, 7);
  GaussSeidelOptions options;
  options.threads = 2;
  options.omega = 1.3;
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    options.scheme = scheme;
    for (const std::size_t count : {1, 3, 9}) {
      CAPTURE(count);
      options.vectors = {4, true};  // fewer than are applied
      options.sweep = SweepDirection::symmetric;
      check_vectors<Kokkos::LayoutLeft>(a, options, count);
      options.vectors = {9, false};
      options.sweep = SweepDirection::backward;
      check_vectors<Kokkos::LayoutRight>(a, options, count);
    }
  }
}

TEST_CASE("values, bad diagonals, moves and bytes, whatever the scheme") {
  using Type = FirstSweepType;
  using Exec = Type::Exec;
  using Space = Exec::memory_space;
  const Exec exec;
  auto a = lopsided_grid<Exec>(8), other = lopsided_grid<Exec>(8, 1);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = random_vector<double>(n, 1);
  const auto on_device = copy_to<Space>(b);
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  const HostVector<double> expected("heddle::test::expected", n);
  SequentialSweeps<double>(exec, other, {.omega = 1.2}).run(b, expected);
  const HostVector<double> values("heddle::test::values", other.values.extent(0));  // a copy
  Kokkos::deep_copy(values, other.values);
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    GaussSeidelOptions options;
    options.omega = 1.2;
    options.scheme = scheme;
    options.threads = 2;
    Type::Plan first(exec, a.matrix(), options, Type::List());
    const std::size_t bytes = first.bytes();
    CHECK(bytes > n * sizeof(double));
    CHECK(first.scheme().has(scheme.terms().front().key));
    Type::Plan plan = std::move(first);
    CHECK_THROWS_WITH_AS(first.apply(exec, on_device, x), doctest::Contains("moved from"), Error);
    CHECK_THROWS_WITH_AS(first.scheme(), doctest::Contains("moved from"), Error);
    CHECK(plan.bytes() == bytes);
    Type::Plan empty;
    CHECK_THROWS_WITH_AS(empty.relax(exec, on_device, x),
                         doctest::Contains("GaussSeidelPlan::relax was called on an object that is "
                                           "empty"),
                         Error);
    empty = std::move(plan);
    plan = std::move(empty);
    Type::Plan again(exec, a.matrix(), {.scheme = plan.scheme(), .threads = 2}, Type::List());
    CHECK(again.scheme() == plan.scheme());
    const auto before = plan.version();
    plan.update_values(exec, other.matrix());
    CHECK(plan.version() != before);
    plan.check_values(exec);
    plan.apply(exec, on_device, x);
    exec.fence("heddle::test::applied");
    CHECK(difference(x, expected.data()) < 1e-13);
    plan.update_values(other.matrix());
    plan.apply(on_device, x);
    exec.fence("heddle::test::applied_on_the_default");
    CHECK(difference(x, expected.data()) < 1e-13);
    // Each of these rows begins with the entry before its diagonal.
    for (const std::size_t row : {2, 5, 7}) {
      Kokkos::deep_copy(Kokkos::subview(other.values, to_host(other.row_ptr)(row) + 1),
                        std::numeric_limits<double>::quiet_NaN());
    }
    plan.update_values(exec, other.matrix());
    CHECK_THROWS_WITH_AS(plan.check_values(exec), doctest::Contains("row 2"), Error);
    std::int64_t bad = 0;
    Kokkos::deep_copy(bad, plan.bad_row());
    CHECK(bad == 3);
    Kokkos::deep_copy(other.values, values);
    plan.update_values(exec, other.matrix());
    plan.check_values(exec);
  }
}

TEST_CASE("sweeps of every scheme are quiet") {
  for (const Scheme& scheme : sweep_schemes<FirstSweepType::Exec>()) {
    CAPTURE(scheme.to_string());
    check_quiet_sweeps({.scheme = scheme, .threads = 2});
  }
}

TEST_CASE("tiny diagonals divide, and empty matrices do nothing") {
  using Type = FirstSweepType;
  using Exec = Type::Exec;
  const Exec exec;
  auto a = lopsided_grid<Exec>(3);
  Kokkos::deep_copy(a.values, 0.0);
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  for (int i = 0; i < 9; ++i) {
    for (int e = row_ptr(static_cast<std::size_t>(i)); e < row_ptr(static_cast<std::size_t>(i) + 1);
         ++e) {
      if (col_idx(static_cast<std::size_t>(e)) == i)
        Kokkos::deep_copy(Kokkos::subview(a.values, e), 1e-310);
    }
  }
  const Kokkos::View<double*, Exec::memory_space> b("heddle::test::b", 9), x("heddle::test::x", 9);
  Kokkos::deep_copy(b, 2e-310);
  PlainOperator<Exec, double> empty;
  empty.row_ptr = Kokkos::View<int*, Exec::memory_space>("heddle::test::row_ptr", 1);
  const Kokkos::View<double*, Exec::memory_space> none("heddle::test::none", 0);
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    if (!scheme.has("split")) {
      Type::Plan plan(exec, a.matrix(), {.scheme = scheme, .threads = 2}, Type::List());
      plan.apply(exec, b, x);
      exec.fence("heddle::test::applied");
      for (std::size_t i = 0; i < 9; ++i) CHECK(to_host(x)(i) == doctest::Approx(2));
    }
    Type::Plan nothing(exec, empty.matrix(), {.scheme = scheme}, Type::List());
    nothing.apply(exec, none, none);
    nothing.relax(exec, none, none, 2, none);
    nothing.update_values(exec, empty.matrix());
    nothing.check_values(exec);
  }
}

TEST_CASE("schemes that are not there are refused, and what a plan takes is said") {
  using Type = FirstSweepType;
  using Exec = Type::Exec;
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return Type::Plan(exec, a.matrix(), options, Type::List());
  };
  CHECK_THROWS_WITH_AS(plan({.scheme = Scheme::parse("gauss-seidel/nothing")}),
                       doctest::Contains("gauss-seidel/split"), Error);
  CHECK_THROWS_WITH_AS(plan({.threads = -1}), doctest::Contains("options.threads"), Error);
  CHECK_THROWS_WITH_AS(
      plan({.order = GaussSeidelOrder::multicolor, .scheme = Scheme::parse("gauss-seidel/split")}),
      doctest::Contains("their own order"), Error);
  // These options need the scheme split.
  for (const auto& scheme :
       {std::optional<Scheme>(), std::optional(Scheme("gauss-seidel/launches"))}) {
    GaussSeidelOptions options{.scheme = scheme, .spmv_scheme = Scheme("csr/scalar")};
    CHECK_THROWS_WITH_AS(plan(options), doctest::Contains("options.spmv_scheme is given, and"),
                         Error);
    options.sptrsv_scheme = Scheme("sptrsv/level-set");
    CHECK_THROWS_WITH_AS(plan(options), doctest::Contains("options.sptrsv_scheme is given, and"),
                         Error);
    options.spmv_scheme = std::nullopt;
    CHECK_THROWS_WITH_AS(plan(options), doctest::Contains("gauss-seidel/split, or leave it out"),
                         Error);
  }
  Type::Plan natural = plan({});
  const bool hands_over = backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;
  CHECK(natural.scheme().has(hands_over ? "hand-over" : "sequential"));
  CHECK(natural.colors() == 0);
  CHECK(plan({.order = GaussSeidelOrder::multicolor}).colors() > 1);
  CHECK_THROWS_WITH_AS(natural.sptrsv_scheme(SweepDirection::forward),
                       doctest::Contains("no triangular solve"), Error);
  const Kokkos::View<double*, Exec::memory_space> x("heddle::test::x", 16),
      b("heddle::test::b", 16);
  CHECK_THROWS_WITH_AS(natural.relax(exec, b, x, 0, x), doctest::Contains("the residual"), Error);
  CHECK_THROWS_WITH_AS(natural.apply(exec, b, x, b), doctest::Contains("the residual"), Error);
  const Type::Matrix wide(16, 17, a.row_ptr, a.col_idx, a.values);
  CHECK_THROWS_WITH_AS(Type::Plan(exec, wide, {}, Type::List()), doctest::Contains("16 x 17"),
                       Error);
}

TEST_CASE("gauss-seidel/split runs the solve and the product that are pinned") {
  using Type = FirstSweepType;
  using Exec = Type::Exec;
  const Exec exec;
  const Device device = backends::describe(exec);
  auto a = lopsided_grid<Exec>(emulated ? 7 : 20);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Type::Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", n);
  GaussSeidelOptions options;
  options.scheme = Scheme("gauss-seidel/split");
  options.threads = 2;
  // The kernels of a sweep, in order.
  const auto kernels = [&] {
    Type::Plan plan(exec, a.matrix(), options, Type::List());
    Recording recording;
    plan.relax(exec, b, x);
    exec.fence("heddle::test::relaxed");
    std::string labels;
    for (const Event& event : Recording::seen()) {
      if (event.kind == Event::kernel) labels += event.label + "\n";
    }
    return labels;
  };
  const auto first_words = [](const std::vector<Scheme>& variants) {
    std::vector<Scheme> schemes;
    for (const Scheme& variant : variants) {
      const Scheme scheme(variant.format(), {variant.terms().front()});
      if (std::ranges::find(schemes, scheme) == schemes.end()) schemes.push_back(scheme);
    }
    return schemes;
  };
  // Names of published kernels, which are in-order with parameters of its own.
  const auto runs_as = [](const std::string& kernel) -> std::string {
    for (const char* published : {"sync-free", "capellini", "yy"}) {
      if (kernel == published) return "in-order";
    }
    return kernel;
  };
  std::set<std::string> of_solves;
  const std::vector<Scheme> solves =
      first_words(variants_of(heddle::detail::sptrsv::grammar(device)));
  for (const Scheme& solve : solves) {
    CAPTURE(solve.to_string());
    options.sptrsv_scheme = solve;
    check_sweeps<Type>(a, options);
    Type::Plan plan(exec, a.matrix(), options, Type::List());
    for (const auto sweep : {SweepDirection::forward, SweepDirection::backward}) {
      CHECK(plan.sptrsv_scheme(sweep).terms().front().key == runs_as(solve.terms().front().key));
    }
    of_solves.insert(kernels());
  }
  CHECK(of_solves.size() > 1);  // kernels differ, not only names
  options.sptrsv_scheme = std::nullopt;
  for (const Scheme& product : first_words(variants_of(CsrFormat::grammar(device)))) {
    CAPTURE(product.to_string());
    options.spmv_scheme = product;
    check_sweeps<Type>(a, options);
    Type::Plan plan(exec, a.matrix(), options, Type::List());
    for (const auto sweep : {SweepDirection::forward, SweepDirection::backward}) {
      CHECK(plan.spmv_scheme(sweep).terms().front().key == product.terms().front().key);
    }
  }
  options.spmv_scheme = Scheme("csr/nothing");
  CHECK_THROWS_WITH_AS(kernels(), doctest::Contains("nothing"), Error);
  options.spmv_scheme = std::nullopt;
  options.sptrsv_scheme = Scheme("sptrsv/nothing");
  CHECK_THROWS_WITH_AS(kernels(), doctest::Contains("nothing"), Error);
}

TEST_CASE("colors are proper, and the same whatever the threads") {
  using Exec = FirstSweepType::Exec;
  const Exec exec;
  auto a = scattered_matrix<Exec, double>(emulated ? 90 : 1500, 3);
  const heddle::detail::ordered::Colors<Exec, int> colors(exec, a.matrix());
  const auto rows = to_host(colors.schedule().iterations());
  const auto& begin = colors.schedule().level_begin();
  std::vector<int> color(static_cast<std::size_t>(a.n), -1);
  for (std::size_t c = 0; c + 1 < begin.size(); ++c) {
    CHECK(begin[c] < begin[c + 1]);
    for (std::int64_t p = begin[c]; p < begin[c + 1]; ++p) {
      color[static_cast<std::size_t>(rows(static_cast<std::size_t>(p)))] = static_cast<int>(c);
    }
  }
  const auto row_ptr = to_host(a.row_ptr), col_idx = to_host(a.col_idx);
  // The colors by definition: one row after another in the order of the hashes.
  std::vector<int> by_hash(color.size());
  std::iota(by_hash.begin(), by_hash.end(), 0);
  std::sort(by_hash.begin(), by_hash.end(),
            [](int i, int j) { return heddle::detail::ordered::colored_before(i, j); });
  std::vector<std::vector<int>> neighbors(color.size());
  for (int i = 0; i < a.n; ++i) {
    for (int e = row_ptr(static_cast<std::size_t>(i)); e < row_ptr(static_cast<std::size_t>(i) + 1);
         ++e) {
      const int j = col_idx(static_cast<std::size_t>(e));
      if (j == i) continue;
      neighbors[static_cast<std::size_t>(i)].push_back(j);
      neighbors[static_cast<std::size_t>(j)].push_back(i);
    }
  }
  std::vector<int> expected(color.size(), -1);
  for (const int i : by_hash) {
    std::vector<bool> taken(color.size() + 1);
    for (const int j : neighbors[static_cast<std::size_t>(i)]) {
      const int other = expected[static_cast<std::size_t>(j)];
      if (other >= 0) taken[static_cast<std::size_t>(other)] = true;
    }
    const auto free = std::find(taken.begin(), taken.end(), false);
    expected[static_cast<std::size_t>(i)] = static_cast<int>(free - taken.begin());
  }
  CHECK(color == expected);
}

}  // namespace heddle::test
