// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every Krylov method by one call, with an independent check of its result: the norm of b - A x is
// computed on the host, whatever the solver reports.
#pragma once

#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>

#include "../../backends/cooperative.hpp"
#include "../../backends/device.hpp"
#include "krylov.hpp"
#ifdef HEDDLE_EMULATED  // elsewhere the compiled part has them
#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#endif

namespace heddle::test {

/// A matrix with rows that a kernel can compute, so that conjugate gradients have every scheme.
struct MatrixWithRows : PlainOperator<Exec, double> {
  explicit MatrixWithRows(PlainOperator<Exec, double> plain)
      : PlainOperator<Exec, double>(std::move(plain)) {}
  auto csr() const { return std::optional(this->matrix()); }
};

struct System {
  MatrixWithRows a;
  Kokkos::View<double*, Space> b, guess;
  SpectrumBounds bounds{};  ///< bounds of a, for Chebyshev's iteration
};

/// The methods of this device: "cg/launches" and so on, "gmres", "bicgstab", "chebyshev".
inline std::vector<std::string> krylov_methods() {
  std::vector<std::string> methods{"cg/launches", "cg/one-team"};
  if (heddle::backends::describe(Exec()).most_teams_per_cluster > 0) {
    methods.emplace_back("cg/one-cluster");
  }
  methods.insert(methods.end(), {"gmres", "bicgstab", "chebyshev"});
  return methods;
}

inline double norm(const Kokkos::View<double*, Space>& v) {
  const auto host = to_host(v);
  long double sum = 0;  // squares may leave a double's range
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    sum += static_cast<long double>(host(i)) * host(i);
  }
  return static_cast<double>(std::sqrt(sum));
}

/// The norm of b - A x.
inline double residual_norm(const System& system, const Kokkos::View<double*, Space>& x) {
  return relative_residual(system.a, system.b, x) * norm(system.b);
}

/// The largest sum of magnitudes of a row.
inline double largest(const MatrixWithRows& a) {
  const auto row_ptr = to_host(a.row_ptr);
  const auto values = to_host(a.values);
  double most = 0;
  for (std::size_t i = 0; i + 1 < row_ptr.extent(0); ++i) {
    double sum = 0;
    for (int e = row_ptr(i); e < row_ptr(i + 1); ++e) {
      sum += std::abs(values(static_cast<std::size_t>(e)));
    }
    most = std::max(most, sum);
  }
  return most;
}

/// Result of a solve, and the x that it wrote.
struct Solved {
  Outcome returned;     ///< by solve, which does not wait if check_every = 0
  KrylovResult result;  ///< after a wait
  Kokkos::View<double*, Space> x;
  double residual, first;  ///< norms of b - A x for x and for the guess, computed on the host
  int products;            ///< calls of a.apply
  Scheme scheme;           ///< that of CgSolver
  std::vector<double> history;
};

/// Solves by `method`, and checks its result against values computed here.
inline Solved solve_by(const std::string& method, System& system, KrylovOptions options) {
  const Exec exec;
  Solved solved;
  solved.x = Kokkos::View<double*, Space>("heddle::test::x", system.b.extent(0));
  Kokkos::deep_copy(solved.x, system.guess);
  system.a.applies = 0;
  const auto finish = [&](auto&& solver, const auto& result) {
    solved.returned = solver.solve(exec, system.a, system.b, solved.x).outcome;
    solved.result = result(solver);
    if (options.history) solved.history = solver.history(exec);
  };
  const auto result = [&](auto& solver) { return solver.results(exec)[0]; };
  if (method.starts_with("cg/")) {
    if (!options.scheme) options.scheme = Scheme(method);
    finish(CgSolver<Exec, double>(exec, system.a.n, options), [&](auto& solver) {
      solved.scheme = solver.scheme();
      return solver.results(exec)[0];
    });
  } else if (method == "gmres") {
    finish(GmresSolver<Exec, double>(exec, system.a.n, options), result);
  } else if (method == "bicgstab") {
    finish(BicgstabSolver<Exec, double>(exec, system.a.n, options), result);
  } else {
    finish(ChebyshevSolver<Exec, double>(exec, system.a.n, within(system.bounds, options)), result);
  }
  solved.products = system.a.applies;
  solved.residual = residual_norm(system, solved.x);
  const Kokkos::View<double*, Space> zero("heddle::test::zero", system.b.extent(0));
  solved.first = residual_norm(system, options.zero_guess ? zero : system.guess);

  const double size = norm(system.b);
  const double reference = options.relative_to == RelativeTo::first_residual ? solved.first : size;
  const double target =
      std::max(options.relative_tolerance.value_or(1e-8) * reference, options.absolute_tolerance);
  // The rounding error of b - A x, also for an x far larger than A's inverse times b.
  const double rounding =
      1e-13 * std::max(size, solved.first) + 1e-15 * largest(system.a) * norm(solved.x);
  if (!std::isnan(solved.first)) {
    CHECK(solved.result.first_residual == doctest::Approx(solved.first).epsilon(1e-9));
    CHECK(solved.result.reference == doctest::Approx(reference).epsilon(1e-9));
    CHECK(std::abs(solved.result.residual - solved.residual) <= 1e-6 * solved.residual + rounding);
    if (solved.result.converged()) {
      CHECK(solved.residual <= target + rounding);
    } else {
      CHECK(solved.residual > target - rounding);
    }
  }
  return solved;
}

}  // namespace heddle::test
