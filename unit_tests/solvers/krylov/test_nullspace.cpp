// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Singular systems whose nullspace the solver is given: all solvers, with b in the range of A and
// outside.
#include "../../../solvers/krylov/solver_definitions.hpp"
#include "../../support/krylov_methods.hpp"

namespace heddle::test {

namespace {

constexpr int rows = emulated ? 30 : 100;

/// The Laplacian of a path without boundary values times `scale`, or of two separate paths.
PlainOperator<Exec, double> chains(int count, double scale) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  const int length = rows / count;
  for (int i = 0; i < count * length; ++i) {
    const bool first = i % length == 0, last = i % length == length - 1;
    const auto add = [&](int j, double value) {
      col_idx.push_back(j);
      values.push_back(value * scale);
    };
    if (!first) add(i - 1, -1);
    add(i, first || last ? 1 : 2);
    if (!last) add(i + 1, -1);
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// A nullspace vector for each chain, constant on it; the second one is scaled by 1e-200, and
/// contains a part of the first.
Columns ones_of_chains(int count) {
  const Columns ones("heddle::test::nullspace", rows, static_cast<std::size_t>(count));
  const auto host = Kokkos::create_mirror_view(ones);
  for (int i = 0; i < rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const int chain = i / (rows / count);
    for (int c = 0; c < count; ++c) {
      host(at, static_cast<std::size_t>(c)) = (chain == c  ? 1
                                               : chain < c ? 0.5
                                                           : 0) *
                                              (c ? 1e-200 : 3);
    }
  }
  Kokkos::deep_copy(ones, host);
  return ones;
}

/// Random entries, with this mean on each chain.
Kokkos::View<double*, Space> with_mean(int chains_of, double mean, double scale) {
  const auto b = right_hand_side<double>(rows);
  const auto host = to_host(b);
  const int length = rows / chains_of;
  for (int c = 0; c < chains_of; ++c) {
    double sum = 0;
    for (int i = 0; i < length; ++i) sum += host(static_cast<std::size_t>(c * length + i));
    for (int i = 0; i < length; ++i) {
      double& entry = host(static_cast<std::size_t>(c * length + i));
      entry = (entry - sum / length + mean) * scale;
    }
  }
  Kokkos::deep_copy(b, host);
  return b;
}

double mean_of(const Kokkos::View<double*, Space>& x) {
  const auto host = to_host(x);
  double sum = 0;
  for (std::size_t i = 0; i < host.extent(0); ++i) sum += host(i);
  return sum / rows;
}

/// Calls use(name, type, options) for each solver.
template <class Use>
void with_every_solver(KrylovOptions options, const Use& use) {
  use("cg", std::type_identity<CgSolver<Exec, double>>(), options);
  use("gmres", std::type_identity<GmresSolver<Exec, double>>(), restarted_after(20, options));
  use("bicgstab", std::type_identity<BicgstabSolver<Exec, double>>(), options);
  use("chebyshev", std::type_identity<ChebyshevSolver<Exec, double>>(),
      within({0.5 / rows / rows, 2}, options));
}

}  // namespace

TEST_CASE("with its nullspace a singular system is solved, and b out of range is said to be") {
  const Exec exec;
  for (const double scale : {1.0, 1e-12, 1e12}) {
    CAPTURE(scale);
    for (const int count : {1, 2}) {
      CAPTURE(count);
      auto a = chains(count, scale);
      JacobiPreconditioner<Exec, double> jacobi(exec, a.matrix());
      for (const int every : {0, 10}) {
        if (emulated && (every == 0 || scale != 1e-12)) continue;
        CAPTURE(every);
        KrylovOptions options{.max_iterations = 4000, .check_every = every};
        options.nullspace = count == 1 ? Nullspace::constant() : Nullspace(ones_of_chains(2));
        with_every_solver(options, [&]<class Solver>(const char* name, std::type_identity<Solver>,
                                                     const KrylovOptions& of) {
          CAPTURE(std::string(name));
          for (const double mean : {0.0, 1e-3}) {
            CAPTURE(mean);
            const auto b = with_mean(count, mean, scale);
            const Kokkos::View<double*, Space> x("heddle::test::x", rows);
            Solver solver(exec, rows, of);
            solver.solve(exec, a, b, x, jacobi);
            const KrylovResult result = solver.results(exec)[0];
            const System system{MatrixWithRows(a), b, x};
            const double is = residual_norm(system, x), outside = mean * scale * std::sqrt(rows);
            CHECK_MESSAGE(result.outcome == (mean > 0 ? Outcome::inconsistent : Outcome::converged),
                          std::string(heddle::name(result.outcome)));
            CHECK(std::abs(result.residual - is) <= 1e-6 * is + 1e-13 * norm(b));
            CHECK(is <= std::hypot(outside, 1.1e-8 * norm(b)));
            CHECK(std::abs(mean_of(x)) <= 1e-9 * norm(x));
          }
        });
      }
    }
  }
}

TEST_CASE("without a preconditioner too, and with several right-hand sides") {
  const Exec exec;
  auto a = chains(1, 1);
  KrylovOptions options{.vectors = 2};
  options.nullspace = Nullspace::constant();
  options.history = true;
  CgSolver<Exec, double> cg(exec, rows, options);
  const Columns b("heddle::test::b", rows, 2), x("heddle::test::x", rows, 2);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 0), with_mean(1, 0, 1));
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 1), with_mean(1, 1, 1));
  std::vector<Event> seen;
  {
    const Recording recording;
    cg.solve(exec, a, b, x);
    seen = Recording::seen();
  }
  CHECK(strangers(seen) == "");
  CHECK(count(seen, Event::allocation) == 0);
  CHECK(cg.results()[0].outcome == Outcome::converged);
  CHECK(cg.results()[1].outcome == Outcome::inconsistent);
  CHECK(cg.results()[1].residual == doctest::Approx(std::sqrt(rows)));
  CHECK(cg.history(exec, 1).back() == cg.results()[1].residual);
  CHECK(cg.history(exec, 1).front() == cg.results()[1].first_residual);
  CHECK(cg.scheme() == Scheme("cg/launches"));
}

TEST_CASE("a nullspace that cannot be taken is refused by name") {
  const Exec exec;
  auto a = MatrixWithRows(chains(1, 1));
  KrylovOptions options;
  options.nullspace = Nullspace::constant();
  options.scheme = Scheme("cg/one-team");
  CgSolver<Exec, double> pinned(exec, rows, options);
  const auto b = with_mean(1, 0, 1);
  const Kokkos::View<double*, Space> x("heddle::test::x", rows);
  CHECK_THROWS_WITH_AS(pinned.solve(exec, a, b, x), doctest::Contains("options.nullspace"), Error);
  const auto refused = [&](const Nullspace& nullspace, const char* why) {
    KrylovOptions given;
    given.nullspace = nullspace;
    CHECK_THROWS_WITH_AS((GmresSolver<Exec, double>(exec, rows, given)), doctest::Contains(why),
                         Error);
  };
  const Columns two("heddle::test::two", rows, 2), zero("heddle::test::zero", rows, 1);
  Kokkos::deep_copy(two, 1.0);
  refused(two, "vector 1 of options.nullspace");
  refused(zero, "vector 0 of options.nullspace");
  refused(right_hand_side<double>(rows + 1), "the solver is for");
  refused(Kokkos::View<float*, Space>("heddle::test::float", rows), "another scalar");
}

}  // namespace heddle::test
