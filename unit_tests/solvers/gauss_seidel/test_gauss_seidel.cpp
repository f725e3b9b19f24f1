// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps of every scheme against those on the host, over rows and over blocks; as preconditioners;
// errors of their own. plans/ has what all plans promise.
#include <heddle/cg.hpp>
#include <set>

#include "../../../formats/csr/inspect.hpp"
#include "../../../solvers/gauss_seidel/definitions.hpp"
#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../support/gauss_seidel_check.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

using Type = FirstSweepType;
using Exec = Type::Exec;
using Space = Type::Space;
using Matrix = Type::Matrix;
using Plan = Type::Plan;

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sweeps have the numbers of the sequential program", T,
                          sweeps_are_right) {
  using On = typename T::Exec;
  using S = typename T::Scalar;
  auto grid = lopsided_grid<On, S>(emulated ? 7 : 33), one = lopsided_grid<On, S>(1);
  auto scattered = scattered_matrix<On, S>(emulated ? 60 : 400, 5);
  for (const Scheme& scheme : sweep_schemes<On>()) {
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
        check_sweeps<T>(grid, options);
        if (omega == 0.7 || plain) check_sweeps<T>(scattered, options);
        if (omega == 0.7) check_sweeps<T>(one, options);
        options.order = GaussSeidelOrder::multicolor;
        if (scheme.has("split") || omega == 0.7) continue;
        if (!emulated || plain) check_sweeps<T>(scattered, options);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(sweeps_are_right, SweepTypes);

TEST_CASE("several vectors are as each alone, in any layout") {
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

TEST_CASE("tiny diagonals divide") {
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
  const Kokkos::View<double*, Space> b("heddle::test::b", 9), x("heddle::test::x", 9);
  Kokkos::deep_copy(b, 2e-310);
  for (const Scheme& scheme : sweep_schemes<Exec>()) {
    CAPTURE(scheme.to_string());
    if (scheme.has("split")) continue;
    Plan plan(exec, a.matrix(), {.scheme = scheme, .threads = 2}, Type::List());
    plan.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    for (std::size_t i = 0; i < 9; ++i) CHECK(to_host(x)(i) == doctest::Approx(2));
  }
}

TEST_CASE("schemes that are not there are refused, and what a plan takes is said") {
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return Plan(exec, a.matrix(), options, Type::List());
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
  Plan natural = plan({});
  const bool hands_over = backends::has_lanes<Exec> && backends::waits_make_progress<Exec>;
  CHECK(natural.scheme().has(hands_over ? "hand-over" : "sequential"));
  CHECK(natural.colors() == 0);
  CHECK(plan({.order = GaussSeidelOrder::multicolor}).colors() > 1);
  CHECK_THROWS_WITH_AS(natural.sptrsv_scheme(SweepDirection::forward),
                       doctest::Contains("no triangular solve"), Error);
  const Kokkos::View<double*, Space> x("heddle::test::x", 16), b("heddle::test::b", 16);
  CHECK_THROWS_WITH_AS(natural.relax(exec, b, x, 0, x), doctest::Contains("the residual"), Error);
  CHECK_THROWS_WITH_AS(natural.apply(exec, b, x, b), doctest::Contains("the residual"), Error);
  const Matrix wide(16, 17, a.row_ptr, a.col_idx, a.values);
  CHECK_THROWS_WITH_AS(Plan(exec, wide, {}, Type::List()), doctest::Contains("16 x 17"), Error);
}

TEST_CASE("gauss-seidel/split runs the solve and the product that are pinned") {
  const Exec exec;
  const Device device = backends::describe(exec);
  auto a = lopsided_grid<Exec>(emulated ? 7 : 20);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  GaussSeidelOptions options;
  options.scheme = Scheme("gauss-seidel/split");
  options.threads = 2;
  // The kernels of a sweep, in order.
  const auto kernels = [&] {
    Plan plan(exec, a.matrix(), options, Type::List());
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
    Plan plan(exec, a.matrix(), options, Type::List());
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
    Plan plan(exec, a.matrix(), options, Type::List());
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

TEST_CASE_TEMPLATE_DEFINE("sweeps over blocks have the numbers of the sequential program", T,
                          block_sweeps_are_right) {
  using On = typename T::Exec;
  using S = typename T::Scalar;
  auto grid = lopsided_grid<On, S>(emulated ? 7 : 17), one = lopsided_grid<On, S>(1);
  auto scattered = scattered_matrix<On, S>(emulated ? 59 : 302, 5);
  for (const Scheme& scheme : block_schemes<On>()) {
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
        check_sweeps<T>(grid, options);
        options.omega = size == 4 ? 1.6 : 0.7;
        check_sweeps<T>(scattered, options);
        if (size == 3) check_sweeps<T>(one, options);
        options.order = GaussSeidelOrder::multicolor;
        if (size == 2 || size == 7) check_sweeps<T>(scattered, options);
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(block_sweeps_are_right, SweepTypes);

TEST_CASE("several vectors are swept over blocks as each alone, in any layout") {
  auto a = scattered_matrix<Exec, double>(emulated ? 50 : 301, 7);
  GaussSeidelOptions options;
  options.threads = 2;
  options.omega = 1.2;
  for (const Scheme& scheme : block_schemes<Exec>()) {
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

TEST_CASE("a diagonal of zeros will do where its blocks are regular") {
  const Exec exec;
  // Pairs of unknowns without other neighbours: one sweep solves for them.
  const auto a =
      plain_operator<Exec, double>({0, 1, 2, 3, 4, 5, 6}, {1, 0, 3, 2, 5, 4}, {2, 4, 2, 4, 2, 4});
  GaussSeidelOptions options;
  options.block_size = 2;
  Plan plan(exec, a.matrix(), options, Type::List());
  const Kokkos::View<double*, Space> b("heddle::test::b", 6), x("heddle::test::x", 6);
  Kokkos::deep_copy(b, 8.0);
  plan.apply(exec, b, x);
  exec.fence("heddle::test::applied");
  for (std::size_t i = 0; i < 6; ++i) CHECK(to_host(x)(i) == (i % 2 ? 4 : 2));
}

TEST_CASE("sizes and schemes without blocks are refused") {
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return Plan(exec, a.matrix(), options, Type::List());
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
}

TEST_CASE("several vectors by the scheme that is chosen") {
  GaussSeidelOptions options;
  options.vectors.count = 3;
  check_vectors<Kokkos::LayoutRight>(lopsided_grid<Exec>(emulated ? 6 : 20), options, 3);
}

TEST_CASE("a symmetric sweep preconditions cg, a one-sided one is refused") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 40);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Space> x("heddle::test::x", n);
  CgSolver<Exec, double> cg(exec, a.n, {.zero_guess = true});
  const KrylovResult plain = cg.solve(exec, a, b, x);
  Plan symmetric(exec, a.matrix(), {}, Type::List());
  const KrylovResult preconditioned = cg.solve(exec, a, b, x, symmetric);
  CHECK(preconditioned.converged());
  CHECK(relative_residual(a, b, x) < 2e-8);
  CHECK(2 * preconditioned.iterations < plain.iterations + 4);
  Plan forward(exec, a.matrix(), {.sweep = SweepDirection::forward}, Type::List());
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, forward),
                       doctest::Contains("a forward Gauss-Seidel sweep is not symmetric"), Error);
  SptrsvPlan<Exec, Matrix> triangle(exec, a.matrix(), {.ignore_outside = true});
  CHECK_THROWS_WITH_AS(cg.solve(exec, a, b, x, triangle), doctest::Contains("SptrsvPlan"), Error);
}

TEST_CASE("plans are operators and preconditioners of several right-hand sides") {
  const Exec exec;
  auto a = laplacian<Exec, double>(emulated ? 8 : 30);
  const auto n = static_cast<std::size_t>(a.n);
  SpmvPlan<Exec, Matrix, double, double, Formats<CsrFormat>> A(exec, a.matrix());
  Plan sweep(exec, a.matrix(), {}, Type::List());  // workspace for one vector
  CgSolver<Exec, double> cg(exec, a.n, {.vectors = 4});
  const auto b = copy_to<Space>(random_columns<double, Kokkos::LayoutRight>(n, 4, 1));
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> x("heddle::test::x", n, 4);
  CHECK(cg.solve(exec, A, b, x, sweep).converged());
  const Kokkos::View<double*, Space> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
  for (int c = 0; c < 4; ++c) {
    Kokkos::deep_copy(of_b, Kokkos::subview(b, Kokkos::ALL, c));
    Kokkos::deep_copy(of_x, Kokkos::subview(x, Kokkos::ALL, c));
    CHECK(relative_residual(a, of_b, of_x) < 2e-8);
  }
  const double entries = 4.0 * static_cast<double>(n) * sizeof(double);
  CHECK(cg.moved_bytes(A, sweep) == A.moved_bytes(Op::none, 4) + 12 * entries);
}

TEST_CASE("wrong input is an error that names the row") {
  const Exec exec;
  auto a = lopsided_grid<Exec>(4);
  const auto plan = [&](const GaussSeidelOptions& options) {
    return Plan(exec, a.matrix(), options, Type::List());
  };
  CHECK_THROWS_WITH_AS(plan({.omega = 2}), doctest::Contains("options.omega is 2"), Error);
  CHECK_THROWS_WITH_AS(plan({.vectors = {.count = 0}}), doctest::Contains("options.vectors.count"),
                       Error);
  Plan good = plan({});
  const Kokkos::View<double*, Space> x("heddle::test::x", 16), longer("heddle::test::y", 17);
  CHECK_THROWS_WITH_AS(good.apply(exec, x, x), doctest::Contains("same vector"), Error);
  CHECK_THROWS_WITH_AS(good.apply(exec, longer, x), doctest::Contains("17 x 1"), Error);
  const Kokkos::View<double*, Space> b("heddle::test::b", 16);
  CHECK_THROWS_WITH_AS(good.relax(exec, b, x, -1), doctest::Contains("-1 sweeps were asked for"),
                       Error);
  CHECK_THROWS_WITH_AS(good.relax(exec, b, x, -1, longer), doctest::Contains("-1 sweeps"), Error);
  CHECK_THROWS_WITH_AS(good.relax(b, x, -1, longer), doctest::Contains("-1 sweeps"), Error);
  CHECK_NOTHROW(good.relax(exec, b, x, 0));
  const auto split = Scheme::parse("gauss-seidel/split");
  CHECK_THROWS_WITH_AS(plan({.sweep = SweepDirection::forward, .scheme = split})
                           .sptrsv_scheme(SweepDirection::backward),
                       doctest::Contains("no backward sweep"), Error);
  const auto values = to_host(a.values);
  Kokkos::deep_copy(Kokkos::subview(a.values, 0), 0.0);
  CHECK_THROWS_WITH_AS(plan({}),
                       doctest::Contains("row 0: the diagonal is missing, zero or not "
                                         "finite; store one, or shift it"),
                       Error);
}

}  // namespace heddle::test
