// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Solves of other scalars than double: what is found in a matrix, and every kind of pair.
#define HEDDLE_DEFINITIONS  // for other types
#include "../../support/error_of.hpp"
#include "../../support/solves.hpp"

namespace heddle::test {

namespace {

using C = Kokkos::complex<float>;

template <Scalar S>
SolveReport check_solved(const PlainOperator<Exec, S>& a, const SolveOptions& options = {}) {
  const auto b = right_hand_side<S>(a.n);
  const auto [x, report] = heddle::solve(Exec(), a.matrix(), b, options);
  CAPTURE(report.to_string());
  CHECK(report.converged());
  CHECK(relative_residual(a, b, x) <= 1.2e-5);
  return report;
}

}  // namespace

TEST_CASE("float") {
  const auto definite = laplacian<Exec, float>(25);
  for (const char* pair : {"", "cg/jacobi", "cg/incomplete", "cg/multigrid", "minres/jacobi"}) {
    CAPTURE(pair);
    CHECK(check_solved(definite, {.pair = pair}).matrix.symmetric);
  }
  const auto flowing = flow<Exec, float>(25);
  for (const char* pair : {"", "gmres/incomplete", "gmres/multigrid", "bicgstab/jacobi"}) {
    CAPTURE(pair);
    CHECK_FALSE(check_solved(flowing, {.pair = pair}).matrix.symmetric);
  }
  // A regular matrix whose rows nearly sum to zero.
  const float entry = 1 + 1e-6f;
  const auto regular =
      plain_operator<Exec>({0, 2, 4}, {0, 1, 0, 1}, std::vector{entry, -1.0f, -1.0f, entry});
  Solver solver(Exec(), regular.matrix());
  CHECK_FALSE(solver.report().matrix.maps_ones_to_zero());

  // Ritz values of a nearly diagonal matrix are in its field of values, a disc about 1.
  const auto narrow = operator_where<Exec, float>(
      400,
      [](int i, const auto& add) {
        if (i > 0) add(i - 1);
        add(i);
        if (i < 399) add(i + 1);
      },
      [](int i, int j) { return i == j  ? 1
                                : i < j ? 0.005
                                        : 0.003; });
  check_solved(narrow);
  const MatrixFacts facts = inspected(narrow);
  CHECK(facts.steps > 2);
  CHECK(facts.least_real > 0.99);
  CHECK(facts.largest_real < 1.01);
  CHECK(facts.largest_imaginary < 0.005);
}

TEST_CASE("complex numbers") {
  const auto hermitian = laplacian<Exec, C>(25);
  for (const char* pair : {"", "cg/jacobi", "cg/incomplete", "minres/jacobi"}) {
    CAPTURE(pair);
    const MatrixFacts facts = check_solved(hermitian, {.pair = pair}).matrix;
    CHECK(facts.symmetric);
    CHECK(facts.positive_diagonal());
    CHECK(mentions(facts.to_string(), "Hermitian"));
  }
  const auto flowing = flow<Exec, C>(25);
  for (const char* pair : {"", "gmres/incomplete", "bicgstab/jacobi"}) {
    CAPTURE(pair);
    CHECK_FALSE(check_solved(flowing, {.pair = pair}).matrix.symmetric);
  }
  // Symmetric, and not Hermitian: no pair of conjugate gradients or MINRES.
  const auto symmetric = grid_operator<Exec, C>(
      20, [](int i, int j) { return i == j ? C(4.2f, 1.0f) : C(-1.0f, 0.1f); });
  const SolveReport report = check_solved(symmetric);
  CHECK_FALSE(report.matrix.symmetric);
  CHECK(mentions(report.matrix.to_string(), "not Hermitian"));
  for (const SolvePair& pair : report.considered) {
    CHECK(pair.method != SolveMethod::cg);
    CHECK(pair.method != SolveMethod::minres);
  }
}

}  // namespace heddle::test
