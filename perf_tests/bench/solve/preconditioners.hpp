// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/cg.hpp>
#include <heddle/chebyshev.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/spmv.hpp>

#include "../ilu/make_preconditioner.hpp"
#include "../multigrid/make_multigrid.hpp"
#include "problem.hpp"

namespace heddle::bench {

template <Scalar S, Offset Off>
using PlannedJacobi = PlannedOperator<S, Off, JacobiPreconditioner<Exec, S>>;

/// A Chebyshev polynomial for the upper part of the Gershgorin interval of D^-1 A.
template <Scalar S, Offset Off>
class Polynomial : public AnyOperator<S> {
 public:
  using typename AnyOperator<S>::Const;
  using typename AnyOperator<S>::Vector;

  Polynomial(const Exec& exec, const SolveProblem<S, Off>& problem, AnyOperator<S>& product)
      : AnyOperator<S>(problem.A.rows()),
        jacobi_(exec, problem.A),
        polynomial_(exec, product, jacobi_.plan(), bounds(problem.host), degree) {}

  void apply(const Exec& exec, const Const& b, const Vector& x) override {
    polynomial_.apply(exec, b, x);
  }
  void update_values(const Exec& exec) override { jacobi_.update_values(exec); }
  std::size_t bytes() const override { return jacobi_.bytes() + polynomial_.bytes(); }

 private:
  static constexpr int degree = 3;
  static constexpr double covered = 30;  // the upper bound over the lower

  static SpectrumBounds bounds(const HostStorage<S, Off>& A) {
    double largest = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows()); ++i) {
      double sum = 0, diagonal = 0;
      for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto size = static_cast<double>(Kokkos::abs(A.values()(at)));
        sum += size;
        if (static_cast<std::size_t>(A.col_idx()(at)) == i) diagonal = size;
      }
      largest = std::max(largest, sum / diagonal);
    }
    return {largest / covered, largest};
  }

  PlannedJacobi<S, Off> jacobi_;
  ChebyshevPreconditioner<Exec, S, AnyOperator<S>> polynomial_;
};

/// The preconditioner of that name; null for "none".
template <Scalar S, Offset Off>
std::unique_ptr<AnyOperator<S>> make_named(const Exec& exec, const SolveProblem<S, Off>& problem,
                                           AnyOperator<S>& product, const std::string& name) {
  using Matrix = CsrMatrix<S, Index, Off, Space>;
  const SolveRequest& request = problem.request;
  if (name == "none") return nullptr;
  if (name == "jacobi") return std::make_unique<PlannedJacobi<S, Off>>(exec, problem.A);
  if (name == "block-jacobi") {
    using Blocks = BlockJacobiPreconditioner<Exec, S>;
    return std::make_unique<PlannedOperator<S, Off, Blocks>>(exec, problem.A, request.block);
  }
  if (name == "chebyshev") return std::make_unique<Polynomial<S, Off>>(exec, problem, product);
  if (name.starts_with("ssor")) {
    using Sweep = GaussSeidelPlan<Exec, Matrix>;
    GaussSeidelOptions options;
    options.expected_applies = request.expected_applies;
    if (name.ends_with("multicolor")) options.order = GaussSeidelOrder::multicolor;
    return std::make_unique<PlannedOperator<S, Off, Sweep>>(exec, problem.A, options);
  }
  if (name.starts_with("multigrid")) {
    const std::string kind = name.ends_with("float")    ? "float"
                             : name.ends_with("seidel") ? "gauss-seidel"
                                                        : "chebyshev";
    MultigridOptions options;
    options.expected_applies = request.expected_applies;
    return make_multigrid<S, Off>(exec, problem.A, problem.coordinates, kind, options);
  }
  IluOptions options;
  options.expected_applies = request.expected_applies;
  options.fill_level = name.starts_with("ic1") || name.starts_with("ilu1") ? 1 : 0;
  if (name.ends_with("subdomains")) options.subdomains = request.subdomains;
  const bool cholesky = name.starts_with("ic"), narrow = name.ends_with("float");
  const FactorKind kind = cholesky ? (narrow ? FactorKind::cholesky_in_float : FactorKind::cholesky)
                                   : (narrow ? FactorKind::lu_in_float : FactorKind::lu);
  return make_preconditioner<S, Off>(exec, problem.A, options, kind);
}

}  // namespace heddle::bench
