// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vectors of another type than the matrix: every scheme and candidate gives solutions in the
// precision of the vectors.
#include <doctest/doctest.h>

#include <algorithm>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../../solvers/sptrsv/select/candidates.hpp"
#include "../../support/sptrsv_check.hpp"
#include "../../support/watchdog.hpp"

namespace heddle::test {

namespace {

/// A matrix of S, vectors of V and sums in A.
template <class E, class S, class V, class A = V>
struct WideType : TriangleType<E, S, Indices32> {
  using Vector = V;
  using Accumulator = A;
};

using Exec = Kokkos::DefaultExecutionSpace;
using WideTypes = JoinTuples<
    std::tuple<WideType<Exec, float, double>, WideType<Exec, double, float>>,
    InTurn<WideType<Exec, Kokkos::complex<float>, Kokkos::complex<double>>,
           WideType<Exec, float, Kokkos::complex<double>>>,
    InTurn<WideType<Exec, float, float, double>, WideType<Portable<Exec>, float, double>>>;

/// Samples of a device's schemes, and the candidates for triangles of the pattern's size.
std::vector<Scheme> schemes_for(const Pattern& pattern, const Device& device, std::size_t start) {
  std::vector<Scheme> schemes = sptrsv_samples(device, start);
  std::int64_t entries = 0;
  for (const auto& row : pattern.rows) entries += static_cast<std::int64_t>(row.size());
  for (const int levels : {10, 500}) {
    for (const Scheme& scheme : heddle::detail::sptrsv::candidates(
             static_cast<std::int64_t>(pattern.rows.size()), entries, levels, device)) {
      if (std::find(schemes.begin(), schemes.end(), scheme) == schemes.end()) {
        schemes.push_back(scheme);
      }
    }
  }
  return schemes;
}

template <class T>
struct Solves {
  using V = typename T::Vector;
  using Acc = typename T::Accumulator;
  using Space = typename T::Space;

  const typename T::Exec& exec;
  const DeviceMatrix<T>& A;
  SptrsvOptions options;

  /// The residual after solve(alpha, b, x).
  template <class Solve>
  double residual_of(Op op, int vectors, std::uint64_t seed, const Solve& solve) const {
    const Acc alpha(RealOf<Acc>(-1.25));
    const auto n = static_cast<std::size_t>(A.host.rows());
    const auto b = random_vectors<V>(n, static_cast<std::size_t>(vectors), true, seed);
    const auto b_device = b.template in<Space>();
    const Vectors<V, Space> x(n, static_cast<std::size_t>(vectors), true);
    fill_with_poison(x.data());
    solve(alpha, b_device.view(), x.view());
    exec.fence("heddle::test::solved");
    const auto triangle = triangle_of(A.host, options.triangle, options.diagonal);
    return residual(triangle, op, x.template in<Kokkos::HostSpace>().view(), alpha, b.view());
  }
  template <class Plan>
  double residual_of(Plan& plan, Op op, int vectors, std::uint64_t seed) const {
    return residual_of(op, vectors, seed, [&](const Acc& alpha, const auto& b, const auto& x) {
      plan.apply(exec, op, alpha, b, x);
    });
  }
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv: solutions have the precision of the vectors", T, wide) {
  using Plan = typename T::template Plan<typename T::Vector, typename T::Accumulator>;
  const typename T::Exec exec;
  const Device device = backends::describe(exec);
  Watchdog watchdog("sptrsv wide");
  std::size_t start = 0;
  for (const Pattern& lower : triangle_patterns()) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const Pattern pattern = triangle == Triangle::lower ? lower : reversed(lower);
      const auto A = triangle_on_device<T>(exec, pattern);
      const auto B = triangle_on_device<T>(exec, pattern, 77);
      CAPTURE(A.name);
      for (const Scheme& scheme : schemes_for(pattern, device, start += 761)) {
        CAPTURE(scheme.to_string());
        const SptrsvOptions options{.triangle = triangle, .scheme = scheme};
        Plan plan(exec, A.matrix(), options);
        CHECK(Solves<T>{exec, A, options}.residual_of(plan, Op::none, 1, 5) <= 1);
        plan.update_values(exec, B.matrix());
        CHECK(Solves<T>{exec, B, options}.residual_of(plan, Op::none, 1, 6) <= 1);
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(wide, WideTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: that holds for all ops, diagonals and several vectors", T,
                          wide_ways) {
  using Plan = typename T::template Plan<typename T::Vector, typename T::Accumulator>;
  const typename T::Exec exec;
  Watchdog watchdog("sptrsv wide ways");
  for (const char* name : {"grid", "random", "unsorted with duplicates", "long rows"}) {
    CAPTURE(name);
    const Pattern pattern = triangle_named(name);
    const auto A = triangle_on_device<T>(exec, pattern);
    for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
      for (const Scheme& scheme : sptrsv_samples(backends::describe(exec), 17)) {
        CAPTURE(scheme.to_string());
        const SptrsvOptions options{.diagonal = diagonal,
                                    .scheme = scheme,
                                    .vectors = {.count = 4},
                                    .ops = {Op::transpose}};
        Plan plan(exec, A.matrix(), options);
        const Solves<T> solves{exec, A, options};
        for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
          CAPTURE(heddle::name(op));
          for (const int vectors : {1, 3, 6}) CHECK(solves.residual_of(plan, op, vectors, 5) <= 1);
        }
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(wide_ways, WideTypes);

TEST_CASE_TEMPLATE_DEFINE("sptrsv: and without a plan", T, wide_without_plan) {
  using V = typename T::Vector;
  if constexpr (std::same_as<V, typename T::Accumulator>) {  // sums have type V
    const typename T::Exec exec;
    Watchdog watchdog("sptrsv wide without a plan");
    for (const Pattern& pattern : triangle_patterns()) {
      CAPTURE(pattern.name);
      const auto A = triangle_on_device<T>(exec, pattern);
      const SptrsvWorkspace<typename T::Exec, V> workspace(exec, A.host.rows(), 2);
      for (const int vectors : {1, 2}) {
        CHECK(Solves<T>{exec, A, {}}.residual_of(Op::none, vectors, 7,
                                                 [&](const V& alpha, const auto& b, const auto& x) {
                                                   sptrsv(exec, alpha, A.matrix(), b, x, workspace);
                                                 }) <= 1);
      }
      watchdog.progress();
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(wide_without_plan, WideTypes);

}  // namespace heddle::test
