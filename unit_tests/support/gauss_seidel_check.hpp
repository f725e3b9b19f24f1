// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common checks of Gauss-Seidel schemes, for rows and for blocks.
#pragma once

#include "../../testing/events.hpp"
#include "gauss_seidel.hpp"
#include "shared_sweeps.hpp"

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
  const SequentialSweeps<S> sweeps(exec, a, options);
  typename Type::Plan plan(exec, a.matrix(), options, typename Type::List());
  const auto b = random_vector<S>(n, 1), guess = random_vector<S>(n, 2);
  const auto on_device = copy_to<Space>(b);
  const HostVector<S> expected("heddle::test::expected", n);
  const Kokkos::View<S*, Space> x("heddle::test::x", n), r("heddle::test::r", n);
  fill_with_poison(x);
  fill_with_poison(r);
  plan.apply(exec, on_device, x, r);
  exec.fence("heddle::test::applied");
  sweeps.run(b, expected);
  CHECK(difference(x, expected.data()) < tolerance);
  CHECK(difference(r, sweeps.residual(b, expected)) < tolerance);
  const auto bits = bits_of(x);
  fill_with_poison(x);
  plan.apply(exec, on_device, x);
  exec.fence("heddle::test::applied");
  CHECK(bits_of(x) == bits);
  for (const int count : {1, 3}) {
    Kokkos::deep_copy(x, guess);
    Kokkos::deep_copy(expected, guess);
    plan.relax(exec, on_device, x, count, r);
    exec.fence("heddle::test::relaxed");
    sweeps.run(b, expected, count);
    CHECK(difference(x, expected.data()) < 5 * tolerance);
    CHECK(difference(r, sweeps.residual(b, expected)) < 5 * tolerance);
  }
}

/// Two sweeps of `count` vectors in a layout, and residuals, must equal those of single vectors.
template <class Layout, class Operator>
void check_vectors(const Operator& a, const GaussSeidelOptions& options, std::size_t count) {
  using Type = FirstSweepType;
  using Space = Type::Space;
  const Type::Exec exec;
  const auto n = static_cast<std::size_t>(a.n);
  Type::Plan plan(exec, a.matrix(), options, Type::List());
  const auto host_b = random_columns<double, Layout>(n, count, 1);
  const auto host_x = random_columns<double, Layout>(n, count, 2);
  const auto b = copy_to<Space>(host_b), x = copy_to<Space>(host_x), r = copy_to<Space>(host_x);
  fill_with_poison(r);
  plan.relax(exec, b, x, 2, r);
  exec.fence("heddle::test::relaxed");
  const SequentialSweeps<double> sweeps(exec, a, options);
  const auto got_x = to_host(x), got_r = to_host(r);
  const HostVector<double> of_b("heddle::test::b", n), of_x("heddle::test::x", n);
  for (std::size_t v = 0; v < count; ++v) {
    Kokkos::deep_copy(of_b, Kokkos::subview(host_b, Kokkos::ALL, v));
    Kokkos::deep_copy(of_x, Kokkos::subview(host_x, Kokkos::ALL, v));
    sweeps.run(of_b, of_x, 2);
    CHECK(difference(Kokkos::subview(got_x, Kokkos::ALL, v), of_x.data()) < 1e-12);
    CHECK(difference(Kokkos::subview(got_r, Kokkos::ALL, v), sweeps.residual(of_b, of_x)) < 1e-12);
  }
}

/// Sweeps and new values may not allocate or wait, and must stay on their instance.
inline void check_quiet_sweeps(GaussSeidelOptions options) {
  options.check_pattern = false;  // the check waits
  using Type = FirstSweepType;
  const Type::Exec exec;
  auto a = lopsided_grid<Type::Exec>(9);
  const auto n = static_cast<std::size_t>(a.n);
  const auto b = copy_to<Type::Space>(random_vector<double>(n, 1));
  const Kokkos::View<double*, Type::Space> x("heddle::test::x", n), r("heddle::test::r", n);
  Type::Plan plan(exec, a.matrix(), options, Type::List());
  plan.apply(exec, b, x, r);  // a first launch may allocate a thread's scratch
  plan.relax(exec, b, x, 1, r);
  exec.fence("heddle::test::applied");
  check_quiet(exec, [&] {
    plan.apply(exec, b, x, r);
    plan.relax(exec, b, x, 2, r);
    plan.update_values(exec, a.matrix());
  });
}

}  // namespace heddle::test
