// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "../../backends/algorithms/bad_row.hpp"
#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"
#include "../../matrices/norms.hpp"
#include "../vectors/operands.hpp"
#include "aggregates.hpp"
#include "strength.hpp"

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

// The diagonal of a level, as smoothers take it.

/// A diagonal entry or its reciprocal that no smoother takes.
template <Scalar S>
KOKKOS_FORCEINLINE_FUNCTION bool is_bad(const S& entry) {
  const double size = static_cast<double>(Kokkos::abs(entry));
  const double other = static_cast<double>(Kokkos::abs(S(1) / entry));
  return !(static_cast<double>(real_part(entry)) > 0) || !Kokkos::isfinite(size) ||
         !Kokkos::isfinite(other);
}

template <Scalar S>
inline constexpr double epsilon_of = sizeof(heddle::RealOf<S>) == 4 ? 0x1p-23 : 0x1p-52;

/// What a pivot may owe to rounding, over its magnitude: the sum of the diagonal entries that it
/// was made of, each times the square of its weight. Each elimination hands magnitudes on. So the
/// bound follows the scale of A and of its unknowns, and knows of large entries that are gone.
/// Pivots of Laplacians that should be zero were up to 27 epsilon of it.
template <Scalar S>
inline constexpr double rounding_of_magnitude = 64 * epsilon_of<S>;

/// The same of a coarse level's diagonal entry, whose magnitude the finest level's entries add up
/// to: a product adds few terms, where an elimination takes as many steps as there are pivots.
template <Scalar S>
inline constexpr double rounding_of_product = 8 * epsilon_of<S>;

/// Inverts the diagonal. Where an entry is bad: 1, and the lowest such row is marked in *bad.
template <Scalar S>
struct InvertDiagonal {
  S* diagonal;
  S* inverse;
  double* magnitude;
  bool finest;  ///< the level that magnitudes begin with
  std::int64_t* bad;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (is_bad(diagonal[i])) {
      triangle::mark_bad_row(bad, i);
      diagonal[i] = S(1);
    }
    inverse[i] = S(1) / diagonal[i];
    if (finest) magnitude[i] = static_cast<double>(Kokkos::abs(diagonal[i]));
  }
};

/// What l1-Jacobi multiplies by.
template <Scalar S>
struct InvertRowSums {
  const double* row_sums;
  S* inverse;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const S of_sum(static_cast<heddle::RealOf<S>>(1 / row_sums[i]));
    if (!is_bad(of_sum)) inverse[i] = of_sum;
  }
};

template <Scalar S>
struct LargestRowSum {
  const S* diagonal;
  const double* row_sums;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    return row_sums[i] / static_cast<double>(Kokkos::abs(diagonal[i]));
  }
};

/// What an eigenvalue of D^-1 A may owe to rounding.
template <Scalar S>
struct RoundingOfRow {
  const S* diagonal;
  const double* magnitude;
  KOKKOS_FUNCTION double operator()(std::int64_t i) const {
    constexpr double of_lanczos = sizeof(heddle::RealOf<S>) == 4 ? 1e-4 : 1e-10;
    const double over_diagonal = magnitude[i] / static_cast<double>(Kokkos::abs(diagonal[i]));
    return Kokkos::max(of_lanczos, rounding_of_magnitude<S> * over_diagonal);
  }
};

/// Where no step of Lanczos is taken, the row sum is the bound: one item.
struct BoundByRowSum {
  SpectrumNumbers* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    numbers->bound = numbers->largest_row_sum;
    numbers->indefinite = false;
  }
};

/// The magnitudes of a coarse level, a node an item. Unknowns of which nothing but rounding is
/// left, whose vector is one of the nullspace, get their magnitude as a diagonal. Those that no
/// vector stands for get the smallest diagonal entry of their node, so that strength does not ask
/// of them.
template <class Matrix>
struct RepairDiagonal {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* values;
  Matrix restriction;
  const double* fine_magnitude;
  double* magnitude;
  int vectors;

  KOKKOS_FUNCTION void operator()(std::int64_t node) const {
    const std::int64_t first = node * vectors;
    double smallest = 0;
    for (std::int64_t i = first; i < first + vectors; ++i) {
      magnitude[i] = sum_of_fine(i, true);
      if (magnitude[i] == 0) continue;
      S* const entry = diagonal(i);
      if (static_cast<double>(Kokkos::abs(*entry)) <= rounding_of_product<S> * magnitude[i]) {
        *entry = number(magnitude[i]);
      }
      const auto size = static_cast<double>(Kokkos::abs(*entry));
      if (smallest == 0 || size < smallest) smallest = size;
    }
    for (std::int64_t i = first; i < first + vectors; ++i) {
      if (magnitude[i] != 0) continue;
      magnitude[i] = smallest > 0 ? smallest : sum_of_fine(i, false);
      *diagonal(i) = number(magnitude[i]);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static S number(double size) {
    return S(static_cast<heddle::RealOf<S>>(size));
  }
  KOKKOS_FORCEINLINE_FUNCTION S* diagonal(std::int64_t i) const {
    auto k = A.row_ptr().data()[i];
    while (static_cast<std::int64_t>(A.col_idx().data()[k]) != i) ++k;
    return values + k;
  }
  /// The sum with squares of weights, or the mean.
  KOKKOS_FORCEINLINE_FUNCTION double sum_of_fine(std::int64_t i, bool weighted) const {
    const auto begin = restriction.row_ptr().data()[i], end = restriction.row_ptr().data()[i + 1];
    double sum = 0;
    for (auto k = begin; k < end; ++k) {
      const double weight = weighted ? square_of(restriction.values().data()[k])
                                     : 1 / static_cast<double>(end - begin);
      sum += weight * fine_magnitude[restriction.col_idx().data()[k]];
    }
    return sum;
  }
};

/// diagonal, inverse, row sums, and of the numbers largest_row_sum, which is the bound as well, and
/// rounding; of the finest level magnitude. No wait, no allocation.
template <ExecutionSpace Exec, class Matrix>
void prepare_diagonal(const Exec& exec, const Matrix& A, typename Matrix::scalar_type* diagonal,
                      typename Matrix::scalar_type* inverse, double* magnitude, bool finest,
                      double* row_sums, SpectrumNumbers* numbers, std::int64_t* bad) {
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Space = typename Exec::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const std::int64_t rows = A.rows();
  const auto n = static_cast<std::size_t>(rows);
  sum_rows<S>(exec, "heddle::multigrid::diagonal", A.row_ptr().data(), rows,
              OnDiagonal<S, O>{A.col_idx().data(), A.values().data()},
              Kokkos::View<S*, Space, Unmanaged>(diagonal, n));
  sum_rows<double>(exec, "heddle::multigrid::row_sums", A.row_ptr().data(), rows,
                   AddMagnitude<S>{{A.values().data()}},
                   Kokkos::View<double*, Space, Unmanaged>(row_sums, n));
  fill(exec, "heddle::multigrid::clear_bad", bad, 2, 0);
  parallel_for(exec, "heddle::multigrid::invert_diagonal", rows,
               InvertDiagonal<S>{diagonal, inverse, magnitude, finest, bad});
  using Sums = LargestRowSum<S>;
  Kokkos::parallel_reduce("heddle::multigrid::largest_row_sum", range_policy(exec, rows),
                          Largest<Sums>{{diagonal, row_sums}},
                          Kokkos::View<double, Space, Unmanaged>(&numbers->largest_row_sum));
  using Rounding = RoundingOfRow<S>;
  Kokkos::parallel_reduce("heddle::multigrid::rounding", range_policy(exec, rows),
                          Largest<Rounding>{{diagonal, magnitude}},
                          Kokkos::View<double, Space, Unmanaged>(&numbers->rounding));
  parallel_for(exec, "heddle::multigrid::bound_by_row_sum", 1, BoundByRowSum{numbers});
}

}  // namespace heddle::detail::multigrid
