// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/problem.hpp"

namespace heddle::bench {

/// Something that was set up for one problem and can compute y = alpha A x + beta y.
template <Scalar S>
class SpmvContestant : public Contestant {
 public:
  void run(const Exec& exec) final { apply(exec, S(1), S(0)); }
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
};

/// One matrix on the device with the vectors it is applied to; what every contestant is given.
template <Scalar S, Offset Off>
struct SpmvProblem : ColumnVectors<S> {
  using Contestant = SpmvContestant<S>;
  using Vector = typename ColumnVectors<S>::Vector;
  /// Behind x and y, for libraries whose blocks reach beyond the edges of A: memory that may be
  /// written, zero at first.
  static constexpr int spare_entries = 7;

  CsrMatrix<S, Index, Off, Space> A;
  /// A.columns() x columns and A.rows() x columns, without gaps.
  Vector x, y;

  /// An x or y whose entries are not initialized.
  static Vector vector(const std::string& label, std::size_t count) {
    const Vector whole(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                       count + spare_entries);
    Kokkos::deep_copy(Kokkos::subview(whole, std::pair(count, whole.extent(0))), S(0));
    return Kokkos::subview(whole, std::pair(std::size_t{0}, count));
  }

  /// use(x, y) with vectors of rank 1 for one column, else with rank 2 in their layout.
  template <class Use>
  auto with_vectors(const Use& use) const {
    return this->with_columns(x, y, use);
  }
};

}  // namespace heddle::bench
