// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "load.hpp"

namespace heddle::bench {

/// A vector viewed as a matrix of one column.
template <Scalar S>
auto as_column(const Kokkos::View<S*, Kokkos::HostSpace>& vector) {
  using Column = Kokkos::View<S**, Kokkos::LayoutLeft, Kokkos::HostSpace,
                              Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return Column(vector.data(), vector.extent(0), 1);
}

/// Kernels of one thread for krylov_loops.hpp.
template <Scalar S, Offset Off>
class SequentialKernels {
 public:
  using Vector = Kokkos::View<S*, Kokkos::HostSpace>;

  explicit SequentialKernels(const HostStorage<S, Off>& A)
      : A_(A), rows_(static_cast<std::size_t>(A.rows())) {}

  Vector vector(const char* label) const { return Vector(std::string(label), rows_); }
  void product(const Vector& x, const Vector& y) const {
    for (std::size_t i = 0; i < rows_; ++i) {
      S sum(0);
      for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
        const auto at = static_cast<std::size_t>(k);
        sum += A_.values()(at) * x(static_cast<std::size_t>(A_.col_idx()(at)));
      }
      y(i) = sum;
    }
  }
  S dot(const Vector& x, const Vector& y) const {
    S sum(0);
    for (std::size_t i = 0; i < rows_; ++i) sum += conjugate(x(i)) * y(i);
    return sum;
  }
  void axpby(S a, const Vector& x, S b, const Vector& y) const {
    if (b == S(0)) {
      for (std::size_t i = 0; i < rows_; ++i) y(i) = a * x(i);
    } else {
      for (std::size_t i = 0; i < rows_; ++i) y(i) = a * x(i) + b * y(i);
    }
  }

 private:
  HostStorage<S, Off> A_;
  std::size_t rows_;
};

}  // namespace heddle::bench
