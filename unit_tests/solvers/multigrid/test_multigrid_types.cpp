// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Multigrid in other scalars and through Kokkos' team policy, with a near-nullspace that is not
// constant.
#define HEDDLE_DEFINITIONS  // for other types
#include <heddle/cg.hpp>
#include <heddle/multigrid.hpp>

#include "../../../backends/cooperative.hpp"
#include "../../support/multigrid.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

constexpr int side = 30;

/// A Laplacian whose unknowns are scaled by weights, and the weights: its near-nullspace.
template <class E, class S>
struct Weighted {
  PlainOperator<E, S> matrix;
  Kokkos::View<S*, typename E::memory_space> weights;
};

/// Weights of magnitude 1 to 2; complex ones have phases that vary, and A is Hermitian.
template <class E, class S>
Weighted<E, S> weighted_laplacian() {
  using Real = RealOf<S>;
  const auto weight = [](int i) {
    const Real size = static_cast<Real>(1 + i % 5 * 0.25);
    if constexpr (is_complex<S>) {
      return S(size * static_cast<Real>(std::cos(i)), size * static_cast<Real>(std::sin(i)));
    } else {
      return i % 3 == 0 ? S(-size) : S(size);
    }
  };
  std::vector<S> weights;
  for (int i = 0; i < side * side; ++i) weights.push_back(weight(i));
  const auto a = grid_operator<E, S>(side, [=](int i, int j) {
    const S value = S(1) / (conjugate(weight(i)) * weight(j)) * (i == j ? S(4) : S(-1));
    if constexpr (is_complex<S>) {
      return i == j ? S(value.real(), 0) : value;
    } else {
      return value;
    }
  });
  return {a, copy_in<typename E::memory_space>(weights)};
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("near-nullspace vectors, in every scalar", T, scalars) {
  using S = typename T::Scalar;
  using E = typename T::Exec;
  const E exec;
  auto [a, weights] = weighted_laplacian<E, S>();
  const auto b = right_hand_side<S, typename T::Space>(a.n);
  const Kokkos::View<S*, typename T::Space> x("heddle::test::x", static_cast<std::size_t>(a.n));
  CgSolver<E, S> cg(exec, a.n);
  MultigridOf<E, S> plan(exec, a.matrix(), weights, {.coarsest_rows = 20});
  CHECK(plan.symmetric());
  CHECK(plan.levels().levels.size() > 2);
  check_positive_definite<S>(exec, plan);
  const KrylovResult result = cg.solve(exec, a, b, x, plan);
  CHECK(result.converged());
  CHECK(relative_residual(a, b, x) < (std::is_same_v<RealOf<S>, float> ? 2e-5 : 1.01e-8));
  CHECK(result.iterations <= 15);
  MultigridOf<E, S> by_constant(exec, a.matrix(), {.improve_candidates = 0, .coarsest_rows = 20});
  Kokkos::deep_copy(x, S(0));
  CHECK(cg.solve(exec, a, b, x, by_constant).iterations > result.iterations);
  if constexpr (!is_complex<S>) {  // relaxation finds signs, and not phases
    MultigridOf<E, S> by_relaxation(exec, a.matrix(), {.coarsest_rows = 20});
    Kokkos::deep_copy(x, S(0));
    CHECK(cg.solve(exec, a, b, x, by_relaxation).iterations <= result.iterations + 3);
  }
  // Small levels in one launch and in many.
  const MultigridOf<E, S> apart(exec, a.matrix(), weights,
                                {.coarsest_rows = 20, .one_launch_entries = 0}),
      together(
          exec, a.matrix(), weights,
          {.coarsest_rows = 20, .one_launch_entries = backends::has_cooperative<E> ? 1 << 30 : -1});
  CHECK(relative_difference(applied(exec, together, b), applied(exec, apart, b)) <=
        (std::is_same_v<RealOf<S>, float> ? 1e-4 : 1e-11));
  for (const MultigridCycle cycle : {MultigridCycle::v, MultigridCycle::w, MultigridCycle::k}) {
    CAPTURE(name(cycle));
    MultigridOf<E, S> plain(exec, a.matrix(), weights,
                            {.kind = MultigridKind::plain_aggregation,
                             .cycle = cycle,
                             .coarsest_rows = 20,
                             .one_launch_entries = 0});
    CHECK(plain.is_variable() == (cycle == MultigridCycle::k));
    if (cycle != MultigridCycle::k) check_positive_definite<S>(exec, plain);
    Kokkos::deep_copy(x, S(0));
    const KrylovResult by_plain = cg.solve(exec, a, b, x, plain);
    CHECK(by_plain.converged());
    CHECK(relative_residual(a, b, x) < (std::is_same_v<RealOf<S>, float> ? 2e-5 : 1.01e-8));
    CHECK(by_plain.iterations <= 30);
  }
  const auto thrice = with_values(a, [](S value) { return value * S(3); });
  plan.update_values(exec, thrice.matrix());
  plan.check_values(exec);
  check_positive_definite<S>(exec, plan);
}
#if defined(HEDDLE_SANITIZED_TESTS)
TEST_CASE_TEMPLATE_APPLY(scalars, std::tuple<Types<DefaultDevice, double, Indices32OfVectors>>);
#else
TEST_CASE_TEMPLATE_APPLY(
    scalars,
    JoinTuples<std::tuple<Types<Portable<DefaultDevice>, double, Indices32OfVectors>,
                          Types<DefaultDevice, float, Indices32OfVectors>>,
               InTurn<Types<DefaultDevice, Kokkos::complex<double>, Indices32OfVectors>,
                      Types<Portable<DefaultDevice>, Kokkos::complex<float>, Indices32OfVectors>>>);
#endif

}  // namespace heddle::test
