// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pairs that a tuning cache remembers.
#include "../../support/error_of.hpp"
#include "../../support/solves.hpp"
#include "../../support/temporary.hpp"

namespace heddle::test {

namespace {

/// Solves, and checks b - A x on the host.
SolveReport solved(const Plain& a, const SolveOptions& options) {
  const auto b = right_hand_side<double>(a.n);
  const auto [x, report] = heddle::solve(Exec(), a.matrix(), b, options);
  CAPTURE(report.to_string());
  CHECK(report.converged());
  const auto norms = residual_norms(a, b, x);
  CHECK(norms.residual <= 1.0001 * options.relative_tolerance.value_or(1e-8) * norms.b);
  return report;
}

}  // namespace

TEST_CASE("the next Solver of a pattern begins with the pair that solved") {
  const files_test::TemporaryFile file(".cache");
  const std::string path = file.path();
  // With a wrong hint conjugate gradients fail first.
  const SolveOptions options{.positive_definite = true, .cache = path};
  const SolveReport first = solved(poisson(20, 1), options);
  REQUIRE(first.attempts.size() > 1);
  CHECK(first.cache == "added to " + path);
  CHECK(mentions(first.to_string(), "cache: added to"));

  const SolveReport again = solved(poisson(20, 1, 3), options);
  CHECK(again.cache == "found in " + path);
  CHECK(again.matrix.steps == 0);  // no Ritz values
  REQUIRE(again.attempts.size() == 1);
  CHECK(again.attempts[0].pair == first.attempts.back().pair);
  CHECK(again.considered[0].name() == first.attempts.back().pair);
  CHECK(again.considered[0].iterations >= first.attempts.back().iterations);

  // The first call without this pattern, tolerance or hint finds nothing.
  const auto nothing = [&](const Plain& a, const SolveOptions& of) {
    const SolveReport report = solved(a, of);
    CHECK(report.cache == "added to " + path);
  };
  nothing(poisson(21, 1), options);
  nothing(poisson(20, 1), {.relative_tolerance = 1e-6, .positive_definite = true, .cache = path});
  nothing(poisson(20, 1), {.positive_definite = false, .cache = path});
  // A pinned pair leaves the file alone.
  CHECK(solved(poisson(20, 1), {.pair = "minres/jacobi", .cache = path}).cache.empty());
}

TEST_CASE("values of another kind are inspected") {
  const files_test::TemporaryFile file(".cache");
  const SolveOptions options{.cache = file.path()};
  const SolveReport first = solved(poisson(20), options);
  CHECK(first.attempts.back().pair.starts_with("cg/"));
  const SolveReport flowing = solved(flow<Exec, double>(20), options);
  CHECK_FALSE(flowing.attempts.back().pair.starts_with("cg/"));
  // Now that pair is the remembered one.
  CHECK(solved(flow<Exec, double>(20, 0.6), options).matrix.steps == 0);

  // A Solver that gets such values later inspects them too.
  const Plain a = poisson(20), shifted = poisson(20, 0.5);
  const files_test::TemporaryFile other(".cache");
  Solver solver(Exec(), a.matrix(), {.cache = other.path()});
  const auto b = copy_to<Space>(random_vector<double>(400, 1));
  const Kokkos::View<double*, Space> x("heddle::test::x", 400);
  CHECK(solver.solve(Exec(), b, x).converged());
  solver.update_values(Exec(), shifted.matrix());
  Kokkos::deep_copy(x, 0.0);
  CHECK(solver.solve(Exec(), b, x).converged());
  const auto norms = residual_norms(shifted, b, x);
  CHECK(norms.residual <= 1e-8 * norms.b);
}

TEST_CASE("trouble with the file is no error") {
  const files_test::TemporaryFile text(".txt", "not a cache\n");
  CHECK(mentions(solved(poisson(9), {.cache = text.path()}).cache, "it is no tuning cache"));
  CHECK(mentions(solved(poisson(9), {.cache = "/nowhere/heddle.cache"}).cache,
                 "could not be written"));
}

}  // namespace heddle::test
