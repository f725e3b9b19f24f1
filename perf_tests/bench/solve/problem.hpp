// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "../common/krylov_loops.hpp"
#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

class Settings;

enum class Method { cg, minres, bicgstab, gmres };

/// Whether a method needs a symmetric matrix.
constexpr bool is_symmetric(Method method) {
  return method == Method::cg || method == Method::minres;
}

/// Options of operations that solve.
struct SystemRequest : ContestOptions {
  std::string method_name = "cg";
  LoopLimits limits;
  /// Excess of a Laplacian that is made of a pattern: diagonal over the other entries, less 1.
  double excess = 1e-3;
  /// Whether any system will do, since a method is chosen for it.
  bool any_system = false;

  Method method() const {
    if (method_name == "cg") return Method::cg;
    if (method_name == "minres") return Method::minres;
    return method_name == "gmres" ? Method::gmres : Method::bicgstab;
  }
  /// Defines --tolerance, --max-iterations and --excess.
  void define_limits(Settings& settings, double least_excess = 1e-12);
};

/// Options of `heddle-bench solve`.
struct SolveRequest : SystemRequest {
  std::string basis = "scalar";
  bool flexible = false;
  int restart = 30, block = 4, subdomains = 16, expected_applies = 100;
  int busy = 0;  ///< threads that compute beside
  double max_seconds = 60;
  std::string write_to;  ///< a folder for the systems; empty for none
};

/// A preconditioner of Heddle.
struct KnownPreconditioner {
  std::string name, description;
  bool for_symmetric, for_others;  // whether "all" includes it
};

/// Heddle's preconditioners by name; baselines add the name of their library in front.
inline const std::vector<KnownPreconditioner>& known_preconditioners() {
  static const std::vector<KnownPreconditioner> list = {
      {"none", "conjugate gradients and the others as they are", true, true},
      {"jacobi", "the diagonal", true, true},
      {"block-jacobi", "blocks of --block rows", true, true},
      {"chebyshev", "a polynomial of degree 3 over the upper 29/30 of Gershgorin's interval", true,
       false},
      {"ssor", "a symmetric Gauss-Seidel sweep in the order of the rows", true, true},
      {"ssor-multicolor", "the same in the order of colors", true, true},
      {"ic0", "IC(0)", true, false},
      {"ic0-subdomains", "IC(0) of --subdomains runs of rows", true, false},
      {"ic0-float", "IC(0) kept in float", true, false},
      {"ic1", "IC(1)", true, false},
      {"ilu0", "ILU(0)", false, true},
      {"ilu0-subdomains", "ILU(0) of --subdomains runs of rows", false, true},
      {"ilu0-float", "ILU(0) kept in float", false, true},
      {"ilu1", "ILU(1)", false, true},
      {"multigrid", "a V cycle of smoothed aggregation, smoothed by Chebyshev's polynomials", true,
       true},
      {"multigrid-float", "the same in float", true, true},
      {"multigrid-gauss-seidel", "a V cycle smoothed by Gauss-Seidel by colors", true, true},
      {"multigrid-plain", "a V cycle of plain aggregation", true, true},
      {"multigrid-k", "a K cycle of plain aggregation; GMRES is flexible with it", true, false},
  };
  return list;
}

/// A contestant that solves with one matrix from zero, by one method and one preconditioner.
template <Scalar S>
class SolveContestant : public Contestant {
 public:
  /// Solves; throws Error if it did not converge.
  void run(const Exec& exec) final {
    solved_ = solve(exec);
    if (solved_.converged) return;
    throw Error(
        "not solved after " + std::to_string(solved_.iterations) + " products: " + solved_.why, "");
  }
  int iterations() const { return solved_.iterations; }

 private:
  /// Solves from zero, into the problem's x.
  virtual Solved solve(const Exec& exec) = 0;

  Solved solved_;
};

/// One system: columns of A ascend, each once, the diagonal is whole, and b is A times a random
/// vector.
template <Scalar S, Offset Off>
struct LinearSystem : MatrixProblem<S, Off>, SolveVectors<S> {
  /// Coordinates of the nodes of an elastic body; else empty.
  Kokkos::View<double**, Space> coordinates;
};

template <Scalar S, Offset Off>
struct SolveProblem : LinearSystem<S, Off> {
  using Contestant = SolveContestant<S>;

  SolveRequest request;
};

/// A loop of krylov_loops.hpp over the kernels of a library, with one of its preconditioners.
/// Kernels(exec, problem, with) also has precondition(r, z), updates(), update_values() and
/// bytes().
template <Scalar S, Offset Off, class Kernels>
class LoopSolve : public SolveContestant<S> {
 public:
  template <class With>
  LoopSolve(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : problem_(problem),
        kernels_(exec, problem, with),
        loops_(
            kernels_, [this](const auto& r, const auto& z) { kernels_.precondition(r, z); },
            problem.request.limits) {}

  std::size_t bytes() const override { return kernels_.bytes(); }
  bool updates() const override { return kernels_.updates(); }
  void update_values(const Exec& exec) override {
    exec.fence("heddle::bench::loop");
    kernels_.update_values();
  }

 private:
  Solved solve(const Exec& exec) override {
    exec.fence("heddle::bench::loop");
    switch (problem_.request.method()) {
      case Method::cg: return loops_.cg(problem_.b, problem_.x);
      case Method::minres: return loops_.minres(problem_.b, problem_.x);
      case Method::bicgstab: return loops_.bicgstab(problem_.b, problem_.x);
      case Method::gmres: break;
    }
    return loops_.gmres(problem_.b, problem_.x, problem_.request.restart);
  }

  SolveProblem<S, Off> problem_;
  Kernels kernels_;
  KrylovLoops<Kernels> loops_;
};

}  // namespace heddle::bench
