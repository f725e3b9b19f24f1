// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
  const heddle::tpetra::Operator product(A);
  Tpetra::Vector<double> x(map), y(map);
  x.putScalar(1);
  product.apply(x, y);
  return y.norm1() == 30 && y.normInf() == 3 ? 0 : 1;
}
