// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common parts of tests of heddle::solve: systems, and what its inspection finds.
#pragma once

#include <heddle/solve.hpp>
#include <heddle/spmv.hpp>

#include "../../solvers/solve/inspect.hpp"
#include "krylov.hpp"

namespace heddle::test {

using Vector = Kokkos::View<double*, Space>;
using Plain = PlainOperator<Exec, double>;

inline Plain poisson(int side, double shift = 0, double scale = 1) {
  return grid_operator<Exec, double>(
      side, [=](int i, int j) { return scale * (i == j ? 4 - shift : -1.0); });
}

/// A wide matrix of pairs of rows without diagonal entries: eigenvalues of both signs.
inline Plain exchanges(int pairs, double scale = 1) {
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
  for (int i = 0; i < 2 * pairs; ++i) {
    col_idx.push_back(i % 2 ? i - 1 : i + 1);
    values.push_back(scale * (1 + i / 2 % 7));
    row_ptr.push_back(i + 1);
  }
  return plain_operator<Exec>(row_ptr, col_idx, values);
}

/// The inspection of a matrix, first without Ritz values.
template <Scalar S>
class Inspection {
 public:
  explicit Inspection(const PlainOperator<Exec, S>& a)
      : inverse_("heddle::test::inverse", static_cast<std::size_t>(a.n)),
        magnitude_("heddle::test::magnitude", inverse_.extent(0)),
        facts_(heddle::detail::solve::read_matrix(Exec(), a.matrix(),
                                                  {inverse_.data(), magnitude_.data()})),
        product_(Exec(), a.matrix()) {}

  /// Finds Ritz values. Calls before_product() before each product with A.
  template <class BeforeProduct>
  MatrixFacts find_ritz_values(const BeforeProduct& before_product) {
    heddle::detail::solve::find_ritz_values<Exec, S>(
        Exec(),
        [&](const auto& x, const auto& y) {
          before_product();
          product_.apply(Exec(), x, y);
        },
        magnitude_.data(), no_bound, facts_);
    return facts_;
  }

 private:
  Kokkos::View<S*, Space> inverse_, magnitude_;
  MatrixFacts facts_;
  SpmvPlan<Exec, typename PlainOperator<Exec, S>::Matrix> product_;
};

/// The facts that an inspection with Ritz values finds.
template <Scalar S>
MatrixFacts inspected(const PlainOperator<Exec, S>& a) {
  return Inspection<S>(a).find_ritz_values([] {});
}

}  // namespace heddle::test
