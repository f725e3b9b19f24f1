// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov methods as plain loops over the kernels of a library, for the baselines.
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "../../../core/types.hpp"
#include "../../../solvers/krylov/options.hpp"

namespace heddle::bench {

/// Result of a solve from zero.
struct Solved {
  bool converged = false;
  int iterations = 0;  ///< products with A, without those for residuals
  std::string why = {};
};

/// Limits of a solve: it ends once the residual's norm is at most `tolerance` times that of b.
struct LoopLimits {
  double tolerance = 1e-8;
  int max_iterations = 10000;
};

/// Limits and result of a solver of Heddle.
inline KrylovOptions krylov_options(const LoopLimits& limits) {
  return {.relative_tolerance = limits.tolerance,
          .max_iterations = limits.max_iterations,
          .zero_guess = true};
}
inline Solved solved(const KrylovResult& result) {
  return {result.converged(), result.iterations, heddle::name(result.outcome)};
}

/// Needs Vector, vector(label), product(x, y) for y = A x, dot(x, y) with x conjugated, and
/// axpby(a, x, b, y) for y = a x + b y, which reads no y if b = 0. precondition(r, z) is z = M r.
template <class Kernels>
class KrylovLoops {
 public:
  using Vector = typename Kernels::Vector;
  using Precondition = std::function<void(const Vector& r, const Vector& z)>;
  using S = typename Vector::non_const_value_type;
  using Real = RealOf<S>;

  KrylovLoops(Kernels& kernels, Precondition precondition, const LoopLimits& limits)
      : kernels_(kernels), precondition_(std::move(precondition)), limits_(limits) {}

  /// Conjugate gradients (M. Hestenes, E. Stiefel, 1952).
  Solved cg(const Vector& b, const Vector& x) {
    const Vector r = begin(b, x), z = vector(), p = vector(), q = vector();
    S before(1);
    for (int iterations = 0; !enough(r); ++iterations) {
      if (iterations == limits_.max_iterations) return stopped(iterations);
      precondition_(r, z);
      const S rho = dot(r, z);
      kernels_.axpby(S(1), z, iterations > 0 ? rho / before : S(0), p);
      before = rho;
      kernels_.product(p, q);
      const S alpha = rho / dot(p, q);
      if (!finite(alpha)) return broken(iterations);
      kernels_.axpby(alpha, p, S(1), x);
      kernels_.axpby(-alpha, q, S(1), r);
      done_ = iterations + 1;
    }
    return {true, done_};
  }

  /// MINRES (C. Paige, M. Saunders, 1975), judged by the residual's own norm.
  Solved minres(const Vector& b, const Vector& x) {
    const Vector r = begin(b, x), q = vector();
    Vector u = vector(), u_before = vector(), w = vector(), w_before = vector(), z = vector();
    kernels_.axpby(S(1), r, S(0), u);
    precondition_(u, z);
    Real beta = std::sqrt(Kokkos::real(dot(u, z))), last_beta(1), phi = beta;
    Real cosine(1), sine(0), delta_bar(0), epsilon(0), inverse(0), last_inverse(0);
    while (!enough(r)) {
      if (done_ == limits_.max_iterations) return stopped(done_);
      kernels_.product(z, q);
      const Real alpha = Kokkos::real(dot(z, q)) / (beta * beta);
      const Real delta = cosine * delta_bar + sine * alpha;
      const Real gamma_bar = cosine * alpha - sine * delta_bar;
      kernels_.axpby(S(1 / beta), z, S(-epsilon * last_inverse), w_before);
      if (done_ > 0) kernels_.axpby(S(-delta * inverse), w, S(1), w_before);
      std::swap(w, w_before);
      kernels_.axpby(S(1 / beta), q, S(done_ > 0 ? -beta / last_beta : Real(0)), u_before);
      kernels_.axpby(S(-alpha / beta), u, S(1), u_before);
      std::swap(u, u_before);
      precondition_(u, z);
      const Real next = std::sqrt(std::abs(Kokkos::real(dot(u, z))));
      const Real gamma = std::hypot(gamma_bar, next);
      if (!finite(S(gamma)) || !(gamma > 0)) return broken(done_);
      epsilon = sine * next;
      delta_bar = cosine * next;
      cosine = gamma_bar / gamma;
      sine = next / gamma;
      kernels_.axpby(S(cosine * phi / gamma), w, S(1), x);
      phi *= -sine;
      kernels_.axpby(S(next > 0 ? phi * cosine / next : Real(0)), u, S(sine * sine), r);
      last_inverse = std::exchange(inverse, 1 / gamma);
      last_beta = std::exchange(beta, next);
      ++done_;
    }
    return {true, done_};
  }

  /// BiCGStab with M on the right (H. van der Vorst, 1992).
  Solved bicgstab(const Vector& b, const Vector& x) {
    const Vector r = begin(b, x), shadow = vector(), p = vector(), v = vector(), t = vector(),
                 p_hat = vector(), s_hat = vector();
    kernels_.axpby(S(1), r, S(0), shadow);
    S rho(1), alpha(1), omega(1);
    while (!enough(r)) {
      if (done_ >= limits_.max_iterations) return stopped(done_);
      const S now = dot(shadow, r);
      if (done_ == 0) {
        kernels_.axpby(S(1), r, S(0), p);
      } else {
        const S beta = now / rho * (alpha / omega);
        if (!finite(beta)) return broken(done_);
        kernels_.axpby(-omega, v, S(1), p);
        kernels_.axpby(S(1), r, beta, p);
      }
      rho = now;
      precondition_(p, p_hat);
      kernels_.product(p_hat, v);
      ++done_;
      alpha = rho / dot(shadow, v);
      if (!finite(alpha)) return broken(done_);
      kernels_.axpby(-alpha, v, S(1), r);
      kernels_.axpby(alpha, p_hat, S(1), x);
      if (enough(r)) break;
      precondition_(r, s_hat);
      kernels_.product(s_hat, t);
      ++done_;
      omega = dot(t, r) / dot(t, t);
      if (!finite(omega)) return broken(done_);
      kernels_.axpby(omega, s_hat, S(1), x);
      kernels_.axpby(-omega, t, S(1), r);
    }
    return {true, done_};
  }

  /// GMRES(m) with M on the right and modified Gram-Schmidt (Y. Saad, M. Schultz, 1986).
  Solved gmres(const Vector& b, const Vector& x, int m) {
    const Vector r = begin(b, x), z = vector(), w = vector();
    std::vector<Vector> basis;
    for (int i = 0; i <= m; ++i) basis.push_back(vector());
    const auto size = static_cast<std::size_t>(m);
    std::vector<S> H((size + 1) * size), turned(size + 1), sine(size), solution(size);
    std::vector<Real> cosine(size);
    const auto h = [&](int i, int j) -> S& {
      return H[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * (size + 1)];
    };
    const auto at = [](auto& list, int i) -> auto& { return list[static_cast<std::size_t>(i)]; };
    while (!enough(r)) {
      if (done_ >= limits_.max_iterations) return stopped(done_);
      std::fill(turned.begin(), turned.end(), S(0));
      turned[0] = S(norm_);
      kernels_.axpby(S(1 / norm_), r, S(0), basis[0]);
      int j = 0;
      for (bool small = false; j < m && !small && done_ < limits_.max_iterations; ++j) {
        precondition_(at(basis, j), z);
        kernels_.product(z, w);
        ++done_;
        for (int i = 0; i <= j; ++i) {
          h(i, j) = dot(at(basis, i), w);
          kernels_.axpby(-h(i, j), at(basis, i), S(1), w);
        }
        const Real length = Kokkos::sqrt(Kokkos::abs(dot(w, w)));
        for (int i = 0; i < j; ++i) {
          const S above = h(i, j), below = h(i + 1, j);
          h(i, j) = at(cosine, i) * above + at(sine, i) * below;
          h(i + 1, j) = at(cosine, i) * below - conjugate(at(sine, i)) * above;
        }
        const Real a = Kokkos::abs(h(j, j)), both = Kokkos::sqrt(a * a + length * length);
        if (!(both > 0) || !finite(S(both))) return broken(done_);
        at(cosine, j) = a / both;
        at(sine, j) = a > 0 ? h(j, j) / a * (length / both) : S(1);
        h(j, j) = a > 0 ? h(j, j) / a * both : S(length);
        at(turned, j + 1) = -conjugate(at(sine, j)) * at(turned, j);
        at(turned, j) = at(cosine, j) * at(turned, j);
        small = Kokkos::abs(at(turned, j + 1)) <= limits_.tolerance * norm_of_b_;
        if (length > 0) kernels_.axpby(S(1 / length), w, S(0), at(basis, j + 1));
      }
      kernels_.axpby(S(0), w, S(0), w);
      for (int i = j - 1; i >= 0; --i) {
        S value = at(turned, i);
        for (int k = i + 1; k < j; ++k) value -= h(i, k) * at(solution, k);
        at(solution, i) = value / h(i, i);
        kernels_.axpby(at(solution, i), at(basis, i), S(1), w);
      }
      precondition_(w, z);
      kernels_.axpby(S(1), z, S(1), x);
      kernels_.product(x, w);
      kernels_.axpby(S(1), b, S(0), r);
      kernels_.axpby(S(-1), w, S(1), r);
    }
    return {true, done_};
  }

 private:
  /// Sets x = 0, and returns r = b.
  Vector begin(const Vector& b, const Vector& x) {
    done_ = 0;
    taken_ = 0;
    const Vector r = vector();
    kernels_.axpby(S(0), b, S(0), x);
    kernels_.axpby(S(1), b, S(0), r);
    norm_of_b_ = static_cast<double>(Kokkos::sqrt(Kokkos::abs(dot(b, b))));
    return r;
  }
  bool enough(const Vector& r) {
    norm_ = static_cast<double>(Kokkos::sqrt(Kokkos::abs(dot(r, r))));
    return norm_ <= limits_.tolerance * norm_of_b_;
  }
  /// Returns the same vectors in every solve; the first solve allocates them.
  Vector vector() {
    if (taken_ == vectors_.size()) vectors_.push_back(kernels_.vector("heddle::bench::loop"));
    return vectors_[taken_++];
  }
  S dot(const Vector& x, const Vector& y) { return kernels_.dot(x, y); }
  static bool finite(const S& number) { return Kokkos::isfinite(Kokkos::abs(number)); }
  static Solved stopped(int iterations) { return {false, iterations, "all iterations used up"}; }
  static Solved broken(int iterations) { return {false, iterations, "broke down"}; }

  Kernels& kernels_;
  Precondition precondition_;
  LoopLimits limits_;
  std::vector<Vector> vectors_;
  std::size_t taken_ = 0;
  int done_ = 0;
  double norm_ = 0, norm_of_b_ = 0;
};

}  // namespace heddle::bench
