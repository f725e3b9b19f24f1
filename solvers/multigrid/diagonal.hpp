// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/matrix/norms.hpp"
#include "../triangle/bad_row.hpp"
#include "spectrum.hpp"
#include "strength.hpp"

/// The diagonal of a level, as smoothers take it.
namespace heddle::detail::multigrid {

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
