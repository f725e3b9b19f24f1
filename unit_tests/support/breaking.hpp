// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cmath>
#include <heddle/vectors.hpp>
#include <utility>

#include "grid_operator.hpp"

namespace heddle::test {

/// An operator or preconditioner with a NaN in some of its results, which are counted from one.
template <ExecutionSpace Exec>
struct Breaking {
  PlainOperator<Exec, double> of;
  int first;         ///< number of the first result with a NaN; 0: none has one
  int last = first;  ///< number of the last one

  std::int64_t rows() const { return of.rows(); }
  std::int64_t columns() const { return of.columns(); }
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) {
    of.apply(exec, x, y);
    if (of.applies < first || of.applies > last) return;
    heddle::vectors::scale(exec, std::nan(""), Kokkos::subview(y, std::make_pair(0, 1)));
  }
};

}  // namespace heddle::test
