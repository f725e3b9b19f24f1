// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"
#include "../krylov/squares.hpp"
#include "../vectors/operands.hpp"
#include "aggregates.hpp"

/// The largest eigenvalue of D^-1 A, by steps of Lanczos in the inner product x' D y, whose numbers
/// never leave the device: nothing waits. Source: Y. Saad, Numerical Methods for Large Eigenvalue
/// Problems (2011), chapter 6.
namespace heddle::detail::multigrid {

inline constexpr int lanczos_steps = 12;
/// What the largest eigenvalue of so few steps is multiplied by.
inline constexpr double spectrum_safety = 1.1;

/// On the device: those of the tridiagonal matrix, the squares of its entries beside the diagonal,
/// the largest row sum of |D^-1 A|, which no eigenvalue is above, what eigenvalues may owe to
/// rounding, the bound, and whether a Hermitian A was seen to have a negative eigenvalue.
struct SpectrumNumbers {
  double alpha[lanczos_steps];
  double beta_squared[lanczos_steps + 1];
  double largest_row_sum;
  double rounding;
  double bound;
  bool indefinite;
};

/// Between -1 and 1.
KOKKOS_FORCEINLINE_FUNCTION double random_entry(std::int64_t i) {
  const auto bits = static_cast<std::int64_t>(hash_of(static_cast<std::uint64_t>(i)) >> 12);
  return static_cast<double>(bits) * 0x1p-51 - 1;
}

/// As much of each unknown in the inner product, whatever its unit.
template <Scalar S>
struct StartVector {
  S* to;
  const S* inverse;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Real = heddle::RealOf<S>;
    to[i] = S(static_cast<Real>(random_entry(i)) * Kokkos::sqrt(Kokkos::abs(inverse[i])));
  }
};

/// Of Lanczos' steps.
template <Scalar S>
using LanczosPass = vectors::Pass<krylov::Wide<S>, 1>;

/// beta_squared[0] = x' D x
template <Scalar S>
struct FirstNorm : LanczosPass<S> {
  Multivector<const S> x, diagonal;
  SpectrumNumbers* numbers;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(x), vectors::loaded(diagonal));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return [](const auto&, Pack* sum, const Pack& x, const Pack& diagonal) {
      vectors::add_dot(x, Pack::multiply(diagonal, x), *sum);
    };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    numbers->beta_squared[0] = real_part(*total);
  }
};

/// alpha[step] = x' A x / beta_squared[step], of q = A x
template <Scalar S>
struct LanczosAlpha : LanczosPass<S> {
  Multivector<const S> x, q;
  SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::loaded(x), vectors::loaded(q));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    return
        [](const auto&, Pack* sum, const Pack& x, const Pack& q) { vectors::add_dot(x, q, *sum); };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    const double square = numbers->beta_squared[step];
    numbers->alpha[step] = square == 0 ? 0 : real_part(*total) / square;
  }
};

/// The next vector of Lanczos in place of the one before x, of q = A x, and its norm. Vectors are
/// not scaled: their norms are known.
template <Scalar S>
struct LanczosNext : LanczosPass<S> {
  Multivector<S> before;
  Multivector<const S> x, q, diagonal, inverse;
  SpectrumNumbers* numbers;
  int step;

  KOKKOS_FORCEINLINE_FUNCTION static double reciprocal_root(double square) {
    return square == 0 ? 0 : 1 / Kokkos::sqrt(square);
  }
  KOKKOS_FORCEINLINE_FUNCTION auto operands(int) const {
    return vectors::operands_of(vectors::updated(before, step != 0), vectors::loaded(x),
                                vectors::loaded(q), vectors::loaded(diagonal),
                                vectors::loaded(inverse));
  }
  template <class Pack>
  KOKKOS_FORCEINLINE_FUNCTION auto formula(int) const {
    using Sum = krylov::Wide<S>;
    const double scale = reciprocal_root(numbers->beta_squared[step]);
    const double last = step == 0 ? 0
                                  : -Kokkos::sqrt(numbers->beta_squared[step]) *
                                        reciprocal_root(numbers->beta_squared[step - 1]);
    return [of_q = Pack::all(Sum(scale)), of_x = Pack::all(Sum(-numbers->alpha[step] * scale)),
            of_before = Pack::all(Sum(last))](const auto& at, Pack* sum, Pack& before,
                                              const Pack& x, const Pack& q, const Pack& diagonal,
                                              const Pack& inverse) {
      const Pack rest = Pack::multiply_add(of_x, x, Pack::multiply(of_before, before));
      before = at.keep(Pack::multiply_add(of_q, Pack::multiply(inverse, q), rest));
      vectors::add_dot(before, Pack::multiply(diagonal, before), *sum);
    };
  }
  template <class Acc>
  KOKKOS_FORCEINLINE_FUNCTION void finish(int, const Acc* total) const {
    numbers->beta_squared[step + 1] = real_part(*total);
  }
};

/// The bound from all numbers: one item. NaN if one of them is.
struct BoundSpectrum {
  SpectrumNumbers* numbers;
  const bool* hermitian;

  /// Whether all eigenvalues of the tridiagonal matrix lie below x.
  KOKKOS_FUNCTION bool is_above(double x) const {
    double pivot = numbers->alpha[0] - x;
    for (int i = 1; pivot < 0 && i < lanczos_steps; ++i) {
      pivot = numbers->alpha[i] - x - numbers->beta_squared[i] / pivot;
    }
    return pivot < 0;
  }
  /// Whether one of them does.
  KOKKOS_FUNCTION bool is_above_one(double x) const {
    double pivot = numbers->alpha[0] - x;
    for (int i = 1; pivot > 0 && i < lanczos_steps; ++i) {
      pivot = numbers->alpha[i] - x - numbers->beta_squared[i] / pivot;
    }
    return pivot < 0;
  }
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    double low = numbers->alpha[0], high = 0, sum = 0;
    for (int i = 0; i < lanczos_steps; ++i) {
      const double left = i > 0 ? Kokkos::sqrt(numbers->beta_squared[i]) : 0;
      const double right = i + 1 < lanczos_steps ? Kokkos::sqrt(numbers->beta_squared[i + 1]) : 0;
      high = Kokkos::max(high, numbers->alpha[i] + left + right);
      sum += numbers->alpha[i] + left + right;
    }
    for (int halving = 0; halving < 50; ++halving) {
      const double middle = (low + high) / 2;
      (is_above(middle) ? high : low) = middle;
    }
    const double bound = Kokkos::min(spectrum_safety * high, numbers->largest_row_sum);
    numbers->bound = Kokkos::isfinite(sum) ? (bound > 0 ? bound : 1) : sum - sum;
    numbers->indefinite = *hermitian && is_above_one(-numbers->rounding * numbers->bound);
  }
};

/// What Lanczos works with: vectors of a level, of rows entries.
template <Scalar S>
struct LanczosVectors {
  S *x, *before, *q;
  S *diagonal, *inverse;
  std::int64_t rows;

  static Multivector<S> vector(S* data, std::int64_t rows) { return {data, 1, rows, rows, 1}; }
  Multivector<S> write(S* data) const { return vector(data, rows); }
  Multivector<const S> read(const S* data) const { return {data, 1, rows, rows, 1}; }
};

/// numbers->bound, from numbers->largest_row_sum and the matrix: `product(x, q)` is q = A x; and
/// whether a Hermitian A is indefinite. No wait, no allocation.
template <ExecutionSpace Exec, Scalar S, class Product>
void bound_spectrum(const Exec& exec, LanczosVectors<S> with, SpectrumNumbers* numbers,
                    const VectorWorkspace<Exec, krylov::Wide<S>>& workspace, const bool* hermitian,
                    const Product& product) {
  const std::int64_t rows = with.rows;
  const auto diagonal = with.read(with.diagonal), inverse = with.read(with.inverse);
  parallel_for(exec, "heddle::multigrid::start_vector", rows, StartVector<S>{with.x, with.inverse});
  vectors::stream(exec, "heddle::multigrid::first_norm", rows, 1, true,
                  FirstNorm<S>{{}, with.read(with.x), diagonal, numbers}, &workspace);
  for (int step = 0; step < lanczos_steps; ++step) {
    const auto x = with.read(with.x), q = with.read(with.q);
    product(x, with.write(with.q));
    vectors::stream(exec, "heddle::multigrid::lanczos_alpha", rows, 1, true,
                    LanczosAlpha<S>{{}, x, q, numbers, step}, &workspace);
    vectors::stream(
        exec, "heddle::multigrid::lanczos_next", rows, 1, true,
        LanczosNext<S>{{}, with.write(with.before), x, q, diagonal, inverse, numbers, step},
        &workspace);
    std::swap(with.x, with.before);
  }
  parallel_for(exec, "heddle::multigrid::bound_spectrum", 1, BoundSpectrum{numbers, hermitian});
}

}  // namespace heddle::detail::multigrid
