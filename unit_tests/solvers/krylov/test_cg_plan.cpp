// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conjugate gradients with an SpmvPlan: the product computes p . q as well, and blocks of
// iterations may be graphs.
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>

#include "../../../solvers/krylov/cg_definitions.hpp"
#include "../../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../../solvers/krylov/jacobi.hpp"
#include "../../../solvers/krylov/polynomial.hpp"
#include "../../support/krylov.hpp"
#include "../../support/shared_formats.hpp"

namespace heddle::test {

namespace {

constexpr int side = emulated ? 12 : 40;
constexpr bool graphs = heddle::backends::Graph<Exec>::exists;
using Plan =
    SpmvPlan<Exec, CsrMatrix<double, int, int, Space>, double, double, Formats<Shared<CsrFormat>>>;

Kokkos::View<double*, Space> vector(std::int64_t n) {
  return Kokkos::View<double*, Space>("heddle::test::vector", static_cast<std::size_t>(n));
}

}  // namespace

TEST_CASE("an iteration with a plan is three launches") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 100);
  const auto b = right_hand_side<double>(a.n);
  const auto x = vector(a.n);
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  const double entries = static_cast<double>(a.n) * sizeof(double);
  for (const char* scheme : {"csr/adaptive", "csr/scalar", "csr/blocks"}) {
    CAPTURE(scheme);
    const Plan plan(exec, a.matrix(), {.scheme = scheme, .check_overlap = false});
    KrylovOptions options;
    options.check_every = 0;
    options.max_iterations = 12;
    options.relative_tolerance = 0;
    CgSolver<Exec, double> cg(exec, a.n, options);
    std::vector<Event> seen;
    for (const bool again : {false, true}) {
      CAPTURE(again);
      Kokkos::deep_copy(x, 0.0);
      exec.fence("heddle::test::zero");
      seen = only_launches(exec, [&] { cg.solve(exec, plan, b, x, jacobi); });
      CHECK(cg.results(exec)[0].iterations == 12);
    }
    CHECK(count(seen, "heddle::cg::curvature") == 0);
    CHECK(count(seen, "heddle::spmv::dot") == (plan.has_dot() ? 0 : 12));
    CHECK(count(seen, "heddle::cg::residual") == 12);
    CHECK(count(seen, "heddle::cg::directions") == 1 + 12);
    // x in, product, r, its scale, that of M, p; after: product, its residual, x out
    CHECK(count(seen, Event::kernel) == 9 + (plan.has_dot() ? 3 : 4) * 12);
    CHECK(cg.moved_bytes(plan) == plan.moved_bytes() + (plan.has_dot() ? 8 : 10) * entries);
    CHECK(cg.moved_bytes(plan, jacobi) ==
          plan.moved_bytes() + (plan.has_dot() ? 10 : 12) * entries);
  }
}

TEST_CASE("a plan and a user's product take the same steps, and new values are taken") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side, 100), other = laplacian<Exec, double>(side, 3);
  const auto b = right_hand_side<double>(a.n);
  Plan plan(exec, a.matrix());
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  CgSolver<Exec, double> cg(exec, a.n);
  int replays = 0;
  for (auto* const system : {&a, &a, &other, &a}) {
    plan.update_values(exec, system->matrix());
    jacobi.update_values(exec, system->matrix());
    const auto x = vector(a.n), y = vector(a.n);
    const KrylovResult by_plan = cg.solve(exec, plan, b, x, jacobi);
    CHECK(by_plan.converged());
    CHECK(relative_residual(*system, b, x) < 2e-8);
    CHECK((cg.replays() > replays) == graphs);
    replays = cg.replays();
    const KrylovResult by_user = cg.solve(exec, *system, b, y, jacobi);
    CHECK(std::abs(by_plan.iterations - by_user.iterations) <= 1);
    CHECK(cg.replays() == replays);  // a part without a version is not recorded
  }
}

TEST_CASE("when the host checks changes nothing of a plan's solve, not a bit") {
  const Exec exec;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const Plan plan(exec, a.matrix());
  std::vector<unsigned char> bits;
  for (const int every : {1, 10, 1000, 0}) {
    CAPTURE(every);
    KrylovOptions options;
    options.check_every = every;
    options.max_iterations = 200;
    CgSolver<Exec, double> cg(exec, a.n, options);
    for (int solve = 0; solve < 2; ++solve) {
      const auto x = vector(a.n);
      cg.solve(exec, plan, b, x);
      CHECK(cg.results(exec)[0].converged());
      if (bits.empty()) bits = bits_of(x);
      CHECK(bits_of(x) == bits);
    }
  }
}

TEST_CASE("a Chebyshev plan keeps its own values, whatever its scheme") {
  const Exec exec;
  using Matrix = CsrMatrix<double, int, int, Space>;
  using Product =
      SpmvPlan<Exec, Matrix, double, double, Formats<Shared<CsrFormat>, Shared<DiaFormat>>>;
  using Polynomial = ChebyshevPlan<Exec, Matrix, Product>;
  auto a = laplacian<Exec, double>(side);
  const auto b = right_hand_side<double>(a.n);
  const auto bits = [&](const Polynomial& polynomial) {
    const auto x = vector(a.n);
    polynomial.apply(exec, b, x);
    exec.fence("heddle::test::applied");
    return bits_of(x);
  };
  for (const char* scheme : {"csr/adaptive", "dia"}) {
    CAPTURE(scheme);
    const SpmvOptions options{.scheme = scheme};
    const SpectrumBounds bounds{0.1, 2};
    Polynomial polynomial(exec, a.matrix(), bounds, 3, options);
    CHECK(polynomial.scheme().to_string().starts_with(Scheme(scheme).to_string()));
    CHECK(polynomial.bytes() > static_cast<std::size_t>(a.n) * 4 * sizeof(double));
    const auto first = bits(polynomial);
    const VersionNumber version = polynomial.version();
    vectors::scale(exec, 2, a.values);
    CHECK(bits(polynomial) == first);
    const auto seen = only_launches(exec, [&] { polynomial.update_values(exec, a.matrix()); });
    CHECK(count(seen, Event::kernel) > 1);
    CHECK(polynomial.version() != version);
    CHECK(bits(polynomial) == bits(Polynomial(exec, a.matrix(), bounds, 3, options)));
    CHECK(bits(polynomial) != first);
    polynomial.update_values(exec, a.matrix(), SpectrumBounds{0.2, 2});
    CHECK(bits(polynomial) == bits(Polynomial(exec, a.matrix(), {0.2, 2}, 3, options)));
    polynomial.check_values(exec);
    vectors::scale(exec, 0.5, a.values);
    CHECK_THROWS_WITH_AS(polynomial.update_values(exec, laplacian<Exec, double>(side - 1).matrix()),
                         doctest::Contains("make a new plan"), Error);
    CHECK_THROWS_WITH_AS(Polynomial(exec, a.matrix(), {2, 1}), doctest::Contains("bounds are 2"),
                         Error);
    Polynomial moved = std::move(polynomial);
    moved.update_values(exec, a.matrix());
    CHECK(bits(moved) == bits(Polynomial(exec, a.matrix(), {0.2, 2}, 3, options)));
    CHECK_THROWS_AS(polynomial.apply(exec, b, vector(a.n)), Error);
    CHECK_THROWS_AS(Polynomial().update_values(exec, a.matrix()), Error);
  }
}

TEST_CASE("every part of a block is on the instance of the solve") {
  const Exec elsewhere;
  const Exec exec = two_instances(elsewhere)[1];
  const std::uint32_t here = Kokkos::Tools::Experimental::device_id(kokkos_space(exec));
  auto a = laplacian<Exec, double>(side, 10);
  const auto b = right_hand_side<double>(a.n);
  Plan plan(exec, a.matrix(), {.check_overlap = false});
  JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
  BlockJacobiPreconditioner<Exec, double> blocks(exec, a.matrix(), 4);
  ChebyshevPreconditioner polynomial(exec, plan, jacobi, SpectrumBounds{0.1, 2.0}, 2);
  KrylovOptions options;
  options.check_every = 0;
  options.max_iterations = 5;
  options.relative_tolerance = 0;
  CgSolver<Exec, double> cg(exec, a.n, options);
  const auto parts_of = [&](auto& m, const char* label) {
    const auto x = vector(a.n);
    exec.fence("heddle::test::ready");
    const Recording recording;
    cg.solve(exec, plan, b, x, m);
    for (const Event& event : Recording::seen()) {
      CHECK_MESSAGE(event.kind == Event::kernel, event.label);
      CHECK_MESSAGE(event.device == here, event.label);
    }
    return count(Recording::seen(), label);
  };
  CHECK(parts_of(blocks, "heddle::block_jacobi::apply") == 6);  // and one before the first
  CHECK(parts_of(polynomial, "heddle::chebyshev::step") == 12);
  CHECK(heddle::detail::krylov::versions_to_record(plan, blocks).has_value());
  const auto before = polynomial.version();
  CHECK(polynomial.version() == before);
  jacobi.update_values(exec, a.matrix());
  CHECK(polynomial.version() != before);
  CHECK(blocks.version() != polynomial.version());
  exec.fence("heddle::test::done");
}

}  // namespace heddle::test
