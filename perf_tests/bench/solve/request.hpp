// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/contest_options.hpp"
#include "../common/krylov_loops.hpp"

namespace heddle::bench {

class Settings;

enum class Method { cg, minres, bicgstab, gmres };

/// Whether a method needs a symmetric matrix.
constexpr bool is_symmetric(Method method) {
  return method == Method::cg || method == Method::minres;
}

/// Options of `heddle-bench solve`.
struct SolveRequest : ContestOptions {
  std::string method_name = "cg";
  int restart = 30;
  LoopLimits limits;
  double excess = 1e-3;
  int block = 4;
  int subdomains = 16;
  int expected_applies = 100;

  Method method() const {
    if (method_name == "cg") return Method::cg;
    if (method_name == "minres") return Method::minres;
    return method_name == "gmres" ? Method::gmres : Method::bicgstab;
  }
};

/// Defines --tolerance, --max-iterations and --excess of whole solves.
void define_limits(Settings& settings, LoopLimits& limits, double& excess,
                   double least_excess = 1e-12);

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
  };
  return list;
}

}  // namespace heddle::bench
