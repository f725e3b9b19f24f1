// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>

#include "../../../formats/model/read.hpp"
#include "../common/options.hpp"
#include "../common/problem.hpp"

namespace heddle::bench {

/// Options of `heddle-bench spmv`.
struct SpmvRequest : ChoiceOptions {
  int expected_applies = 1000;
  /// The model that was read from model_path, or null.
  std::shared_ptr<const Model> model = nullptr;
};

/// A contestant that is set up for one problem and computes y = alpha A x + beta y.
template <Scalar S>
class SpmvContestant : public Contestant {
 public:
  void run(const Exec& exec) final { apply(exec, S(1), S(0)); }
  virtual void apply(const Exec& exec, S alpha, S beta) = 0;
};

/// A matrix with the vectors that it is applied to.
template <Scalar S, Offset Off>
struct SpmvProblem : MatrixProblem<S, Off>, ColumnVectors<S> {
  using Contestant = SpmvContestant<S>;
  using Vector = typename ColumnVectors<S>::Vector;
  /// Entries after x and y that may be written, zero at first: for libraries whose blocks reach
  /// beyond the edges of A.
  static constexpr int spare_entries = 7;

  /// x is A.columns() x columns and y is A.rows() x columns, without padding.
  Vector x, y;

  /// Allocates y, and x with values from the host.
  void make_vectors(const Exec& exec, const test::HostColumns<S>& host_x) {
    const auto k = static_cast<std::size_t>(this->columns);
    x = vector("heddle::bench::x", static_cast<std::size_t>(this->A.columns()) * k);
    y = vector("heddle::bench::y", static_cast<std::size_t>(this->A.rows()) * k);
    this->copy_in(exec, x, host_x);
  }
  /// A copy of y on the host. Waits.
  test::HostColumns<S> host_y(const Exec& exec) const {
    const auto k = static_cast<std::size_t>(this->columns);
    const test::HostColumns<S> columns("heddle::bench::y", y.extent(0) / k, k);
    this->copy_out(exec, columns, y);
    return columns;
  }
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
