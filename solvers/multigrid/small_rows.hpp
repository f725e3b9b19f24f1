// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../backends/cooperative.hpp"
#include "../../backends/launch.hpp"
#include "../../core/matrix.hpp"
#include "../../core/multivector.hpp"

/// Rows of small levels, which no plan is made for.
namespace heddle::detail::multigrid {

/// Lanes a row: coarse levels have some 10 to 60 entries a row.
using SmallShape = backends::Shape<16, 512, 2>;

/// A matrix as small levels read it: a subwarp a row.
template <class Matrix>
struct SmallRows {
  using S = typename Matrix::scalar_type;
  const typename Matrix::offset_type* row_ptr = nullptr;
  const typename Matrix::ordinal_type* col_idx = nullptr;
  const S* values = nullptr;

  static SmallRows of(const Matrix& A) {
    return {A.row_ptr().data(), A.col_idx().data(), A.values().data()};
  }
  /// The product of a row and vector v of x, in all lanes.
  template <class Subwarp, class T>
  KOKKOS_FORCEINLINE_FUNCTION S times(const Subwarp& subwarp, std::int64_t row,
                                      const Multivector<T>& x, int v) const {
    S sum(0);
    for (auto k = row_ptr[row] + subwarp.lane(); k < row_ptr[row + 1]; k += Subwarp::width) {
      sum += values[k] * x(col_idx[k], v);
    }
    return subwarp.sum(sum);
  }
};

/// q = A x
template <class Matrix>
struct MultiplySmallRows {
  using S = typename Matrix::scalar_type;
  using Scratch = backends::NoScratch;
  SmallRows<Matrix> A;
  Multivector<const S> x;
  Multivector<S> q;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, Scratch&) const {
    const auto subwarp = team.subwarp();
    const std::int64_t row = team.index() * Team::subwarps + team.subwarp_index();
    if (row >= q.rows) return;
    const S product = A.times(subwarp, row, x, 0);
    if (subwarp.lane() == 0) q(row, 0) = product;
  }
};
template <ExecutionSpace Exec, class Matrix, class S>
void multiply_small_rows(const Exec& exec, const Matrix& A, const Multivector<const S>& x,
                         const Multivector<S>& q) {
  using Team = backends::Team<Exec, SmallShape>;
  backends::launch<SmallShape>(exec, "heddle::multigrid::multiply_small_rows",
                               ceil_div(q.rows, std::int64_t{Team::subwarps}),
                               MultiplySmallRows<Matrix>{SmallRows<Matrix>::of(A), x, q});
}

}  // namespace heddle::detail::multigrid
