// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every Krylov method by one call, with an independent check of its result: the norm of b - A x is
// computed on the host, whatever the solver reports.
#pragma once

#include <heddle/bicgstab.hpp>
#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gmres.hpp>
#include <heddle/minres.hpp>

#include "../../backends/cooperative.hpp"
#include "../../backends/device.hpp"
#include "krylov.hpp"
#ifdef HEDDLE_EMULATED  // elsewhere the compiled part has them
#include "../../solvers/krylov/bicgstab_definitions.hpp"
#include "../../solvers/krylov/cg_definitions.hpp"
#include "../../solvers/krylov/chebyshev_definitions.hpp"
#include "../../solvers/krylov/gmres_definitions.hpp"
#include "../../solvers/krylov/minres_definitions.hpp"
#endif

namespace heddle::test {

/// A matrix with rows that a kernel can compute, so that conjugate gradients have every scheme.
template <ExecutionSpace E, Scalar S>
struct MatrixWithRows : PlainOperator<E, S> {
  explicit MatrixWithRows(PlainOperator<E, S> plain) : PlainOperator<E, S>(std::move(plain)) {}
  auto csr() const { return std::optional(this->matrix()); }
};

template <ExecutionSpace E, Scalar S>
struct SystemOf {
  using Vector = Kokkos::View<S*, typename E::memory_space>;
  MatrixWithRows<E, S> a;
  Vector b, guess;
  SpectrumBounds bounds{};  ///< bounds of M^-1 A, for Chebyshev's iteration
};
using System = SystemOf<Exec, double>;

/// The methods of a device: schemes of conjugate gradients and "cg/flexible", "gmres",
/// "gmres/flexible", "gmres/in_float", "bicgstab", "minres", "chebyshev".
template <ExecutionSpace E = Exec>
std::vector<std::string> krylov_methods() {
  std::vector<std::string> methods{"cg/launches", "cg/flexible", "cg/one-team"};
  if (heddle::backends::describe(E()).most_teams_per_cluster > 0) {
    methods.emplace_back("cg/one-cluster");
  }
  methods.insert(methods.end(),
                 {"gmres", "gmres/flexible", "gmres/in_float", "bicgstab", "minres", "chebyshev"});
  return methods;
}
/// The methods that take any operator and preconditioner, one a solver.
inline std::vector<std::string> one_of_each_solver() {
  return {"cg/launches", "gmres", "bicgstab", "minres", "chebyshev"};
}
inline bool is_cg(const std::string& method) { return method.starts_with("cg/"); }
inline bool is_gmres(const std::string& method) { return method.starts_with("gmres"); }
inline bool is_flexible(const std::string& method) { return method.ends_with("/flexible"); }
/// GMRES with a basis in float, which it has anyway for scalars in float.
inline bool in_float(const std::string& method) { return method.ends_with("/in_float"); }
/// The methods that solve for several right-hand sides.
inline std::vector<std::string> with_several_vectors() {
  return {"cg/launches",    "cg/flexible", "gmres", "gmres/flexible",
          "gmres/in_float", "bicgstab",    "minres"};
}
/// Methods in one launch take matrices with rows, and no preconditioner but Jacobi.
inline bool in_one_launch(const std::string& method) { return method.starts_with("cg/one-"); }
/// The products with A of a step.
inline int products_of(const std::string& method) { return method == "bicgstab" ? 2 : 1; }

/// Calls use(type, options) with the solver of a method, and the options with what it needs.
template <Scalar S = double, ExecutionSpace E = Exec, class Use>
void with_method(const std::string& method, const SpectrumBounds& bounds, KrylovOptions options,
                 const Use& use) {
  options.flexible |= is_flexible(method);
  if (in_float(method) && sizeof(RealOf<S>) > sizeof(float)) options.basis = KrylovBasis::in_float;
  if (is_cg(method)) {
    if (!options.scheme && !is_flexible(method)) options.scheme = Scheme(method);
    use(std::type_identity<CgSolver<E, S>>(), options);
  } else if (is_gmres(method)) {
    use(std::type_identity<GmresSolver<E, S>>(), options);
  } else if (method == "bicgstab") {
    use(std::type_identity<BicgstabSolver<E, S>>(), options);
  } else if (method == "minres") {
    use(std::type_identity<MinresSolver<E, S>>(), options);
  } else {
    use(std::type_identity<ChebyshevSolver<E, S>>(), within(bounds, options));
  }
}

template <class V>
double norm(const V& v) {
  const auto host = to_host(v);
  long double sum = 0;  // squares may leave a double's range
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    const long double entry = Kokkos::abs(host(i));
    sum += entry * entry;
  }
  return static_cast<double>(std::sqrt(sum));
}

/// The norm of b - A x.
template <class System, class X>
double residual_norm(const System& system, const X& x) {
  return residual_norms(system.a, system.b, x).residual;
}

/// The largest sum of magnitudes of a row.
template <class Operator>
double largest(const Operator& a) {
  return a.n > 0 ? std::ranges::max(row_sums(a, true)) : 0;
}

/// Whether two norms of any scale are equal but for a part of the larger one.
inline bool close(double a, double b, double part) {
  return std::abs(a - b) <= part * std::max(std::abs(a), std::abs(b));
}

template <class V>
bool all_finite(const V& v) {
  const auto host = to_host(v);
  for (std::size_t i = 0; i < host.extent(0); ++i) {
    if (!Kokkos::isfinite(Kokkos::abs(host(i)))) return false;
  }
  return true;
}

/// Result of a solve, and the x that it wrote.
template <class Vector>
struct SolvedFor {
  Outcome returned;     ///< by solve, which does not wait if check_every = 0
  KrylovResult result;  ///< after a wait
  Vector x;
  double residual, first;  ///< norms of b - A x for x and for the guess, computed on the host
  int products;            ///< calls of a.apply
  Scheme scheme;           ///< that of CgSolver
  std::vector<double> history;
  std::vector<Event> seen;  ///< during solve
};
using Solved = SolvedFor<System::Vector>;

/// Solves by `method`, with a preconditioner or none, and checks its result against values computed
/// here.
template <ExecutionSpace E, Scalar S, class... M>
auto solve_by(const std::string& method, SystemOf<E, S>& system, const KrylovOptions& options,
              M&... preconditioner) {
  using Vector = typename SystemOf<E, S>::Vector;
  const E exec;
  SolvedFor<Vector> solved;
  solved.x = Vector("heddle::test::x", system.b.extent(0));
  Kokkos::deep_copy(solved.x, system.guess);
  system.a.applies = 0;
  with_method<S, E>(
      method, system.bounds, options,
      [&]<class Solver>(std::type_identity<Solver>, const KrylovOptions& of_method) {
        Solver solver(exec, system.a.n, of_method);
        {
          const Recording recording;
          solved.returned =
              solver.solve(exec, system.a, system.b, solved.x, preconditioner...).outcome;
          solved.seen = Recording::seen();
        }
        solved.result = solver.results(exec)[0];
        if (options.history) solved.history = solver.history(exec);
        if constexpr (requires { solver.scheme(); }) solved.scheme = solver.scheme();
      });
  solved.products = system.a.applies;
  CHECK(strangers(solved.seen) == "");
  CHECK(bytes_allocated(solved.seen) == 0);
  solved.residual = residual_norm(system, solved.x);
  const Vector zero("heddle::test::zero", system.b.extent(0));
  solved.first = residual_norm(system, options.zero_guess ? zero : system.guess);

  const bool is_double = std::is_same_v<RealOf<S>, double>;
  const double size = norm(system.b), unit = is_double ? 1 : 1e8;
  const double reference = options.relative_to == RelativeTo::first_residual ? solved.first : size;
  const double target =
      std::max(options.relative_tolerance.value_or(is_double ? 1e-8 : 1e-5) * reference,
               options.absolute_tolerance);
  // The rounding error of b - A x, also for an x far larger than A's inverse times b.
  const double rounding =
      unit * (1e-13 * std::max(size, solved.first) + 1e-15 * largest(system.a) * norm(solved.x));
  if (!std::isnan(solved.first) && size > 0) {
    CHECK(std::abs(solved.result.first_residual - solved.first) <=
          (is_double ? 1e-9 : 1e-4) * solved.first + rounding);
    CHECK(close(solved.result.reference, reference, is_double ? 1e-9 : 1e-4));
    CHECK(std::abs(solved.result.residual - solved.residual) <= 1e-6 * solved.residual + rounding);
    if (solved.result.converged()) {
      CHECK(solved.residual <= target + rounding);
    } else {
      CHECK(solved.residual > target - rounding);
    }
  }
  return solved;
}

/// The matrix of entry(i, j) within the band |i - j| <= 1.
template <Scalar S, class Entry>
PlainOperator<Exec, S> band(int n, const Entry& entry) {
  return banded<S>(n, 1, entry);
}

/// A star on a grid, symmetric with neighbours of -1.
inline PlainOperator<Exec, double> star(int side, double diagonal) {
  return grid_operator<Exec, double>(side, [=](int i, int j) { return i == j ? diagonal : -1.0; });
}

/// A system with a random b, from a guess of one value.
template <ExecutionSpace E, Scalar S>
SystemOf<E, S> system_of(PlainOperator<E, S> a, const SpectrumBounds& bounds = {},
                         double guess = 0) {
  SystemOf<E, S> system{MatrixWithRows<E, S>(std::move(a)), {}, {}, bounds};
  system.b = right_hand_side<S, typename E::memory_space>(system.a.n);
  system.guess = typename SystemOf<E, S>::Vector("heddle::test::guess", system.b.extent(0));
  Kokkos::deep_copy(system.guess, S(static_cast<RealOf<S>>(guess)));
  return system;
}

/// A system that a method is for: a flow for those of any A, else a star.
inline System typical(const std::string& method, int side) {
  if (is_gmres(method) || method == "bicgstab") return system_of(flow<Exec, double>(side));
  return system_of(star(side, 4.1), {0.1, 8.1});
}

}  // namespace heddle::test
