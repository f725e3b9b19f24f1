// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sweeps on the host in wide precision, with bounds of the rounding errors of other sweeps.
#pragma once

#include <cmath>
#include <limits>
#include <optional>

#include "../../../testing/wide.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// The sweeps of one column, row after row. Each number has a bound of its rounding errors and of
/// the errors of the numbers that it is made of.
template <Scalar S, Offset Off>
class ReferenceSweeps {
 public:
  ReferenceSweeps(const HostStorage<S, Off>& A, const GaussSeidelOptions& options)
      : A_(A), options_(options), omega_(static_cast<RealOf<S>>(options.omega)) {}

  /// `b(i)` and `guess(i)` are functions of the row.
  template <class B, class Guess>
  void run(const B& b, const Guess& guess, int sweeps) {
    const auto n = static_cast<std::size_t>(A_.rows());
    x_.clear();
    for (std::size_t i = 0; i < n; ++i) x_.push_back({Number(guess(i)), 0});
    for (int sweep = 0; sweep < sweeps; ++sweep) {
      if (options_.sweep != SweepDirection::backward) {
        for (std::size_t i = 0; i < n; ++i) row(i, Number(b(i)));
      }
      if (options_.sweep == SweepDirection::forward) continue;
      for (std::size_t i = n; i-- > 0;) row(i, Number(b(i)));
    }
  }

  /// The largest error of x over its bound; empty if a bound is above 0.1 % of the largest entry.
  template <class X>
  std::optional<double> error_over_bound(const X& x) const {
    long double worst = 0, largest = 0, loosest = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const long double error = test::detail::magnitude(Number(x(i)) - x_[i].value);
      const long double over = error > 0 ? error / x_[i].error : 0;
      worst = over <= worst ? worst : over;  // NaN is the worst
      largest = std::max(largest, test::detail::magnitude(x_[i].value));
      loosest = x_[i].error <= loosest ? loosest : x_[i].error;
    }
    if (!(loosest <= 1e-3L * largest) && !x_.empty()) return std::nullopt;
    return static_cast<double>(worst);
  }

 private:
  using Number = test::detail::WideOf<S, S>;
  struct Bounded {
    Number value;
    long double error;
  };

  void row(std::size_t i, const Number& right) {
    using test::detail::magnitude;
    Number sum = right, diagonal(0);
    long double size = magnitude(right), inherited = 0;
    for (Off k = A_.row_ptr()(i); k < A_.row_ptr()(i + 1); ++k) {
      const auto e = static_cast<std::size_t>(k);
      const auto j = static_cast<std::size_t>(A_.col_idx()(e));
      const Number entry(A_.values()(e));
      if (j == i) {
        diagonal = entry;
        continue;
      }
      const Number product = entry * x_[j].value;
      sum = sum - product;
      size += magnitude(product);
      inherited += magnitude(entry) * x_[j].error;
    }
    // Complex numbers are divided by multiplying with the conjugate of the diagonal.
    const long double inverse = 1 / magnitude(diagonal);
    const Number quotient = (sum * conjugated(diagonal)) * Number(omega_ * inverse * inverse);
    const Number kept = Number(1 - omega_) * x_[i].value;
    const auto terms = static_cast<long double>(A_.row_ptr()(i + 1) - A_.row_ptr()(i) + 8);
    const long double rounding = (is_complex<S> ? 8 : 2) * terms * epsilon;
    x_[i].error = std::fabs(1 - omega_) * x_[i].error + omega_ * inverse * inherited +
                  rounding * (omega_ * inverse * size + magnitude(kept)) + smallest;
    x_[i].value = kept + quotient;
  }
  static Number conjugated(const Number& value) {
    if constexpr (is_complex<S>) {
      return Number(value.re, -value.im);
    } else {
      return value;
    }
  }

  static constexpr long double epsilon = std::numeric_limits<RealOf<S>>::epsilon();
  static constexpr long double smallest = std::numeric_limits<RealOf<S>>::min();

  HostStorage<S, Off> A_;
  GaussSeidelOptions options_;
  long double omega_;
  std::vector<Bounded> x_;
};

}  // namespace heddle::bench
