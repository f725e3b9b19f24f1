// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The matrix and the preconditioner of a loop over cuSPARSE and cuBLAS, on one stream.
#pragma once

#include "cusparse_diagonal.hpp"
#include "cusparse_factors.hpp"

namespace heddle::bench::cusparse {

enum class With { none, jacobi, ssor, ilu0, ic0 };

/// A and M^-1 of a system of `Problem` (bench/solve), by calls that a graph may record.
template <Scalar S>
class System {
 public:
  using Vector = Kokkos::View<S*, Space>;

  template <class Problem>
  System(const Exec& exec, const Problem& problem, With with)
      : exec_(exec),
        blas_(exec, problem.x.extent(0), cublas::Numbers::on_host),
        product_(exec, problem.A, problem.b, problem.x) {
    switch (with) {
      case With::none: break;
      case With::jacobi: inverse_.emplace(exec, problem.A, true); break;
      case With::ssor: sweep_.emplace(exec, problem.A); break;
      default: factors_.emplace(exec, problem.A, with == With::ic0);
    }
  }

  void product(const Vector& x, const Vector& y) const { product_.apply(S(1), x, S(0), y); }
  void precondition(const Vector& r, const Vector& z) const {
    if (factors_) return factors_->solve(r, z);
    if (sweep_) return sweep_->solve(blas_, r, z);
    if (inverse_) return inverse_->apply(blas_, r, z);
    Kokkos::deep_copy(exec_, z, r);
  }
  bool preconditions() const { return factors_ || sweep_ || inverse_; }
  void update_values() {
    if (factors_) factors_->factor();
    if (sweep_) sweep_->update_values();
    if (inverse_) inverse_->update_values();
  }
  std::size_t bytes() const {
    const auto of = [](const auto& part) { return part ? part->bytes() : 0; };
    return product_.bytes() + of(inverse_) + of(sweep_) + of(factors_);
  }
  const cublas::Vectors<S>& blas() const { return blas_; }

 private:
  Exec exec_;
  cublas::Vectors<S> blas_;
  Product<S> product_;
  std::optional<Diagonal<S>> inverse_;
  std::optional<SymmetricSweep<S>> sweep_;
  std::optional<Factors<S>> factors_;
};

}  // namespace heddle::bench::cusparse
