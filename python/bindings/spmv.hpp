// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/spmv.hpp>

#include "arrays.hpp"

namespace heddle::python {

/// A product, and the matrix that it borrows.
struct Product : Holder<SpmvPlan<Exec, Matrix::Csr>> {
  using Plan = SpmvPlan<Exec, Matrix::Csr>;
  Product(std::unique_ptr<Plan> plan, const Matrix::Csr& A) : Holder(std::move(plan)), matrix(A) {}
  Matrix::Csr matrix;
};

}  // namespace heddle::python
