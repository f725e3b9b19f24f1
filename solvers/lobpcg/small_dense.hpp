// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "../../core/real_part.hpp"
#ifdef HEDDLE_LAPACKE
#include <lapacke.h>
#endif

/// Small dense matrices of the host, column-major.
namespace heddle::detail::lobpcg {

template <class T>
struct Dense {
  int rows = 0, columns = 0;
  std::vector<T> entries;

  Dense() = default;
  Dense(int r, int c) : rows(r), columns(c), entries(static_cast<std::size_t>(r) * c) {}
  T& operator()(int i, int j) { return entries[static_cast<std::size_t>(j) * rows + i]; }
  const T& operator()(int i, int j) const {
    return entries[static_cast<std::size_t>(j) * rows + i];
  }
};

/// The largest |h(i, j) - conj h(j, i)| over sizes(i) sizes(j), for i and j from `first` on; 0 for
/// a Hermitian matrix.
template <class T, class Sizes>
double asymmetry(const Dense<T>& h, const Sizes& sizes, int first) {
  double largest = 0;
  for (int j = first; j < h.columns; ++j) {
    for (int i = first; i < j; ++i) {
      const double of_both = sizes(i) * sizes(j);
      const double difference = Kokkos::abs(h(i, j) - conjugate(h(j, i)));
      if (of_both > 0) largest = std::max(largest, difference / of_both);
    }
  }
  return largest;
}

/// a b
template <class T>
Dense<T> times(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.rows, b.columns);
  for (int j = 0; j < b.columns; ++j) {
    for (int k = 0; k < a.columns; ++k) {
      for (int i = 0; i < a.rows; ++i) c(i, j) += a(i, k) * b(k, j);
    }
  }
  return c;
}
/// a' b
template <class T>
Dense<T> adjoint_times(const Dense<T>& a, const Dense<T>& b) {
  Dense<T> c(a.columns, b.columns);
  for (int j = 0; j < b.columns; ++j) {
    for (int i = 0; i < a.columns; ++i) {
      for (int k = 0; k < a.rows; ++k) c(i, j) += conjugate(a(k, i)) * b(k, j);
    }
  }
  return c;
}
/// (a + a') / 2 in place of a.
template <class T>
void make_hermitian(Dense<T>& a) {
  for (int j = 0; j < a.columns; ++j) {
    for (int i = 0; i <= j; ++i) {
      a(i, j) = (a(i, j) + conjugate(a(j, i))) * 0.5;
      a(j, i) = conjugate(a(i, j));
    }
  }
}
/// Appends the columns of b to a.
template <class T>
void append(Dense<T>& a, const Dense<T>& b) {
  a.columns += b.columns;
  a.entries.insert(a.entries.end(), b.entries.begin(), b.entries.end());
}

template <class T>
struct Eigen {
  std::vector<double> values;  ///< ascending
  Dense<T> vectors;
};

/// All eigenpairs of a Hermitian matrix by Jacobi rotations. They need no library, give no NaN for
/// an ill-conditioned matrix, and end for a matrix with NaN too.
template <class T>
Eigen<T> eigen_by_rotations(Dense<T> a) {
  const int n = a.rows;
  Dense<T> v(n, n);
  double size = 0;
  for (int j = 0; j < n; ++j) {
    v(j, j) = T(1);
    for (int i = 0; i < n; ++i) size = std::max(size, static_cast<double>(Kokkos::abs(a(i, j))));
  }
  constexpr int most_sweeps = 40;
  bool turned = true;
  for (int sweep = 0; turned && sweep < most_sweeps; ++sweep) {
    turned = false;
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double g = Kokkos::abs(a(p, q));
        if (!(g > 1e-17 * size)) continue;
        turned = true;
        const double tau = (real_part(a(q, q)) - real_part(a(p, p))) / (2 * g);
        const double t = (tau < 0 ? -1 : 1) / (std::abs(tau) + std::hypot(1.0, tau));
        const double c = 1 / std::hypot(1.0, t), s = t * c;
        const T phase = a(p, q) / g, back = conjugate(phase);
        const auto turn = [&](Dense<T>& m) {
          for (int i = 0; i < n; ++i) {
            const T x = m(i, p), y = m(i, q) * back;
            m(i, p) = c * x - s * y;
            m(i, q) = s * x + c * y;
          }
        };
        turn(a);
        turn(v);
        for (int i = 0; i < n; ++i) {
          const T x = a(p, i), y = a(q, i) * phase;
          a(p, i) = c * x - s * y;
          a(q, i) = s * x + c * y;
        }
      }
    }
  }
  std::vector<int> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int i, int j) { return real_part(a(i, i)) < real_part(a(j, j)); });
  Eigen<T> result{std::vector<double>(static_cast<std::size_t>(n)), Dense<T>(n, n)};
  for (int j = 0; j < n; ++j) {
    const int from = order[static_cast<std::size_t>(j)];
    result.values[static_cast<std::size_t>(j)] = real_part(a(from, from));
    for (int i = 0; i < n; ++i) result.vectors(i, j) = v(i, from);
  }
  return result;
}

#ifdef HEDDLE_LAPACKE
/// Eigenpairs by divide and conquer. False if LAPACK fails or the matrix is not finite.
inline bool eigen_by_lapack(Dense<double>& a, double* values) {
  return LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', a.rows, a.entries.data(), a.rows, values) == 0;
}
inline bool eigen_by_lapack(Dense<Kokkos::complex<double>>& a, double* values) {
  return LAPACKE_zheevd(LAPACK_COL_MAJOR, 'V', 'U', a.rows,
                        reinterpret_cast<lapack_complex_double*>(a.entries.data()), a.rows,
                        values) == 0;
}
#endif

/// All eigenpairs of a Hermitian matrix, by LAPACK in programs that link Heddle::lapack, otherwise
/// by Jacobi rotations.
template <class T>
Eigen<T> eigen(const Dense<T>& a) {
#ifdef HEDDLE_LAPACKE
  Eigen<T> result{std::vector<double>(static_cast<std::size_t>(a.rows)), a};
  if (a.rows == 0 || eigen_by_lapack(result.vectors, result.values.data())) return result;
#endif
  return eigen_by_rotations(a);
}

/// Coefficients T with T' G T = I, from the Gram matrix G of vectors, which are scaled to norm one
/// first. T has a column for each eigenvalue of the scaled matrix above `drop` times the largest.
/// `least` becomes the lowest of all eigenvalues, and `kept` is lowered to the lowest above that
/// bound. Source: A. Stathopoulos and K. Wu (2002).
template <class T>
Dense<T> orthonormal(const Dense<T>& gram, double drop, double* least = nullptr,
                     double* kept = nullptr) {
  const int m = gram.rows;
  std::vector<double> scale(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) {
    const double square = real_part(gram(i, i));
    scale[static_cast<std::size_t>(i)] = square > 0 ? 1 / std::sqrt(square) : 0;
  }
  Dense<T> scaled(m, m);
  for (int j = 0; j < m; ++j) {
    for (int i = 0; i < m; ++i) {
      scaled(i, j) =
          (gram(i, j) + conjugate(gram(j, i))) *
          (0.5 * scale[static_cast<std::size_t>(i)] * scale[static_cast<std::size_t>(j)]);
    }
  }
  const Eigen<T> of = eigen(scaled);
  const double bound = m > 0 ? std::max(drop * of.values.back(), 0.0) : 0;
  if (least) *least = m > 0 ? of.values.front() : 0;
  const int first = static_cast<int>(std::upper_bound(of.values.begin(), of.values.end(), bound) -
                                     of.values.begin());
  if (kept && first < m) *kept = std::min(*kept, of.values[static_cast<std::size_t>(first)]);
  Dense<T> result(m, m - first);
  for (int j = first; j < m; ++j) {
    const double by = 1 / std::sqrt(of.values[static_cast<std::size_t>(j)]);
    for (int i = 0; i < m; ++i) {
      result(i, j - first) = of.vectors(i, j) * (by * scale[static_cast<std::size_t>(i)]);
    }
  }
  return result;
}

}  // namespace heddle::detail::lobpcg
