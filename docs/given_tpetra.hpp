// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What excerpts of tpetra.md name without a declaration.
#pragma once
#include <BelosLinearProblem.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <heddle/gauss_seidel.hpp>

namespace given {

using Teuchos::RCP, Teuchos::rcp;
using Matrix = Tpetra::CrsMatrix<double>;
using RowMatrix = Tpetra::RowMatrix<double>;
using MV = Tpetra::MultiVector<double>;
using OP = Tpetra::Operator<double>;

extern const RCP<Matrix> A;
extern const RCP<MV> x, b;
extern Teuchos::ParameterList parameters;

}  // namespace given
