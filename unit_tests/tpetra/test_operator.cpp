// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <heddle/tpetra.hpp>

#include "support.hpp"

namespace heddle::test {

namespace {

using Teuchos::ETransp;
using Teuchos::NO_TRANS;
using Teuchos::TRANS;
using Mine = heddle::tpetra::Operator<double>;

/// The rounding error of sums of fewer than sixty terms, each below one.
constexpr double rounding = 1e-13;

struct Case {
  const char* name;
  GO rows, columns;
  Layout row, domain, range;
};

const std::vector<Case>& cases() {
  using enum Layout;
  static const std::vector<Case> all{
      {"square, in runs", 60, 60, runs, runs, runs},
      {"square, as cards", 61, 61, cards, cards, cards},
      {"backwards columns", 50, 50, runs, backwards, runs},
      {"columns of another layout", 50, 50, runs, cards, runs},
      {"wide", 30, 80, runs, runs, runs},
      {"tall, all maps differ", 90, 20, cards, runs, backwards},
      {"wide, all maps differ", 20, 90, runs, backwards, cards},
      {"rows on one process", 40, 40, last, runs, last},
      {"columns on one process", 40, 40, runs, last, runs},
      {"all on one process", 40, 40, last, last, last},
      {"y on another process than the rows", 40, 30, runs, runs, last},
      {"rows shared by processes", 44, 44, overlapping, runs, runs},
      {"y everywhere", 25, 50, replicated, runs, replicated},
      {"x everywhere", 50, 25, runs, replicated, runs},
      {"fewer rows than processes", 2, 2, runs, runs, runs},
      {"no row", 0, 5, runs, runs, runs},
  };
  return all;
}

RCP<const Map> x_map(const Matrix& A, ETransp mode) {
  return mode == NO_TRANS ? A.getDomainMap() : A.getRangeMap();
}
RCP<const Map> y_map(const Matrix& A, ETransp mode) {
  return mode == NO_TRANS ? A.getRangeMap() : A.getDomainMap();
}

}  // namespace

TEST_CASE("an Operator applies as its Tpetra::CrsMatrix does") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const auto A = make_matrix(c.rows, c.columns, c.row, c.domain, c.range);
    for (const bool split : {true, false}) {
      CAPTURE(split);
      const Mine mine(A, {.plan = {.ops = {Op::transpose}}, .split = split});
      CHECK((mine.getDomainMap() == A->getDomainMap()));
      CHECK((mine.getRangeMap() == A->getRangeMap()));
      compare_applies(*A, mine, rounding);
    }
  }
}

TEST_CASE("an Operator takes the values of a matrix that is refilled") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    for (const bool split : {true, false}) {
      CAPTURE(split);
      const auto A = make_matrix(c.rows, c.columns, c.row, c.domain, c.range);
      Mine mine(A, {.split = split});
      compare_applies(*A, mine, rounding);  // a stored transpose, if there is one, is refilled too
      A->resumeFill();
      fill(*A, c.columns, 2, true);
      A->fillComplete(A->getDomainMap(), A->getRangeMap());
      mine.update_values();
      compare_applies(*A, mine, rounding);
    }
  }
}

TEST_CASE("a matrix is split where processes import few columns") {
  const auto rows = make_map(Layout::runs, 400);
  const bool alone = rows->getComm()->getSize() == 1;
  for (const GO distance : {1, 200}) {
    const auto A = rcp(new Matrix(rows, 2));
    set_entries(*A, false, [=](GO i, const auto& add) {
      add(i, 2);
      add((i + distance) % 400, 1);
    });
    A->fillComplete();
    const Mine mine(A);
    CHECK(mine.imported_scheme().has_value() == (!alone && distance == 1));
    if (mine.imported_scheme()) CHECK(mine.imported_scheme()->to_string().starts_with("gcsr"));
    compare_applies(*A, mine, rounding);
    const Mine pinned(A, {.imported_scheme = Scheme::parse("gcsr")});
    CHECK(pinned.imported_scheme().has_value() == !alone);
  }
}

TEST_CASE("pinned schemes run, and say so") {
  const auto A = make_matrix(60, 60, Layout::runs, Layout::runs, Layout::runs);
  for (const char* name : {"csr/merge", "coo", "gcsr"}) {
    const Scheme scheme = Scheme::parse(name);
    const Mine mine(A, {.plan = {.scheme = scheme}, .imported_scheme = scheme});
    CHECK(mine.scheme().to_string().starts_with(name));
    CHECK(mine.imported_scheme().has_value() == (A->getComm()->getSize() > 1));
    if (mine.imported_scheme()) CHECK(mine.imported_scheme()->to_string().starts_with(name));
    CHECK(mine.description().find(name) != std::string::npos);
    compare_applies(*A, mine, rounding);
  }
}

TEST_CASE("what one process refuses is refused by all") {
  // The first row has twenty entries, others one: ELL refuses it on the process of that row.
  const auto rows = make_map(Layout::runs, 100);
  const auto A = rcp(new Matrix(rows, 100));
  set_entries(*A, false, [](GO i, const auto& add) {
    for (GO j = i; j < (i == 0 ? 20 : i + 1); ++j) add(j, 1);
  });
  A->fillComplete();
  CHECK_THROWS_AS(Mine(A, {.plan = {.scheme = Scheme::parse("ell")}}), Error);
}

TEST_CASE("vectors of no constant stride, and x that is y, are copied") {
  const auto A = make_matrix(60, 60, Layout::runs, Layout::cards, Layout::cards);
  const Mine mine(A);
  const Teuchos::Array<std::size_t> picked{0, 2};
  for (const ETransp mode : {NO_TRANS, TRANS}) {
    const auto x = make_vectors(x_map(*A, mode), 3, 7);
    const auto y = make_vectors(y_map(*A, mode), 3, 8);
    const auto expected = make_vectors(y_map(*A, mode), 3, 8);
    const auto x_picked = x->subView(picked());
    A->apply(*x_picked, *expected->subViewNonConst(picked()), mode, 2, 3);
    mine.apply(*x_picked, *y->subViewNonConst(picked()), mode, 2, 3);
    CHECK(difference(*expected, *y) <= rounding);
  }
  for (const Layout layout : {Layout::cards, Layout::runs, Layout::last}) {
    const auto B = make_matrix(60, 60, layout, layout, layout);
    const Mine operator_of_b(B);
    for (const ETransp mode : {NO_TRANS, TRANS}) {
      const auto x = make_vectors(B->getDomainMap(), 2, 7);
      const Vectors before(*x, Teuchos::Copy);
      const auto expected = make_vectors(B->getDomainMap(), 2, 7);
      B->apply(before, *expected, mode, 2, 3);
      operator_of_b.apply(*x, *x, mode, 2, 3);
      CHECK(difference(*expected, *x) <= rounding);
    }
  }
}

TEST_CASE("what an Operator cannot do is an error that says what to do") {
  const auto A = make_matrix(60, 50, Layout::runs, Layout::runs, Layout::runs);
  Mine mine(A);
  const auto x = make_vectors(A->getDomainMap(), 2, 1);
  const auto y = make_vectors(A->getRangeMap(), 2, 1);
  const auto y3 = make_vectors(A->getRangeMap(), 3, 1);
  const auto says = [](const auto& call, const char* what) {
    try {
      call();
      FAIL_CHECK("no error: " << what);
    } catch (const Error& error) {
      CHECK(std::string(error.what()).find(what) != std::string::npos);
    }
  };
  says([&] { mine.apply(*x, *y3); }, "x holds 2 vectors and y 3");
  says([&] { mine.apply(*y, *x); }, "give x on the domain map");
  says([&] { mine.apply(*x, *y, TRANS); }, "give x on the domain map");
  says([&] { Mine(A, {.plan = {.symmetry = Symmetry::symmetric}}); }, "fill both triangles");
  says([&] { Mine(Teuchos::null); }, "is null or not fill complete");
  A->resumeFill();
  says([&] { mine.apply(*x, *y); }, "is null or not fill complete");
  says([&] { mine.update_values(); }, "is null or not fill complete");
}

TEST_CASE("the operator's type follows from the matrix") {
  const auto A = make_matrix(10, 10, Layout::runs, Layout::runs, Layout::runs);
  const RCP<const Tpetra::Operator<double>> mine = rcp(new tpetra::Operator(A));
  CHECK(mine->hasTransposeApply());
  Tpetra::Vector<double> diagonal(A->getRowMap()), expected(A->getRowMap());
  mine->getLocalDiagCopy(diagonal);
  A->getLocalDiagCopy(expected);
  CHECK(difference(expected, diagonal) == 0);
}

}  // namespace heddle::test
