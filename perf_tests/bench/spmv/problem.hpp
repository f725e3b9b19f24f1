// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/problem.hpp"

namespace heddle::bench {

/// A contestant that is set up for one problem and computes y = alpha A x + beta y.
template <Scalar S>
class SpmvContestant : public Contestant {
 public:
  void run(const Exec& exec) final { apply(exec, S(1), S(0)); }
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
};

/// One matrix on the device with the vectors it is applied to: the input of every contestant.
template <Scalar S, Offset Off>
struct SpmvProblem : ColumnVectors<S> {
  using Contestant = SpmvContestant<S>;
  using Vector = typename ColumnVectors<S>::Vector;
  /// Entries after x and y that may be written, zero at first: for libraries whose blocks reach
  /// beyond the edges of A.
  static constexpr int spare_entries = 7;

  CsrMatrix<S, Index, Off, Space> A;
  /// x is A.columns() x columns and y is A.rows() x columns, without padding.
  Vector x, y;

  /// An x or y whose entries are not initialized.
  static Vector vector(const std::string& label, std::size_t count) {
    const Vector whole(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                       count + spare_entries);
    Kokkos::deep_copy(Kokkos::subview(whole, std::pair(count, whole.extent(0))), S(0));
    return Kokkos::subview(whole, std::pair(std::size_t{0}, count));
  }

  /// Calls use(x, y) with vectors of rank 1 for one column, else of rank 2 in their layout.
  template <class Use>
  auto with_vectors(const Use& use) const {
    return this->with_columns(x, y, use);
  }
};

}  // namespace heddle::bench
