// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/spmv.hpp>

#include "arrays.hpp"

namespace heddle::python {

/// A product, and the matrix that it borrows. A solve may still read that matrix after the plan got
/// the values of another one; the pointer is written and copied in turn.
template <class S, class O>
struct Product : Holder<SpmvPlan<Exec, typename Matrix<S, O>::Csr>> {
  using Csr = typename Matrix<S, O>::Csr;
  using Plan = SpmvPlan<Exec, Csr>;
  Product(std::unique_ptr<Plan> plan, KeptMatrix<S, O> A, bool is_complete)
      : Holder<Plan>(std::move(plan)),
        matrix(std::move(A)),
        small(is_small(*matrix)),
        complete(is_complete) {}
  KeptMatrix<S, O> matrix;
  bool small;
  bool complete;  ///< whether the matrix has both triangles
};

}  // namespace heddle::python
