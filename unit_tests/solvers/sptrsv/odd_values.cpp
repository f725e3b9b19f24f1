// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NaN and infinity reach the rows that need them, and no others. A part of test_sptrsv.cpp, and
// with -ffast-math a program of its own.
#include "../../support/odd_values.hpp"

#include <doctest/doctest.h>

#include "../../../solvers/sptrsv/definitions.hpp"
#include "../../support/sptrsv_check.hpp"

namespace heddle::test {

namespace {

/// One triangle and way to solve, into which NaN and infinities are put.
template <class T>
class OddSolves {
 public:
  using S = typename T::Scalar;
  using Exec = typename T::Exec;
  using Space = typename T::Space;

  OddSolves(const Exec& exec, const DeviceMatrix<T>& A, const Way& way, Triangle triangle)
      : exec_(exec),
        A_(A),
        triangle_(triangle),
        keeps_bits_(!way.scheme || way.scheme->terms().front().key != "blocks"),
        solver_(exec, A, way, {.triangle = triangle}),
        b_(random_vector<S>(static_cast<std::size_t>(A.host.rows()), 3)),
        clean_(solution(b_)) {}

  void into_right_hand_side(const OddValue& odd, std::size_t row) {
    auto b = copy_to<Kokkos::HostSpace>(b_);
    b(row) = make_odd<S>(odd);
    check(row, solution(b));
    // Vectors before and after it stay clean.
    const Vectors<S, Kokkos::HostSpace> three(b.extent(0), 3, true);
    for (std::size_t i = 0; i < b.extent(0); ++i) {
      three.view()(i, 0) = three.view()(i, 2) = b_(i);
      three.view()(i, 1) = b(i);
    }
    const auto x = three.template in<Space>();
    solver_.apply(exec_, x.view(), x.view());
    exec_.fence("heddle::test::solved");
    const auto host = x.template in<Kokkos::HostSpace>();
    const auto column = [&](int k) {
      HostVector<S> result("heddle::test::column", b.extent(0));
      for (std::size_t i = 0; i < b.extent(0); ++i) {
        result(i) = host.view()(i, static_cast<std::size_t>(k));
      }
      return result;
    };
    CHECK(same_bits(column(0), column(2)));
    check(row, column(1), column(0));
  }

  /// Puts a value into the diagonal, or the last other entry, of a row.
  void into_matrix(const OddValue& odd, std::size_t row, bool diagonal) {
    const auto host = A_.host.template copy_to<Kokkos::HostSpace>(exec_);
    exec_.fence("heddle::test::copied");
    const auto begin = static_cast<std::size_t>(host.row_ptr()(row));
    auto at = static_cast<std::size_t>(host.row_ptr()(row + 1));
    do {
      if (at == begin) return;
      --at;
    } while ((static_cast<std::size_t>(host.col_idx()(at)) == row) != diagonal);
    host.values()(at) = make_odd<S>(odd);
    const auto odd_matrix = to_device<T>(exec_, "odd", host);
    solver_.take(exec_, odd_matrix);
    check(row, solution(b_));
    solver_.take(exec_, A_);
    CHECK(same_bits(solution(b_), clean_));
  }

 private:
  HostVector<S> solution(const HostVector<S>& right) {
    const auto b = copy_to<Space>(right);
    const Kokkos::View<S*, Space> x("heddle::test::x", right.extent(0));
    solver_.apply(exec_, b, x);
    exec_.fence("heddle::test::solved");
    return copy_to<Kokkos::HostSpace>(x);
  }
  void check(std::size_t row, const HostVector<S>& x) const { check(row, x, clean_); }
  void check(std::size_t row, const HostVector<S>& x, const HostVector<S>& clean) const {
    const auto from = static_cast<std::int64_t>(row);
    CHECK(spreads_wrongly(A_.host, triangle_, from, x, clean, keeps_bits_) == "");
  }

  const Exec& exec_;
  const DeviceMatrix<T>& A_;
  Triangle triangle_;
  bool keeps_bits_;
  TriangleSolver<T> solver_;
  HostVector<S> b_, clean_;
};

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("sptrsv: numbers that are none reach who needs them, and nobody else", T,
                          odd) {
  const typename T::Exec exec;
  Watchdog watchdog("odd values");
  const Pattern patterns[] = {lower_band("two chains", emulated ? 80 : 700, {2}),
                              triangle_named("random"), triangle_named("elements"),
                              lower_band("chains of warps", emulated ? 150 : 900, {32, 33}),
                              triangle_named("two wide levels")};
  std::size_t turn = 0;
  for (const Pattern& lower : patterns) {
    for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
      const bool upper = triangle == Triangle::upper;
      const auto A = triangle_on_device<T>(exec, upper ? reversed(lower) : lower);
      CAPTURE(A.name);
      const auto n = static_cast<std::size_t>(A.host.rows());
      for (const Way& way : sampled_ways(backends::describe(exec), 761)) {
        CAPTURE(way.name());
        OddSolves<T> solves(exec, A, way, triangle);
        std::size_t odd_one = turn++;  // alternating, since there are many schemes
        const std::size_t odd_ones = way.plan ? 1 : std::size(odd_values);
        for (const std::size_t row : {std::size_t{0}, n / 2 + 3, n - 1}) {
          CAPTURE(row);
          for (std::size_t k = 0; k < odd_ones; ++k) {
            const OddValue& odd = odd_values[odd_one++ % std::size(odd_values)];
            CAPTURE(odd.name);
            solves.into_right_hand_side(odd, row);
            solves.into_matrix(odd, row, false);
            if (!odd.infinite()) solves.into_matrix(odd, row, true);  // x / infinity is 0
          }
        }
        watchdog.progress();
      }
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(odd, TriangleTypes);

}  // namespace heddle::test
