// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a loop over cuSPARSE and cuBLAS applies: the matrix and a preconditioner, on one stream.
#pragma once

#include <functional>

#include "cublas_library.hpp"
#include "cusparse_factors.hpp"

namespace heddle::bench::cusparse {

enum class With { none, jacobi, ilu0, ic0 };

/// The inverse of the diagonal of A.
template <class Matrix, class Vector>
struct InverseKernel {
  Matrix A;
  Vector inverse;

  KOKKOS_FUNCTION void operator()(int i) const {
    using S = typename Matrix::scalar_type;
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      if (A.col_idx()(k) == i) inverse(i) = S(1) / A.values()(k);
    }
  }
};

/// A and M^-1 of a system of `Problem` (bench/solve), in calls that a graph may record.
template <Scalar S>
class System {
 public:
  using Vector = Kokkos::View<S*, Space>;

  template <class Problem>
  System(const Exec& exec, const Problem& problem, With with)
      : exec_(exec),
        blas_(exec, problem.x.extent(0), cublas::Numbers::on_host),
        product_(exec, problem.A, problem.b, problem.x) {
    const auto rows = static_cast<std::int64_t>(problem.x.extent(0));
    if (with == With::jacobi) {
      inverse_ = allocate<S>(exec, "heddle::bench::inverse", rows);
      invert_ = [exec, A = problem.A, inverse = inverse_] {
        Kokkos::parallel_for("heddle::bench::invert_diagonal",
                             Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, A.rows()),
                             InverseKernel{A, inverse});
      };
      invert_();
    } else if (with != With::none) {
      factors_.emplace(exec, problem.A, with == With::ic0);
    }
  }

  void product(const Vector& x, const Vector& y) const { product_.apply(S(1), x, S(0), y); }
  void precondition(const Vector& r, const Vector& z) const {
    if (factors_) return factors_->solve(r, z);
    if (invert_) return blas_.scale(inverse_, r, z);
    Kokkos::deep_copy(exec_, z, r);
  }
  bool preconditions() const { return factors_ || invert_; }
  void update_values() {
    if (factors_) factors_->factor();
    if (invert_) invert_();
  }
  std::size_t bytes() const {
    return product_.bytes() + inverse_.span() * sizeof(S) + (factors_ ? factors_->bytes() : 0);
  }
  const cublas::Vectors<S>& blas() const { return blas_; }

 private:
  Exec exec_;
  cublas::Vectors<S> blas_;
  Product<S> product_;
  Vector inverse_;
  std::function<void()> invert_;
  std::optional<Factors<S>> factors_;
};

}  // namespace heddle::bench::cusparse
