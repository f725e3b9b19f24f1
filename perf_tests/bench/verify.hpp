// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <heddle/core/matrix.hpp>
#include <limits>
#include <vector>

namespace heddle::bench {

/// The right answer: A x and |A| |x|, row by row in long double on the host's threads, to which
/// results are held. A result may be off in row i by
///   eps * (16 + 4 sqrt(length of row i)) * (|alpha| (|A| |x|)_i + |beta| |y_i|),
/// eps that of the scalar: what rounding in any order of summation stays below in practice, and
/// small enough that a lost or doubled entry of an ordinary size shows.
template <Scalar S, Offset Off>
class Reference {
 public:
  using Matrix = CsrMatrix<S, std::int32_t, Off, Kokkos::HostSpace>;
  using Vectors = Kokkos::View<S**, Kokkos::LayoutLeft, Kokkos::HostSpace>;

  Reference(const Matrix& A, const Vectors& x)
      : A_(A), columns_(static_cast<std::int64_t>(x.extent(1))) {
    const auto size = static_cast<std::size_t>(A.rows() * columns_);
    product_.resize(size);
    magnitude_.resize(size);
    for_rows([this, &x](std::int64_t row) { compute(row, x); });
  }

  /// Largest error over its bound in y, which should be alpha A x + beta y_before; infinite where y
  /// is not a number. At most 1 is right.
  double error_over_bound(S alpha, S beta, const Vectors& y_before, const Vectors& y) const {
    double worst = 0;
    const Host host;
    Kokkos::parallel_reduce(
        "heddle::bench::compare", Kokkos::RangePolicy<Host>(host, 0, product_.size()),
        [&](std::size_t at, double& largest) {
          const auto row = static_cast<std::int64_t>(at) % A_.rows();
          const auto k = static_cast<std::int64_t>(at) / A_.rows();
          const Wide a(alpha), b(beta);
          const Wide before = beta == S(0) ? Wide() : Wide(y_before(row, k));
          const Wide expected = a * product_[at] + b * before;
          const Real bound = tolerance(row) * (a.abs() * magnitude_[at] + b.abs() * before.abs());
          const Real error = (Wide(y(row, k)) - expected).abs();
          largest = std::max(largest, over(error, bound));
        },
        Kokkos::Max<double>(worst));
    host.fence("heddle::bench::compared");
    return std::max(worst, 0.0);
  }

 private:
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Real = long double;

  /// std::complex multiplies by way of the rules for infinities; this one is plain, and fast.
  struct Wide {
    Real re = 0, im = 0;
    Wide() = default;
    Wide(Real r, Real i) : re(r), im(i) {}
    explicit Wide(const S& value) {
      if constexpr (is_complex<S>) {
        re = value.real();
        im = value.imag();
      } else {
        re = value;
      }
    }
    Real abs() const { return is_complex<S> ? std::hypot(re, im) : std::fabs(re); }
    friend Wide operator*(Wide a, Wide b) {
      if constexpr (!is_complex<S>) return {a.re * b.re, 0};
      return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    }
    friend Wide operator+(Wide a, Wide b) { return {a.re + b.re, a.im + b.im}; }
    friend Wide operator-(Wide a, Wide b) { return {a.re - b.re, a.im - b.im}; }
  };

  template <class Body>
  void for_rows(const Body& body) const {
    const Host host;
    Kokkos::parallel_for("heddle::bench::reference",
                         Kokkos::RangePolicy<Host, Kokkos::Schedule<Kokkos::Dynamic>>(
                             host, 0, static_cast<std::size_t>(A_.rows())),
                         [&](std::size_t row) { body(static_cast<std::int64_t>(row)); });
    host.fence("heddle::bench::reference");
  }

  void compute(std::int64_t row, const Vectors& x) {
    const auto row_ptr = A_.row_ptr();
    for (std::int64_t k = 0; k < columns_; ++k) {
      Wide sum;
      Real magnitude = 0;
      for (Off j = row_ptr(row); j < row_ptr(row + 1); ++j) {
        const Wide term = Wide(A_.values()(j)) * Wide(x(A_.col_idx()(j), k));
        sum = sum + term;
        magnitude += term.abs();
      }
      product_[index(row, k)] = sum;
      magnitude_[index(row, k)] = magnitude;
    }
  }

  static double over(Real error, Real bound) {
    if (error == 0) return 0;
    if (!std::isfinite(error) || bound == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(error / bound);
  }

  Real tolerance(std::int64_t row) const {
    const auto length = static_cast<Real>(A_.row_ptr()(row + 1) - A_.row_ptr()(row));
    using RealScalar = decltype(Kokkos::abs(S()));
    return std::numeric_limits<RealScalar>::epsilon() * (16 + 4 * std::sqrt(length));
  }

  std::size_t index(std::int64_t row, std::int64_t k) const {
    return static_cast<std::size_t>(k * A_.rows() + row);
  }

  Matrix A_;
  std::int64_t columns_;
  std::vector<Wide> product_;
  std::vector<Real> magnitude_;
};

}  // namespace heddle::bench
