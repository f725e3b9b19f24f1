// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/cg.hpp>
#include <heddle/gauss_seidel.hpp>
#include <heddle/multigrid.hpp>
#include <heddle/tpetra.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

using Node = Map::node_type;
using Exec = Node::execution_space;
using Block = heddle::tpetra::LocalBlock<Matrix>;
using Jacobi = JacobiPreconditioner<Exec, double>;
using Blocks = BlockJacobiPreconditioner<Exec, double>;
using Sweep = GaussSeidelPlan<Exec, Block>;
using Multigrid = MultigridPlan<Exec, Block>;

/// An empty matrix for fill_dominant: columns_of_row, symmetrically, and a dominant diagonal.
RCP<Matrix> dominant(Layout layout, GO n) { return rcp(new Matrix(make_map(layout, n), 90)); }
void fill_dominant(Matrix& A, GO n, std::uint64_t seed, bool refill) {
  set_entries(A, refill, [=](GO i, const auto& add) {
    for (GO j = 0; j < n; ++j) {
      const auto of_i = columns_of_row(i, n), of_j = columns_of_row(j, n);
      const bool there = std::binary_search(of_i.begin(), of_i.end(), j) ||
                         std::binary_search(of_j.begin(), of_j.end(), i);
      if (i == j) add(i, 60 + draw_value(seed, i, i));
      if (i != j && there) add(j, draw_value(seed, std::min(i, j), std::max(i, j)));
    }
  });
  A.fillComplete();
}

/// D^-1 x, computed by Tpetra.
RCP<Vectors> by_diagonal(const Matrix& A, const Vectors& x) {
  Tpetra::Vector<double> diagonal(A.getRowMap());
  A.getLocalDiagCopy(diagonal);
  diagonal.reciprocal(diagonal);
  const auto y = rcp(new Vectors(A.getRowMap(), x.getNumVectors()));
  y->elementWiseMultiply(1, diagonal, x, 0);
  return y;
}

const auto make_jacobi = [](const Exec& exec, const Block& block) {
  return std::make_unique<Jacobi>(exec, block);
};

}  // namespace

TEST_CASE("a Preconditioner applies that of the rows and columns of each process") {
  constexpr GO n = 120;
  for (const Layout layout : {Layout::runs, Layout::cards, Layout::backwards, Layout::last}) {
    CAPTURE(static_cast<int>(layout));
    const auto A = dominant(layout, n);
    fill_dominant(*A, n, 1, false);
    heddle::tpetra::Preconditioner<Jacobi> M(A, make_jacobi);
    CHECK(M.description() == "heddle::tpetra::Preconditioner: Jacobi");
    for (const std::uint64_t seed : {1u, 2u}) {
      if (seed == 2) {
        A->resumeFill();
        fill_dominant(*A, n, seed, true);
        M.update_values();
      }
      for (const std::size_t count : {1u, 3u}) {
        const auto x = make_vectors(A->getDomainMap(), count, 5);
        const auto expected = by_diagonal(*A, *x);
        const auto y = make_vectors(A->getRangeMap(), count, 6);
        y->putScalar(nan);  // may not be read
        M.apply(*x, *y);
        CHECK(difference(*expected, *y) <= 1e-14);
        M.apply(*x, *y, Teuchos::TRANS);
        CHECK(difference(*expected, *y) <= 1e-14);
        // An apply with alpha and beta; one in place; alpha 0 does not read x.
        const auto z = make_vectors(A->getRangeMap(), count, 6);
        Vectors sum(*z, Teuchos::Copy);
        sum.update(-2, *expected, 0.5);
        M.apply(*x, *z, Teuchos::NO_TRANS, -2, 0.5);
        CHECK(difference(sum, *z) <= 1e-13);
        M.apply(*x, *x);
        CHECK(difference(*expected, *x) <= 1e-14);
        x->putScalar(nan);
        M.apply(*x, *z, Teuchos::NO_TRANS, 0, 0);
        CHECK(difference(Vectors(A->getRangeMap(), count), *z) == 0);
      }
    }
  }
}

TEST_CASE("blocks and sweeps of a process solve what is its own alone") {
  // Without couplings between processes, and with one dense block each, both are exact.
  const auto comm = Tpetra::getDefaultComm();
  const auto rows = rcp(
      new Map(Teuchos::OrdinalTraits<Tpetra::global_size_t>::invalid(), std::size_t{12}, 0, comm));
  const auto A = rcp(new Matrix(rows, 12));
  const GO first = rows->getMinGlobalIndex();
  for (GO i = 0; i < 12; ++i) {
    for (GO j = 0; j < 12; ++j) {
      const double value = i == j ? 20 : draw_value(3, std::min(i, j), std::max(i, j));
      A->insertGlobalValues(first + i, Teuchos::tuple(first + j), Teuchos::tuple(value));
    }
  }
  A->fillComplete();
  const auto x = make_vectors(rows, 2, 5), y = make_vectors(rows, 2, 6);
  Vectors b(rows, 2), residual(rows, 2);
  A->apply(*x, b);
  heddle::tpetra::Preconditioner<Blocks> blocks(A, [](const Exec& exec, const Block& block) {
    return std::make_unique<Blocks>(exec, block, 12);
  });
  blocks.apply(b, *y);
  CHECK(difference(*x, *y) <= 1e-12);
  heddle::tpetra::Preconditioner<Sweep> sweeps(
      A, [](const Exec& exec, const Block& block) { return std::make_unique<Sweep>(exec, block); });
  CHECK(sweeps.hasTransposeApply());
  y->putScalar(0);
  for (int i = 0; i < 40; ++i) {
    A->apply(*y, residual);
    residual.update(1, b, -1);
    sweeps.apply(residual, *y, Teuchos::NO_TRANS, 1, 1);
  }
  CHECK(difference(*x, *y) <= 1e-12);
}

/// A Laplacian on a line, with a slightly larger diagonal.
void fill_line(Matrix& A, GO n, double scale, bool refill) {
  set_entries(A, refill, [=](GO i, const auto& add) {
    for (const GO j : {i - 1, i, i + 1}) {
      if (j >= 0 && j < n) add(j, scale * (i == j ? 2.001 : -1));
    }
  });
  A.fillComplete();
}

TEST_CASE("multigrid of the rows of each process, and its new values") {
  constexpr GO n = 4000;
  for (const Layout layout : {Layout::runs, Layout::last}) {
    CAPTURE(static_cast<int>(layout));
    const auto A = rcp(new Matrix(make_map(layout, n), 3));
    fill_line(*A, n, 1, false);
    heddle::tpetra::Preconditioner<Multigrid> M(A, [](const Exec& exec, const Block& block) {
      return std::make_unique<Multigrid>(exec, block, MultigridOptions{.coarsest_rows = 50});
    });
    CHECK(M.hasTransposeApply());
    CHECK(M.description() == "heddle::tpetra::Preconditioner: multigrid");
    const auto x = make_vectors(A->getDomainMap(), 3, 5), y = make_vectors(A->getRangeMap(), 3, 6);
    Vectors Mx(A->getRangeMap(), 3), My(A->getRangeMap(), 3), again(A->getRangeMap(), 3);
    M.apply(*x, Mx);
    M.apply(*y, My);
    Teuchos::Array<double> xMy(3), yMx(3), xMx(3);
    x->dot(My, xMy());
    y->dot(Mx, yMx());
    x->dot(Mx, xMx());
    for (int v = 0; v < 3; ++v) {
      CHECK(xMx[v] > 0);
      CHECK(std::abs(xMy[v] - yMx[v]) <= 1e-10 * xMx[v]);
      M.apply(*x->getVector(v), *again.getVectorNonConst(v));
    }
    CHECK(difference(Mx, again) == 0);
    A->resumeFill();
    fill_line(*A, n, 4, true);  // a power of four changes no rounding
    M.update_values();
    M.apply(*x, again);
    again.scale(4);
    CHECK(difference(Mx, again) == 0);
    // Richardson iterations: the residual gets small, at least within each process.
    Vectors b(A->getRangeMap(), 3), residual(A->getRangeMap(), 3), found(A->getDomainMap(), 3);
    A->apply(*x, b);
    found.putScalar(0);
    Teuchos::Array<double> first(3), last(3);
    b.norm2(first());
    for (int i = 0; i < 60; ++i) {
      A->apply(found, residual);
      residual.update(1, b, -1);
      M.apply(residual, found, Teuchos::NO_TRANS, 1, 1);
    }
    residual.norm2(last());
    for (int v = 0; v < 3; ++v) CHECK(last[v] <= 1e-2 * first[v]);
  }
}

TEST_CASE("what a Preconditioner cannot do is an error that says what to do") {
  const auto A = dominant(Layout::runs, 60);
  CHECK_THROWS_WITH_AS(heddle::tpetra::Preconditioner<Jacobi>(A, make_jacobi),
                       doctest::Contains("not fill complete"), Error);
  fill_dominant(*A, 60, 1, false);
  heddle::tpetra::Preconditioner<Jacobi> M(A, make_jacobi);
  const auto x = make_vectors(A->getDomainMap(), 2, 1), y = make_vectors(A->getDomainMap(), 3, 1);
  CHECK_THROWS_WITH_AS(M.apply(*x, *y), doctest::Contains("x holds 2 vectors and y 3"), Error);
  heddle::tpetra::Preconditioner<Sweep> forward(A, [](const Exec& exec, const Block& block) {
    GaussSeidelOptions options;
    options.sweep = SweepDirection::forward;
    return std::make_unique<Sweep>(exec, block, options);
  });
  CHECK(!forward.hasTransposeApply());
  CHECK_THROWS_WITH_AS(forward.apply(*x, *x, Teuchos::TRANS),
                       doctest::Contains("a forward Gauss-Seidel sweep has no transpose"), Error);
  const auto wide = make_matrix(50, 70, Layout::runs, Layout::runs, Layout::runs);
  CHECK_THROWS_WITH_AS(heddle::tpetra::Preconditioner<Jacobi>(wide, make_jacobi),
                       doctest::Contains("maps of the matrix differ"), Error);
}

}  // namespace heddle::test
