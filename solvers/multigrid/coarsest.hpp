// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/launch.hpp"
#include "../../core/arena.hpp"
#include "../../core/loops.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"
#include "../../core/real_part.hpp"

/// The coarsest level: its inverse, dense, applied as one product.
namespace heddle::detail::multigrid {

/// Entries of rows of a matrix, by a thread a row, added up where they repeat; the rest is zero.
template <class Matrix>
struct MakeDense {
  using S = typename Matrix::scalar_type;
  Matrix A;
  S* dense;
  S* diagonal;

  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const std::int64_t n = A.rows();
    S* const to = dense + row * n;
    for (std::int64_t j = 0; j < n; ++j) to[j] = S(0);
    for (auto k = A.row_ptr().data()[row]; k < A.row_ptr().data()[row + 1]; ++k) {
      to[A.col_idx().data()[k]] += A.values().data()[k];
    }
    diagonal[row] = to[row];
  }
};

/// One pivot of Gauss and Jordan's inversion, from one array to another: a row an item. A pivot
/// that rounding alone is left of is a direction of the nullspace: it is shifted by the diagonal
/// entry that was there first, as if that had been added to A.
template <Scalar S>
struct EliminatePivot {
  const S* from;
  const S* diagonal;
  S* to;
  std::int64_t n, pivot;
  double least;  ///< relative to the diagonal

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const S* const of_pivot = from + pivot * n;
    S by = of_pivot[pivot];
    const bool gone = static_cast<double>(Kokkos::abs(by)) <=
                      least * static_cast<double>(Kokkos::abs(diagonal[pivot]));
    if (gone) by = diagonal[pivot];
    const S reciprocal = S(1) / by;
    const S* const row = from + i * n;
    S* const result = to + i * n;
    if (i == pivot) {
      for (std::int64_t j = 0; j < n; ++j) result[j] = row[j] * reciprocal;
      result[pivot] = reciprocal;
    } else {
      const S factor = row[pivot] * reciprocal;
      for (std::int64_t j = 0; j < n; ++j) result[j] = row[j] - factor * of_pivot[j];
      result[pivot] = -factor;
    }
  }
};

/// The Hermitian part: rounding left as much besides.
template <Scalar S>
struct HermitianPart {
  const S* from;
  S* to;
  std::int64_t n;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    for (std::int64_t j = 0; j < n; ++j) {
      to[i * n + j] = (from[i * n + j] + conjugate(from[j * n + i])) * S(heddle::RealOf<S>(0.5));
    }
  }
};

/// x = B b of a dense B, by rows: a subwarp a row of all vectors.
template <Scalar S>
struct DenseProduct {
  using Scratch = backends::NoScratch;
  using Shape = backends::Shape<32, 128>;

  const S* dense;
  Multivector<const S> b;
  Multivector<S> x;
  std::int64_t n;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= n) return;
    for (int v = 0; v < b.count; ++v) {
      S sum(0);
      for (std::int64_t j = subwarp.lane(); j < n; j += Team::subwarp_width) {
        sum += dense[row * n + j] * b(j, v);
      }
      sum = subwarp.sum(sum);
      if (subwarp.lane() == 0) x(row, v) = sum;
    }
  }
};

template <ExecutionSpace Exec, class Matrix>
class Coarsest {
 public:
  using S = typename Matrix::scalar_type;

  Coarsest() = default;
  /// Allocates; values come by update_values.
  Coarsest(const Exec& exec, std::int64_t rows) : n_(rows) {
    const auto n = static_cast<std::size_t>(rows);
    arena_ = Arena<typename Exec::memory_space>(exec, "heddle::multigrid::coarsest",
                                                arena_bytes<S, S, S>(n * n, n * n, n));
    for (S*& dense : dense_) dense = arena_.template take<S>(n * n).data();
    diagonal_ = arena_.template take<S>(n).data();
  }

  /// Inverts A: a launch a row. No wait, no allocation.
  void update_values(const Exec& exec, const Matrix& A, bool hermitian) {
    const double least = sizeof(heddle::RealOf<S>) == 4 ? 2e-5 : 1e-10;
    parallel_for(exec, "heddle::multigrid::make_dense", n_,
                 MakeDense<Matrix>{A, dense_[0], diagonal_});
    S *from = dense_[0], *to = dense_[1];
    for (std::int64_t pivot = 0; pivot < n_; ++pivot) {
      parallel_for(exec, "heddle::multigrid::eliminate", n_,
                   EliminatePivot<S>{from, diagonal_, to, n_, pivot, least});
      std::swap(from, to);
    }
    if (hermitian) {
      parallel_for(exec, "heddle::multigrid::hermitian_part", n_, HermitianPart<S>{from, to, n_});
      std::swap(from, to);
    }
    inverse_ = from;
  }

  void apply(const Exec& exec, const Multivector<const S>& b, const Multivector<S>& x) const {
    using Kernel = DenseProduct<S>;
    using Team = backends::Team<Exec, typename Kernel::Shape>;
    backends::launch<typename Kernel::Shape>(exec, "heddle::multigrid::coarsest",
                                             ceil_div(n_, std::int64_t{Team::subwarps}),
                                             Kernel{inverse_, b, x, n_});
  }
  std::size_t bytes() const { return arena_.bytes(); }

 private:
  std::int64_t n_ = 0;
  Arena<typename Exec::memory_space> arena_;
  S* dense_[2] = {};
  S* diagonal_ = nullptr;
  S* inverse_ = nullptr;
};

}  // namespace heddle::detail::multigrid
