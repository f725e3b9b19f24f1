// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Preconditioners from the diagonal: Jacobi, and a symmetric sweep by two SpSV.
#pragma once

#include <functional>

#include "cublas_library.hpp"
#include "cusparse_csr.hpp"

namespace heddle::bench::cusparse {

template <class Matrix, class Vector>
struct DiagonalKernel {
  Matrix A;
  Vector diagonal;
  bool inverted;

  KOKKOS_FUNCTION void operator()(int i) const {
    using S = typename Matrix::scalar_type;
    for (auto k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      if (A.col_idx()(k) == i) diagonal(i) = inverted ? S(1) / A.values()(k) : A.values()(k);
    }
  }
};

/// The diagonal of A, or its inverse.
template <Scalar S>
class Diagonal {
 public:
  using Vector = Kokkos::View<S*, Space>;

  template <class Matrix>
  Diagonal(const Exec& exec, const Matrix& A, bool inverted)
      : values_(allocate<S>(exec, "heddle::bench::diagonal", A.rows())),
        take_([exec, kernel = DiagonalKernel<Matrix, Vector>{A, values_, inverted}] {
          Kokkos::parallel_for(
              "heddle::bench::take_diagonal",
              Kokkos::RangePolicy<Exec, Kokkos::IndexType<int>>(exec, 0, kernel.A.rows()), kernel);
        }) {
    take_();
  }
  /// z = D r; z may be r.
  void apply(const cublas::Vectors<S>& blas, const Vector& r, const Vector& z) const {
    blas.scale(values_, r, z);
  }
  void update_values() const { take_(); }
  std::size_t bytes() const { return values_.span() * sizeof(S); }

 private:
  Vector values_;
  std::function<void()> take_;
};

/// z = (D + U)^-1 D (D + L)^-1 r.
template <Scalar S>
class SymmetricSweep {
 public:
  using Vector = Kokkos::View<S*, Space>;

  template <class Matrix>
  SymmetricSweep(const Exec& exec, const Matrix& A)
      : diagonal_(exec, A, false),
        middle_(allocate<S>(exec, "heddle::bench::middle", A.rows())),
        lower_(exec, A, A.values(), {}, middle_, middle_),
        upper_(exec, A, A.values(), {.fill = CUSPARSE_FILL_MODE_UPPER}, middle_, middle_) {}

  void solve(const cublas::Vectors<S>& blas, const Vector& r, const Vector& z) const {
    lower_.solve(r, middle_);
    diagonal_.apply(blas, middle_, middle_);
    upper_.solve(middle_, z);
  }
  void update_values() const {
    diagonal_.update_values();
    lower_.update_values();
    upper_.update_values();
  }
  std::size_t bytes() const {
    return diagonal_.bytes() + middle_.span() * sizeof(S) + lower_.bytes() + upper_.bytes();
  }

 private:
  Diagonal<S> diagonal_;
  Vector middle_;
  TriangleSolve<S> lower_, upper_;
};

}  // namespace heddle::bench::cusparse
