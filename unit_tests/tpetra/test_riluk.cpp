// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Ifpack2_AdditiveSchwarz.hpp>
#include <heddle/ifpack2.hpp>

#include "../support/watchdog.hpp"
#include "support.hpp"

namespace heddle::test {

namespace {

using RowMatrix = Tpetra::RowMatrix<double>;
using Theirs = Ifpack2::RILUK<RowMatrix>;
using Mine = heddle::tpetra::RILUK<RowMatrix>;
using Schwarz = Ifpack2::AdditiveSchwarz<RowMatrix>;

constexpr GO rows = 90;
constexpr double rounding = 1e-12;

/// Fills in columns_of_row with a dominant diagonal; all entries of `bad_row` are 0.
void fill_dominant(Matrix& A, std::uint64_t seed, bool refill, GO bad_row = -1) {
  set_entries(A, refill, [=](GO i, const auto& add) {
    auto row = columns_of_row(i, rows);
    if (std::find(row.begin(), row.end(), i) == row.end()) row.push_back(i);
    for (const GO j : row) add(j, i == bad_row ? 0 : i == j ? 30 : draw_value(seed, i, j));
  });
  A.fillComplete();
}
RCP<Matrix> dominant(Layout layout, GO bad_row = -1) {
  const auto A = rcp(new Matrix(make_map(layout, rows), 45));
  fill_dominant(*A, 1, false, bad_row);
  return A;
}
void refill(Matrix& A, std::uint64_t seed, GO bad_row = -1) {
  A.resumeFill();
  fill_dominant(A, seed, true, bad_row);
}

void set_up(Ifpack2::Preconditioner<double>& factors, const Teuchos::ParameterList& parameters) {
  factors.setParameters(parameters);
  factors.initialize();
  factors.compute();
}
Teuchos::ParameterList level_of_fill(int level) {
  Teuchos::ParameterList parameters;
  parameters.set("fact: iluk level-of-fill", level);
  return parameters;
}
bool contains(const std::string& text, const char* what) {
  return text.find(what) != std::string::npos;
}

/// Counts Kokkos' allocations within its scope.
struct Allocations {
  Allocations() {
    count = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, const char*, const void*, std::uint64_t) { ++count; });
  }
  ~Allocations() { Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr); }
  static inline int count = 0;
};

}  // namespace

TEST_CASE("a RILUK preconditions as Ifpack2's, by an IluPlan") {
  for (const Layout layout : {Layout::runs, Layout::cards, Layout::backwards, Layout::last}) {
    for (const int level : {0, 1, 2}) {
      CAPTURE(static_cast<int>(layout));
      CAPTURE(level);
      const auto A = dominant(layout);
      Theirs theirs{RCP<const RowMatrix>(A)};
      Mine mine(RCP<const RowMatrix>(A), {.ops = {Op::transpose}});
      set_up(theirs, level_of_fill(level));
      CHECK(mine.plan() == nullptr);
      set_up(mine, level_of_fill(level));
      REQUIRE(mine.plan() != nullptr);
      CHECK(contains(mine.description(), "ilu/"));
      CHECK(mine.getLevelOfFill() == level);
      compare_applies(theirs, mine, rounding);

      refill(*A, 2);
      theirs.compute();
      {
        const Allocations allocations;
        mine.compute();
        CHECK(Allocations::count == 0);
      }
      CHECK(mine.getNumInitialize() == 1);
      CHECK(mine.getNumCompute() == 2);
      CHECK(mine.getNumApply() > 0);
      compare_applies(theirs, mine, rounding);
    }
  }
}

TEST_CASE("what an IluPlan has not is left to Ifpack2, and solved with by Heddle") {
  const auto A = dominant(Layout::runs);
  const RCP<const RowMatrix> given = A;
  for (const char* parameter : {"fact: relax value", "fact: absolute threshold"}) {
    CAPTURE(parameter);
    auto parameters = level_of_fill(0);
    parameters.set(parameter, 0.5);
    Theirs theirs(given);
    Mine mine(given);
    set_up(theirs, parameters);
    set_up(mine, parameters);
    CHECK(mine.plan() == nullptr);
    CHECK(contains(mine.description(), "heddle::tpetra::LocalTriangularSolver"));
    compare_applies(theirs, mine, rounding);
    // Resets the parameter.
    parameters.set(parameter, 0.0);
    set_up(theirs, parameters);
    set_up(mine, parameters);
    CHECK(mine.plan() != nullptr);
    const auto x = make_vectors(A->getDomainMap(), 2, 5),
               expected = make_vectors(x->getMap(), 2, 6);
    const auto y = make_vectors(x->getMap(), 2, 7);
    theirs.apply(*x, *expected);
    mine.apply(*x, *y);
    CHECK(difference(*expected, *y) <= rounding);
  }
}

TEST_CASE("a RILUK inside Ifpack2::AdditiveSchwarz") {
  for (const int overlap : {0, 1}) {
    CAPTURE(overlap);
    const auto A = dominant(Layout::runs);
    const RCP<const RowMatrix> given = A;
    Teuchos::ParameterList parameters;
    parameters.set("schwarz: overlap level", overlap);
    Schwarz theirs(given), mine(given);
    const auto inner = rcp(new Mine(Teuchos::null));
    theirs.setInnerPreconditioner(rcp(new Theirs(RCP<const RowMatrix>())));
    mine.setInnerPreconditioner(inner);
    set_up(theirs, parameters);
    set_up(mine, parameters);
    CHECK(inner->plan() != nullptr);
    for (const std::uint64_t seed : {1u, 2u}) {
      if (seed == 2) {
        refill(*A, seed);
        theirs.compute();
        mine.compute();
      }
      const auto x = make_vectors(A->getDomainMap(), 2, 5);
      const auto expected = make_vectors(x->getMap(), 2, 6), y = make_vectors(x->getMap(), 2, 7);
      theirs.apply(*x, *expected);
      mine.apply(*x, *y);
      CHECK(difference(*expected, *y) <= rounding);
    }
  }
}

TEST_CASE("a pivot that is bad on one process is an error on all") {
  const Watchdog watchdog("the compute of a RILUK");
  const auto A = dominant(Layout::runs);
  const int last = A->getComm()->getSize() - 1;
  const bool here = A->getComm()->getRank() == last;
  const auto bad_row = std::to_string(A->getLocalNumRows() - 1);
  const auto fails = [&](Mine& factors) {
    try {
      factors.compute();
      FAIL_CHECK("no error");
    } catch (const Error& error) {
      const std::string said = error.what();
      CHECK(contains(said, "the pivot of an incomplete LU factorization is zero"));
      CHECK(contains(said, here ? ("row " + bad_row).c_str()
                                : ("process " + std::to_string(last) + " failed").c_str()));
    }
    CHECK_FALSE(factors.isComputed());
  };
  Mine factors{RCP<const RowMatrix>(A)};
  factors.compute();
  refill(*A, 1, rows - 1);
  fails(factors);
  Mine at_once{RCP<const RowMatrix>(A)};
  fails(at_once);
  refill(*A, 1);
  factors.compute();
  CHECK(factors.isComputed());
}

TEST_CASE("what a RILUK cannot do is an error that says what to do") {
  const auto A = dominant(Layout::runs);
  const auto x = make_vectors(A->getDomainMap(), 2, 1);
  Mine factors{RCP<const RowMatrix>(A)};
  CHECK_THROWS_WITH(factors.apply(*x, *x), doctest::Contains("must call compute()"));
  Teuchos::ParameterList streams;
  streams.set("fact: kspiluk number-of-streams", 2);
  CHECK_THROWS_WITH_AS(factors.setParameters(streams), doctest::Contains("number-of-streams"),
                       Error);
  factors.compute();
  CHECK_THROWS_WITH_AS(factors.apply(*x, *x, Teuchos::TRANS),
                       doctest::Contains("name Op::transpose in the ops"), Error);
  factors.setMatrix(dominant(Layout::cards));
  CHECK_FALSE(factors.isInitialized());
  CHECK(factors.plan() == nullptr);
  factors.setMatrix(Teuchos::null);
  CHECK_THROWS_WITH(factors.compute(), doctest::Contains("The matrix is null"));
}

}  // namespace heddle::test
