// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The README's lines for a Trilinos program: Belos uses Heddle's product instead of the matrix.
#include <BelosLinearProblem.hpp>
#include <BelosTpetraAdapter.hpp>
#include <Tpetra_Core.hpp>
#include <Tpetra_CrsMatrix.hpp>
#include <heddle/tpetra.hpp>

int main(int argc, char** argv) {
  Tpetra::ScopeGuard tpetra(&argc, &argv);
  const auto map = Teuchos::rcp(new Tpetra::Map<>(10, 0, Tpetra::getDefaultComm()));
  const auto A = Teuchos::rcp(new Tpetra::CrsMatrix<double>(map, 2));
  using GO = Tpetra::Map<>::global_ordinal_type;
  for (GO i = 0; i < 10; ++i) {
    if (map->isNodeGlobalElement(i)) {
      A->insertGlobalValues(i, Teuchos::tuple<GO>(i, 9 - i), Teuchos::tuple(1.0, 2.0));
    }
  }
  A->fillComplete();

  using MV = Tpetra::MultiVector<double>;
  using OP = Tpetra::Operator<double>;
  const auto x = Teuchos::rcp(new MV(map, 1)), b = Teuchos::rcp(new MV(map, 1));
  auto product = Teuchos::rcp(new heddle::tpetra::Operator(A));
  Belos::LinearProblem<double, MV, OP> problem(product, x, b);
  problem.setProblem();
  x->putScalar(1);
  problem.apply(*x, *b);

  Teuchos::Array<double> sum(1), largest(1);
  b->norm1(sum());
  b->normInf(largest());
  return sum[0] == 30 && largest[0] == 3 ? 0 : 1;
}
