// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/problem.hpp"

namespace heddle::bench {

/// Something that was set up for one problem and can compute y = alpha A x + beta y.
template <Scalar S>
class SpmvContestant : public SetUp {
 public:
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
};

/// One matrix on the device with the vectors it is applied to; what every contestant is given.
template <Scalar S, Offset Off>
struct SpmvProblem : ColumnVectors<S> {
  using Contestant = SpmvContestant<S>;

  CsrMatrix<S, Index, Off, Space> A;
  /// A.columns() x columns and A.rows() x columns, without gaps.
  Kokkos::View<S*, Space> x, y;

  /// use(x, y) with vectors of rank 1 for one column, else with rank 2 in their layout.
  template <class Use>
  auto with_vectors(const Use& use) const {
    return this->with_columns(x, y, use);
  }
};

}  // namespace heddle::bench
