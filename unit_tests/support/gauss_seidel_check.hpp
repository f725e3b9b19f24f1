// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common checks of Gauss-Seidel schemes, for rows and for blocks.
#pragma once

#include "../../testing/events.hpp"
#include "gauss_seidel.hpp"
#include "shared_sweeps.hpp"
#include "wrong_sweeps.hpp"

namespace heddle::test {

template <class E, class S>
struct SweepType {
  using Exec = E;
  using Space = typename E::memory_space;
  using Scalar = S;
  using Matrix = typename PlainOperator<E, S>::Matrix;
  using List = SweepFormats<E, Matrix>;
  using Plan = GaussSeidelPlan<E, Matrix, List>;
};

#if defined(HEDDLE_EMULATED) || defined(HEDDLE_SANITIZED_TESTS)
using SweepTypes = std::tuple<SweepType<DefaultDevice, double>>;
#else
using SweepTypes = JoinTuples<std::tuple<SweepType<DefaultDevice, double>>,
                              InTurn<SweepType<DefaultDevice, Kokkos::complex<float>>,
                                     SweepType<Portable<Kokkos::DefaultExecutionSpace>, double>>>;
#endif
using FirstSweepType = std::tuple_element_t<0, SweepTypes>;

inline constexpr SweepDirection every_sweep[] = {SweepDirection::forward, SweepDirection::backward,
                                                 SweepDirection::symmetric};

/// Checks a plan's sweeps from zero and from a guess, and their residuals, against the host's.
template <class Type, class Operator>
void check_sweeps(const Operator& a, const GaussSeidelOptions& options) {
  using S = typename Type::Scalar;
  using Space = typename Type::Space;
  const double tolerance = 4000 * static_cast<double>(std::numeric_limits<RealOf<S>>::epsilon());
  const typename Type::Exec exec;
  const auto n = static_cast<std::size_t>(a.n);
  typename Type::Plan plan(exec, a.matrix(), options, typename Type::List());
  const auto b = random_vector<S>(n, 1), guess = random_vector<S>(n, 2);
  const auto wrong = [&](int sweeps, bool wants_residual, double allowed) {
    return wrong_sweeps(exec, plan, a, options, b, guess, sweeps, wants_residual, allowed);
  };
  CHECK(wrong(0, true, tolerance) == "");
  CHECK(wrong(0, false, tolerance) == "");
  CHECK(wrong(1, true, 5 * tolerance) == "");
  CHECK(wrong(3, false, 5 * tolerance) == "");
  // The residual changes no bit of x.
  const auto on_device = copy_to<Space>(b), x = copy_to<Space>(b), other = copy_to<Space>(b),
             r = copy_to<Space>(b);
  plan.apply(exec, on_device, x, r);
  plan.apply(exec, on_device, other);
  exec.fence("heddle::test::applied");
  CHECK(bits_of(x) == bits_of(other));
}

/// Two sweeps of `count` vectors in a layout, and residuals, must equal those of single vectors.
template <class Layout, class Operator>
void check_vectors(const Operator& a, const GaussSeidelOptions& options, std::size_t count) {
  using Type = FirstSweepType;
  const Type::Exec exec;
  const auto n = static_cast<std::size_t>(a.n);
  Type::Plan plan(exec, a.matrix(), options, Type::List());
  const auto host_b = random_columns<double, Layout>(n, count, 1);
  const auto host_x = random_columns<double, Layout>(n, count, 2);
  CHECK(wrong_sweeps(exec, plan, a, options, host_b, host_x, 2, true, 1e-12) == "");
}

}  // namespace heddle::test
