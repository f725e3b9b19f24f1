// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/loops.hpp"
#include "../../core/real_part.hpp"
#include "../../formats/matrix/norms.hpp"
#include "../triangle/bad_row.hpp"
#include "spectrum.hpp"

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

/// Inverts the diagonal, or of l1-Jacobi the sums of rows. Where a diagonal entry is bad: 1, and
/// the lowest such row is marked in *bad.
template <Scalar S>
struct InvertDiagonal {
  S* diagonal;
  S* inverse;
  const double* row_sums;
  std::int64_t* bad;
  bool of_row_sums;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (is_bad(diagonal[i])) {
      triangle::mark_bad_row(bad, i);
      diagonal[i] = S(1);
    }
    inverse[i] =
        of_row_sums ? S(static_cast<heddle::RealOf<S>>(1 / row_sums[i])) : S(1) / diagonal[i];
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

/// Where no step of Lanczos is taken, the row sum is the bound: one item.
struct BoundByRowSum {
  SpectrumNumbers* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t) const { numbers->bound = numbers->largest_row_sum; }
};

/// Unknowns of a coarse level of which nothing but rounding is left get a diagonal: those that no
/// vector stands for, and those whose vector is one of the nullspace.
template <class Matrix>
struct RepairDiagonal {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* values;
  Matrix restriction;
  const S* fine_diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    constexpr double least = sizeof(heddle::RealOf<S>) == 4 ? 2e-6 : 1e-10;
    double expected = 0;
    std::int64_t place = -1;
    for (auto k = A.row_ptr().data()[i]; k < A.row_ptr().data()[i + 1]; ++k) {
      if (static_cast<std::int64_t>(A.col_idx().data()[k]) == i) place = k;
    }
    if (place < 0) return;
    for (auto k = restriction.row_ptr().data()[i]; k < restriction.row_ptr().data()[i + 1]; ++k) {
      const auto weight = static_cast<double>(Kokkos::abs(restriction.values().data()[k]));
      const S of_row = fine_diagonal[restriction.col_idx().data()[k]];
      expected += weight * weight * static_cast<double>(Kokkos::abs(of_row));
    }
    const auto size = static_cast<double>(Kokkos::abs(values[place]));
    if (!(size <= least * expected)) return;
    values[place] = S(static_cast<heddle::RealOf<S>>(expected > 0 ? expected : 1));
  }
};

/// diagonal, inverse, and numbers->largest_row_sum, which is the bound as well. No wait, no
/// allocation.
template <ExecutionSpace Exec, class Matrix>
void prepare_diagonal(const Exec& exec, const Matrix& A, typename Matrix::scalar_type* diagonal,
                      typename Matrix::scalar_type* inverse, double* row_sums,
                      SpectrumNumbers* numbers, std::int64_t* bad, bool of_row_sums) {
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
  fill(exec, "heddle::multigrid::clear_bad", bad, 1, 0);
  parallel_for(exec, "heddle::multigrid::invert_diagonal", rows,
               InvertDiagonal<S>{diagonal, inverse, row_sums, bad, of_row_sums});
  using Sums = LargestRowSum<S>;
  Kokkos::parallel_reduce("heddle::multigrid::largest_row_sum", range_policy(exec, rows),
                          Largest<Sums>{{diagonal, row_sums}},
                          Kokkos::View<double, Space, Unmanaged>(&numbers->largest_row_sum));
  parallel_for(exec, "heddle::multigrid::bound_by_row_sum", 1, BoundByRowSum{numbers});
}

}  // namespace heddle::detail::multigrid
