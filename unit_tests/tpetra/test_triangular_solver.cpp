// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/ifpack2.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

using RowMatrix = Tpetra::RowMatrix<double>;
using Theirs = Ifpack2::LocalSparseTriangularSolver<RowMatrix>;
using Mine = heddle::tpetra::LocalTriangularSolver<RowMatrix>;

/// Entries of x grow to a few hundred here.
constexpr double rounding = 1e-10;

/// A triangle for each process, with rows of its own only; the last process has none.
RCP<Matrix> make_triangle(bool lower, bool unit, std::uint64_t seed) {
  const auto comm = Tpetra::getDefaultComm();
  const LO n = comm->getRank() + 1 < comm->getSize() || comm->getSize() == 1 ? 70 : 0;
  const auto rows = rcp(new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(),
                                static_cast<std::size_t>(n), 0, comm));
  const auto T = rcp(new Matrix(rows, rows, 20));
  for (LO i = 0; i < n; ++i) {
    if (!unit) {
      T->insertLocalValues(i, Teuchos::tuple(i), Teuchos::tuple(2 + draw_value(seed, i, i)));
    }
    for (int k = 0; k < 8; ++k) {
      const LO below = static_cast<LO>(draw(i, 6, k) % 70);
      const LO j = lower ? below : 69 - below;
      if (lower ? j >= i : j <= i) continue;
      T->insertLocalValues(i, Teuchos::tuple(j), Teuchos::tuple(draw_value(seed, i, j) / 3));
    }
  }
  T->fillComplete(rows, rows);
  return T;
}

}  // namespace

TEST_CASE("a LocalTriangularSolver solves as Ifpack2's does") {
  for (const bool lower : {true, false}) {
    for (const bool unit : {true, false}) {
      CAPTURE(lower);
      CAPTURE(unit);
      const auto T = make_triangle(lower, unit, 1);
      Theirs theirs(T);
      Mine mine(T);
      theirs.initialize();
      theirs.compute();
      CHECK_FALSE(mine.isInitialized());
      mine.initialize();
      CHECK_FALSE(mine.isComputed());
      mine.compute();
      CHECK(mine.isComputed());
      CHECK(mine.description().find("sptrsv") != std::string::npos);
      compare_applies(theirs, mine, rounding);

      // A solve in place.
      const auto x = make_vectors(T->getDomainMap(), 2, 5);
      const auto expected = make_vectors(T->getDomainMap(), 2, 6);
      theirs.apply(*x, *expected);
      mine.apply(*x, *x);
      CHECK(difference(*expected, *x) <= rounding);

      // A solve with new values.
      T->resumeFill();
      T->scale(0.5);
      if (!unit) {
        for (LO i = 0; i < static_cast<LO>(T->getLocalNumRows()); ++i) {
          T->replaceLocalValues(i, Teuchos::tuple(i), Teuchos::tuple(3.0));
        }
      }
      T->fillComplete(T->getDomainMap(), T->getRangeMap());
      theirs.compute();
      mine.compute();
      CHECK(mine.getNumInitialize() == 1);
      CHECK(mine.getNumCompute() == 2);
      compare_applies(theirs, mine, rounding);
    }
  }
}

TEST_CASE("what a LocalTriangularSolver cannot do is an error that says what to do") {
  const auto says = [](const auto& call, const char* what) {
    try {
      call();
      FAIL_CHECK("no error: " << what);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(what) != std::string::npos);
    }
  };
  says([] { Mine().initialize(); }, "has no Tpetra::CrsMatrix");
  const auto T = make_triangle(true, false, 1);
  Mine mine(T);
  const auto x = make_vectors(T->getDomainMap(), 2, 1);
  const auto x3 = make_vectors(T->getDomainMap(), 3, 1);
  says([&] { mine.apply(*x, *x); }, "call compute() first");
  says([&] { mine.scheme(); }, "call compute() first");
  mine.compute();
  says([&] { mine.apply(*x, *x3); }, "x holds 2 vectors and y 3");
  mine.setMatrix(make_triangle(false, true, 1));
  CHECK_FALSE(mine.isInitialized());
  CHECK_FALSE(mine.isComputed());

  const auto square = make_matrix(60, 60, Layout::runs, Layout::runs, Layout::runs);
  if (square->getComm()->getSize() > 1) {
    says([&] { Mine(square).initialize(); }, "columns or rows of other processes");
  } else {
    says([&] { Mine(square).initialize(); }, "neither lower nor upper");
  }
  if (T->getLocalNumRows() > 0) {
    T->resumeFill();
    T->replaceLocalValues(3, Teuchos::tuple<LO>(3), Teuchos::tuple(0.0));
    T->fillComplete(T->getDomainMap(), T->getRangeMap());
    says([&] { Mine(T).compute(); }, "row 3");
  } else {
    T->resumeFill();
    T->fillComplete(T->getDomainMap(), T->getRangeMap());
  }
}

}  // namespace heddle::test
