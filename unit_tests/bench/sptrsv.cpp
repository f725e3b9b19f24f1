// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The triangle that heddle-bench times solves with, and its check of solutions.
#include <doctest/doctest.h>

#include "../../perf_tests/bench/common/load.hpp"
#include "../../perf_tests/bench/sptrsv/run.hpp"

namespace heddle::bench {

namespace {

using S = double;
using Off = std::int32_t;
using Problem = SptrsvProblem<S, Off>;

/// Row 0 lacks its diagonal, row 1 is unsorted with a repeated column, row 2 has a zero diagonal.
Loaded<S, Off> three_rows() {
  return {
      stored<S, Off>({{{2, 7}}, {{2, 9}, {1, 2}, {0, 3}, {1, 4}}, {{1, -5}, {0, 6}, {2, 0}}}, 3),
      true};
}

template <class T, class Array>
std::vector<T> all_of(const Array& array) {
  return std::vector<T>(array.data(), array.data() + array.extent(0));
}

/// A library that solves with a diagonal, and has an error above rounding in one entry.
class Careless : public SptrsvContestant<S> {
 public:
  explicit Careless(const Problem& problem) : problem_(problem) {}
  void solve(const Exec& exec, S alpha) override {
    const Kokkos::HostSpace host;
    const auto d = Kokkos::create_mirror_view_and_copy(host, problem_.A.values());
    const auto b = Kokkos::create_mirror_view_and_copy(host, problem_.b);
    const auto x = Kokkos::create_mirror_view_and_copy(host, problem_.x);
    for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = alpha * b(i) / d(i);
    x(0) *= 1 + 1e-12;
    Kokkos::deep_copy(exec, problem_.x, x);
    exec.fence("heddle::bench::careless");
  }

 private:
  Problem problem_;
};

}  // namespace

TEST_CASE("the triangle is sorted, added up, and whole on its diagonal") {
  const HostTriangle<S, Off> lower(three_rows(), Triangle::lower, Diagonal::stored, 1);
  CHECK(all_of<Off>(lower.storage().row_ptr()) == std::vector<Off>{0, 1, 3, 6});
  CHECK(all_of<Index>(lower.storage().col_idx()) == std::vector<Index>{0, 0, 1, 0, 1, 2});
  CHECK(all_of<S>(lower.storage().values()) == std::vector<S>{1, 3, 6, 6, -5, 12});
  CHECK(lower.diagonal_set() == 2);
  CHECK(lower.levels() == 3);

  const HostTriangle<S, Off> upper(three_rows(), Triangle::upper, Diagonal::unit, 1);
  CHECK(all_of<Index>(upper.storage().col_idx()) == std::vector<Index>{0, 2, 1, 2, 2});
  CHECK(all_of<S>(upper.storage().values()) == std::vector<S>{1, 7, 1, 9, 1});
  CHECK(upper.diagonal_set() == 0);
  CHECK(upper.levels() == 2);
}

TEST_CASE("a matrix that is not square has no triangle") {
  const Loaded<S, Off> flat{stored<S, Off>({{{0, 1}}}, 2), true};
  CHECK_THROWS_WITH_AS(HostTriangle(flat, Triangle::lower, Diagonal::stored, 1),
                       doctest::Contains("1 rows and 2 columns"), Error);
}

TEST_CASE("the plain loop solves both triangles with every op") {
  using Host = HostStorage<Kokkos::complex<double>, Off>;
  using C = Kokkos::complex<double>;
  const Loaded<C, Off> random = load<C, Off>({"random:60,7", true}, 3);
  const auto b = test::random_columns<C>(60, 2, 5);
  const test::HostColumns<C> x("x", 60, 2);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    for (const Diagonal diagonal : {Diagonal::stored, Diagonal::unit}) {
      const HostTriangle<C, Off> T(random, triangle, diagonal, 1);
      const Host& host = T.storage();
      for (const Op op : {Op::none, Op::transpose, Op::conjugate, Op::conjugate_transpose}) {
        substitute(host.matrix(), triangle, diagonal, op, C(-1.5, 2), b, x);
        CHECK(test::residual(host, op, x, C(-1.5, 2), b) <= 1);
      }
    }
  }
}

TEST_CASE("a solution that is off by a little more than rounding is wrong") {
  static const bool entered =
      add_baseline<Problem>({"careless", "", [](const Exec&, const Problem& problem) {
                               return std::make_unique<Careless>(problem);
                             }});
  REQUIRE(entered);
  SptrsvRequest request;
  request.repetitions = 1;
  request.schemes = {"auto"};
  request.baselines = {"careless"};
  Progress progress;
  const MatrixResult result = SptrsvRun<S, Off>(request, {"diagonal:50", true}, progress).run();
  REQUIRE(result.contestants.size() == 2);
  CHECK(result.contestants[0].verdict == Verdict::ok);
  CHECK(result.contestants[0].update.seconds.size() > 2);
  CHECK(result.contestants[1].verdict == Verdict::wrong);
  CHECK(result.contestants[1].error_over_bound > 1);
  CHECK(result.contestants[1].error_over_bound < 1e6);
  CHECK(result.best_baseline() == nullptr);
}

}  // namespace heddle::bench
