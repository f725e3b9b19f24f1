// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../gauss_seidel/instantiate.hpp"
#include "options.hpp"

namespace heddle::detail::multigrid {

/// Gauss-Seidel by colors of a level: forward before its correction and backward after it, each the
/// other's adjoint, so that a cycle is symmetric where the matrix is.
template <ExecutionSpace Exec, class Matrix>
class ColorSweeps {
 public:
  using S = typename Matrix::scalar_type;

  /// Allocates, and waits.
  ColorSweeps(const Exec& exec, const Matrix& A, const MultigridOptions& options)
      : forward_(exec, A, sweep(SweepDirection::forward, options), never_split),
        backward_(exec, A, sweep(SweepDirection::backward, options), never_split) {}

  /// From zero; and the residual after it, unless that has no data.
  void before(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
              const Multivector<S>& residual, int sweeps) const {
    forward_.sweep(exec, {b, x, residual}, residual.data != nullptr, sweeps, true);
  }
  void after(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x,
             int sweeps) const {
    backward_.sweep(exec, {b, x, {}}, false, sweeps, false);
  }
  /// No wait, no allocation.
  void update_values(const Exec& exec, const Matrix& A) {
    forward_.update_values(exec, A);
    backward_.update_values(exec, A);
  }
  std::size_t bytes() const { return forward_.bytes() + backward_.bytes(); }

 private:
  using Plan = GaussSeidelPlanCore<Exec, Matrix>;

  static GaussSeidelOptions sweep(SweepDirection direction, const MultigridOptions& options) {
    GaussSeidelOptions of;
    of.sweep = direction;
    of.order = GaussSeidelOrder::multicolor;
    of.vectors = options.vectors;
    of.expected_applies = options.expected_applies;
    of.check_overlap = false;
    of.check_pattern = false;
    return of;
  }
  /// For a scheme that is not asked for.
  static std::unique_ptr<gauss_seidel::Executor<Exec, Matrix>> never_split(
      const Exec&, const Matrix&, const GaussSeidelOptions&) {
    return nullptr;
  }

  Plan forward_, backward_;
};

}  // namespace heddle::detail::multigrid
