// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/spmv.hpp>

#include "arrays.hpp"

namespace heddle::python {

/// A product, and the matrix that it borrows.
template <class S, class O>
struct Product : Holder<SpmvPlan<Exec, typename Matrix<S, O>::Csr>> {
  using Csr = typename Matrix<S, O>::Csr;
  using Plan = SpmvPlan<Exec, Csr>;
  Product(std::unique_ptr<Plan> plan, const Csr& A) : Holder<Plan>(std::move(plan)), matrix(A) {}
  Csr matrix;
};

}  // namespace heddle::python
