// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program that keeps its Tpetra::CrsMatrix and multiplies by Heddle:
//   mpirun -n 4 heddle_example_tpetra_power_iteration
// finds the largest eigenvalue of a Poisson matrix by power iteration, changes the matrix's values,
// and fails unless Tpetra's own product says the same.
#include <cmath>
#include <cstdio>
#include <heddle/tpetra.hpp>

#include "matrices.hpp"

using example::Matrix;
using Vector = Tpetra::MultiVector<double>;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  a.dot(b, Teuchos::ArrayView<double>(&sum, 1));
  return sum;
}

int main(int argc, char** argv) {
  Tpetra::ScopeGuard tpetra(&argc, &argv);
  // The program's own matrix, filled as before.
  const auto A = Teuchos::rcp(new Matrix(*example::poisson(20), Teuchos::Copy));
  heddle::tpetra::Operator product(Teuchos::RCP<const Matrix>{A});  // inspects, once

  Vector x(A->getDomainMap(), 1), y(A->getRangeMap(), 1), z(A->getRangeMap(), 1);
  x.randomize();
  double eigenvalue = 0;
  for (int step = 0; step < 300; ++step) {
    x.scale(1 / std::sqrt(dot(x, x)));
    product.apply(x, y);  // was: A->apply(x, y)
    eigenvalue = dot(x, y);
    x.update(1, y, 0);
  }

  // New values in the same places: no new inspection.
  A->resumeFill();
  A->scale(2);
  A->fillComplete();
  product.update_values();
  x.scale(1 / std::sqrt(dot(x, x)));
  product.apply(x, y);
  A->apply(x, z);
  const double doubled = dot(x, y);
  z.update(1, y, -1);
  const double apart = std::sqrt(dot(z, z)) / doubled;

  if (A->getComm()->getRank() == 0) {
    std::printf("%s\nlargest eigenvalue about %.4f, then %.4f; apart from Tpetra by %.1e\n",
                product.description().c_str(), eigenvalue, doubled, apart);
  }
  const bool right = eigenvalue > 11 && eigenvalue < 12 && apart < 1e-13 &&
                     std::abs(doubled / eigenvalue - 2) < 0.01;
  return right ? 0 : 1;
}
