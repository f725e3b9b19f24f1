// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The contract of a triangular solve, for every scheme.
#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

/// Solves by a plan with random right-hand sides and poisoned x, and checks x against the oracle.
template <class T, class Plan>
double solve(const typename T::Exec& exec, Plan& plan, const DeviceMatrix<T>& A,
             const SptrsvOptions& options, Op op, int vectors, bool apart, bool in_place,
             std::uint64_t seed) {
  using S = typename T::Scalar;
  const S alpha = is_complex<S> ? S(RealOf<S>(0.75)) : S(-1.25);
  const auto n = static_cast<std::size_t>(A.host.rows());
  const auto b = random_vectors<S>(n, static_cast<std::size_t>(vectors), apart, seed);
  const auto b_device = b.template in<typename T::Space>();
  Vectors<S, typename T::Space> x(n, static_cast<std::size_t>(vectors), apart);
  if (in_place) {
    x = b_device;
  } else {
    fill_with_poison(x.data());
  }
  plan.apply(exec, op, alpha, b_device.view(), x.view());
  exec.fence("heddle::test::solved");
  const auto triangle = triangle_of(A.host, options.triangle, options.diagonal);
  return residual(triangle, op, x.template in<Kokkos::HostSpace>().view(), alpha, b.view());
}

/// Every scheme; on an emulated device a sample that depends on `turn`.
std::vector<Scheme> schemes_at(const Device& device, std::size_t turn) {
  return emulated ? sptrsv_samples(device, turn) : sptrsv_variants(device);
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv: every scheme solves every triangle", T, all_schemes) {
  const typename T::Exec exec;
  const Device device = backends::describe(exec);
  Watchdog watchdog("sptrsv schemes");
  std::size_t turn = 0;
  for (const Pattern& lower : triangle_patterns()) {
    for (const bool upper : {false, true}) {
      const auto A = triangle_on_device<T>(exec, upper ? reversed(lower) : lower);
      CAPTURE(A.name);
      for (const Scheme& scheme : schemes_at(device, turn++)) {
        CAPTURE(scheme.to_string());
        SptrsvOptions options{.triangle = upper ? Triangle::upper : Triangle::lower,
                              .scheme = scheme};
        typename T::template Plan<> plan(exec, A.matrix(), options);
        for (std::uint64_t repeat = 0; repeat < (emulated ? 1 : 3); ++repeat) {
          CHECK(solve(exec, plan, A, options, Op::none, 1, true, false, repeat) <= 1);
        }
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(all_schemes, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: ops, diagonals, in place, several right-hand sides", T, ways) {
  const typename T::Exec exec;
  Watchdog watchdog("sptrsv ways");
  for (const char* name :
       {"grid", "random", "elements", "unsorted with duplicates", "one huge row"}) {
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    CAPTURE(name);
    for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
      SptrsvOptions options{.diagonal = diagonal,
                            .vectors = {.count = 4},
                            .ops = {Op::transpose, Op::conjugate_transpose}};
      typename T::template Plan<> plan(exec, A.matrix(), options);
      std::uint64_t seed = 1;
      for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
        CAPTURE(heddle::name(op));
        // Fewer vectors after more, and more after fewer: the last solve may leave nothing.
        for (const int vectors : {1, 4, 3, 0, 9, 2, 1}) {
          CAPTURE(vectors);
          for (const bool apart : {true, false}) {
            CHECK(solve(exec, plan, A, options, op, vectors, apart, seed % 2 == 0, seed) <= 1);
            ++seed;
          }
        }
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(ways, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: rows whose entries are larger than their diagonal", T, growth) {
  using S = typename T::Scalar;
  using Real = RealOf<S>;
  const typename T::Exec exec;
  const Device device = backends::describe(exec);
  Watchdog watchdog("sptrsv growth");
  std::size_t turn = 0;
  for (const char* name : {"short chains", "grid of few levels", "two wide levels"}) {
    CAPTURE(name);
    // Few levels, so that x stays finite in float; groups have several levels.
    const Pattern pattern = std::string(name) == "two wide levels" ? triangle_named(name)
                            : std::string(name) == "short chains"
                                ? lower_pattern(name, 600,
                                                [](std::int64_t i) {
                                                  return i % 9 ? std::vector<std::int64_t>{i - 1}
                                                               : std::vector<std::int64_t>{};
                                                })
                                : lower_pattern(name, 900, [](std::int64_t i) {
                                    std::vector<std::int64_t> row;
                                    if (i >= 90 && i % 90 >= 80) row.push_back(i - 90);
                                    if (i % 9) row.push_back(i - 1);
                                    return row;
                                  });
    auto host = make_matrix<S, typename DeviceMatrix<T>::O, typename DeviceMatrix<T>::Off>(pattern);
    set_triangle_values(host, 3);
    for (std::size_t i = 0; i < static_cast<std::size_t>(host.rows()); ++i) {
      for (auto k = host.row_ptr()(i); k < host.row_ptr()(i + 1); ++k) {
        const auto e = static_cast<std::size_t>(k);
        // Large entries in two of three sets of 27 rows: some blocks are well-conditioned.
        const bool off_diagonal = static_cast<std::size_t>(host.col_idx()(e)) != i;
        if (off_diagonal && i / 27 % 3) host.values()(e) = S(static_cast<Real>(i % 2 ? 7 : -5));
      }
    }
    const auto A = to_device<T>(exec, pattern.name, host);
    for (const Scheme& scheme : schemes_at(device, turn++)) {
      CAPTURE(scheme.to_string());
      const SptrsvOptions options{.scheme = scheme, .ops = {Op::transpose}};
      typename T::template Plan<> plan(exec, A.matrix(), options);
      for (const Op op : {Op::none, Op::transpose}) {
        CHECK(solve(exec, plan, A, options, op, 1, true, false, 5) <= 1);
        CHECK(solve(exec, plan, A, options, op, 3, true, true, 6) <= 1);
      }
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(growth, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: two plans borrow one LU matrix, and take new values", T, lu) {
  const typename T::Exec exec;
  const Pattern lower = triangle_named("random");
  const Pattern upper = reversed(lower);
  Pattern both{"LU", lower.columns, {}};
  for (std::size_t i = 0; i < lower.rows.size(); ++i) {
    const auto l = lower.rows[i], u = upper.rows[i];
    std::vector<std::int64_t> row(l.begin(), l.end());
    for (const std::int64_t j : u) {
      if (j > static_cast<std::int64_t>(i)) row.push_back(j);
    }
    std::reverse(row.begin(), row.end());
    both.rows.push_back(row);
  }
  const auto A = triangle_on_device<T>(exec, both);
  const SptrsvOptions options_l{
      .diagonal = Diagonal::unit, .ignore_outside = true, .ops = {Op::transpose}};
  const SptrsvOptions options_u{
      .triangle = Triangle::upper, .ignore_outside = true, .ops = {Op::transpose}};
  typename T::template Plan<> L(exec, A.matrix(), options_l), U(exec, A.matrix(), options_u);
  const auto B = triangle_on_device<T>(exec, both, 77);
  for (const auto* now : {&A, &B}) {
    L.update_values(exec, now->matrix());
    U.update_values(exec, now->matrix());
    for (const Op op : {Op::none, Op::transpose}) {
      CHECK(solve(exec, L, *now, options_l, op, 1, true, false, 5) <= 1);
      CHECK(solve(exec, U, *now, options_u, op, 1, true, false, 6) <= 1);
    }
  }
  CHECK_NOTHROW(U.check_values(exec));
  CHECK_NOTHROW(U.check_values());
}
TEST_CASE_TEMPLATE_APPLY(lu, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: the same bits every time, and by a fresh plan", T, bits) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const typename T::Exec exec;
  for (const char* name : {"grid", "long rows"}) {
    const auto A = triangle_on_device<T>(exec, triangle_named(name));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = copy_to<Space>(random_vector<S>(n, 3));
    const Kokkos::View<S*, Space> first("heddle::test::first", n), x("heddle::test::x", n);
    typename T::template Plan<> plan(exec, A.matrix());
    plan.apply(exec, S(1), b, first);
    for (int repeat = 0; repeat < (emulated ? 5 : 20); ++repeat) {
      plan.apply(exec, S(1), b, x);
      exec.fence("heddle::test::solved");
      CHECK(same_bits(to_host(x), to_host(first)));
    }
    // The printed scheme runs in the same way.
    typename T::template Plan<> again(exec, A.matrix(), {.scheme = plan.scheme()});
    CHECK(again.scheme() == plan.scheme());
    again.apply(exec, S(1), b, x);
    exec.fence("heddle::test::solved");
    CHECK(same_bits(to_host(x), to_host(first)));
  }
}
TEST_CASE_TEMPLATE_APPLY(bits, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: NaN, infinity and empty words pass through", T, odd_values) {
  using S = typename T::Scalar;
  using V = RealOf<S>;
  const typename T::Exec exec;
  const auto A = triangle_on_device<T>(exec, triangle_named("two chains"));
  typename T::template Plan<> plan(exec, A.matrix());
  const auto n = static_cast<std::size_t>(A.host.rows());
  auto host = random_vector<S>(n, 3);
  // The NaN that means "empty" in the library.
  const auto empty = [] {
    if constexpr (sizeof(V) == 4)
      return Kokkos::bit_cast<V>(0x7fc0c5a1u);
    else
      return Kokkos::bit_cast<V>(std::uint64_t{0x7ff8c5a1c5a1c5a1u});
  }();
  host(10) = S(empty);
  host(21) = S(std::numeric_limits<V>::infinity());
  const auto b = copy_to<typename T::Space>(host);
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", n);
  for (int repeat = 0; repeat < 2; ++repeat) {
    plan.apply(exec, S(1), b, x);
    exec.fence("heddle::test::solved");
    const auto result = to_host(x);
    const auto size = [&](std::size_t i) { return Kokkos::abs(result(i)); };
    for (std::size_t i = 0; i < 10; ++i) CHECK(std::isfinite(size(i)));
    CHECK(std::isnan(size(10)));
    CHECK(std::isnan(size(12)));
    CHECK(std::isfinite(size(19)));
    CHECK(!std::isfinite(size(21)));
  }
}
TEST_CASE_TEMPLATE_APPLY(odd_values, SuiteTriangleTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: alpha == 0 reads neither T nor b", T, alpha_zero) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = triangle_on_device<T>(exec, triangle_named("random"));
  typename T::template Plan<> plan(exec, A.matrix());
  const auto n = static_cast<std::size_t>(A.host.rows());
  const Kokkos::View<S*, typename T::Space> b("heddle::test::b", n), x("heddle::test::x", n);
  fill_with_poison(b);
  fill_with_poison(x);
  plan.apply(exec, S(0), b, x);
  exec.fence("heddle::test::solved");
  const auto result = to_host(x);
  for (std::size_t i = 0; i < n; ++i) CHECK(result(i) == S(0));
}
TEST_CASE_TEMPLATE_APPLY(alpha_zero, SuiteTriangleTypes);

}  // namespace heddle::test
