// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Updates, dots and norms of vectors.
#include "../../../solvers/vectors/definitions.hpp"
#include "../../../testing/vectors_check.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;

template <class T>
using RealNumbers = Kokkos::View<RealOf<typename T::Scalar>*, typename T::Space>;
template <class T>
using Numbers = Kokkos::View<typename T::Scalar*, typename T::Space>;

/// Calls body(layout, rows, columns) for the sizes of interest.
template <class Body>
void for_shapes(const Body& body) {
  for (const std::int64_t rows : vector_sizes()) {
    for (const int columns : {1, 3, 9}) {
      if (columns == 9 && rows > 5000) continue;
      CAPTURE(rows);
      CAPTURE(columns);
      body(Kokkos::LayoutLeft(), rows, columns);
      if (columns == 3) body(Kokkos::LayoutRight(), rows, columns);
    }
  }
}

template <class Result, class Expected>
void check_entries(const Result& result, const Expected& expected) {
  std::int64_t wrong = 0;
  for (std::size_t j = 0; j < result.extent(1); ++j) {
    for (std::size_t i = 0; i < result.extent(0); ++i) {
      const WideSum sum = expected(static_cast<std::int64_t>(i), static_cast<int>(j));
      if (!sum.is(result(i, j))) ++wrong;
    }
  }
  CHECK(wrong == 0);
}

double value_of(const Kokkos::View<double, Space>& number) {
  Exec().fence("heddle::test::number");
  double value = 0;
  Kokkos::deep_copy(value, number);
  return value;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("axpby adds, and does not read what a zero leaves out", T, axpby) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for_shapes([&]<class Layout>(Layout, std::int64_t rows, int columns) {
    const S alpha(RealOf<S>(1.5)), beta(RealOf<S>(-0.75));
    const Both<S, typename T::Space, Layout> x(rows, columns, 1);
    const auto expected = [&](const auto& y, S a, S b) {
      return [&y, &x, a, b](std::int64_t i, int j) {
        WideSum sum;
        if (a != S(0)) sum.add(detail::Wide(a) * wide(x.host, i, j));
        if (b != S(0)) sum.add(detail::Wide(b) * wide(y.host, i, j));
        return sum;
      };
    };
    {
      const Both<S, typename T::Space, Layout> y(rows, columns, 2);
      vectors::axpby(exec, alpha, x.device, beta, y.device);
      exec.fence("heddle::test::updated");
      check_entries(y.result(), expected(y, alpha, beta));
    }
    {
      const Both<S, typename T::Space, Layout> y(rows, columns, 2);
      fill_with_poison(y.device);
      vectors::axpby(exec, alpha, x.device, S(0), y.device);
      exec.fence("heddle::test::updated");
      check_entries(y.result(), expected(y, alpha, S(0)));
      fill_with_poison(x.device);
      vectors::scale(exec, beta, y.device);
      vectors::axpby(exec, S(0), x.device, S(1), y.device);
      exec.fence("heddle::test::updated");
      std::int64_t poisoned = 0;
      const auto result = y.result();
      for (std::size_t i = 0; i < result.extent(0); ++i) {
        if (!detail::Wide(result(i, 0)).finite()) ++poisoned;
      }
      CHECK(poisoned == 0);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(axpby, VectorTypes);

TEST_CASE_TEMPLATE_DEFINE("advance updates x by the old p", T, advance) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for_shapes([&]<class Layout>(Layout, std::int64_t rows, int columns) {
    const Both<S, typename T::Space, Layout> x(rows, columns, 1), p(rows, columns, 2),
        r(rows, columns, 3);
    // A number for each vector, on the device.
    const auto alphas = random_vector<S>(static_cast<std::size_t>(columns), 4);
    const auto alpha = copy_to<typename T::Space>(alphas);
    const S beta(RealOf<S>(0.3));
    vectors::advance(exec, alpha, x.device, beta, r.device, p.device);
    exec.fence("heddle::test::updated");
    check_entries(x.result(), [&](std::int64_t i, int j) {
      WideSum sum;
      sum.add(wide(x.host, i, j));
      sum.add(detail::Wide(alphas(static_cast<std::size_t>(j))) * wide(p.host, i, j));
      return sum;
    });
    check_entries(p.result(), [&](std::int64_t i, int j) {
      WideSum sum;
      sum.add(wide(r.host, i, j));
      sum.add(detail::Wide(beta) * wide(p.host, i, j));
      return sum;
    });
  });
}
TEST_CASE_TEMPLATE_APPLY(advance, VectorTypes);

TEST_CASE_TEMPLATE_DEFINE("dots and norms, the same bits every time", T, dots) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const VectorWorkspace<typename T::Exec, S> workspace(exec, 8);
  for_shapes([&]<class Layout>(Layout, std::int64_t rows, int columns) {
    const Both<S, typename T::Space, Layout> x(rows, columns, 1), y(rows, columns, 2);
    const Numbers<T> dot("heddle::test::dot", static_cast<std::size_t>(columns));
    const RealNumbers<T> norm("heddle::test::norm", static_cast<std::size_t>(columns)),
        updated("heddle::test::norm", static_cast<std::size_t>(columns));
    std::vector<unsigned char> bits;
    for (int round = 0; round < 3; ++round) {
      fill_with_poison(dot);
      vectors::dot(exec, x.device, y.device, workspace, dot);
      vectors::norm(exec, x.device, workspace, norm);
      exec.fence("heddle::test::dots");
      if (round == 0) bits = bits_of(dot);
      CHECK(bits_of(dot) == bits);
    }
    const S alpha(RealOf<S>(-0.5));
    vectors::axpy_norm(exec, alpha, x.device, y.device, workspace, updated);
    exec.fence("heddle::test::dots");
    const auto dots = to_host(dot);
    const auto norms = to_host(norm);
    const auto updated_norms = to_host(updated);
    const auto result = y.result();
    for (int j = 0; j < columns; ++j) {
      const auto at = static_cast<std::size_t>(j);
      CHECK(wide_dot(x.host, j, y.host, j).is(dots(at)));
      // A square root halves the relative error; squares of rounded entries add one more.
      const auto check_norm = [&](const auto& of, RealOf<S> got) {
        WideSum square = wide_dot(of, j, of, j);
        square.terms += 16;
        CHECK(square.is(S(got * got)));
      };
      check_norm(x.host, norms(at));
      check_norm(result, updated_norms(at));
    }
    check_entries(result, [&](std::int64_t i, int j) {
      WideSum sum;
      sum.add(wide(y.host, i, j));
      sum.add(detail::Wide(alpha) * wide(x.host, i, j));
      return sum;
    });
  });
}
TEST_CASE_TEMPLATE_APPLY(dots, VectorTypes);

TEST_CASE("one vector's numbers are Views of rank 0") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec);
  const Kokkos::View<double*, Space> x("heddle::test::x", 1000), y("heddle::test::y", 1000);
  Kokkos::deep_copy(x, 2.0);
  const Kokkos::View<double, Space> square("heddle::test::square"), norm("heddle::test::norm");
  vectors::norm_squared(exec, x, workspace, square);
  vectors::axpy(exec, square, x, y);  // 4000 * 2
  vectors::norm(exec, y, workspace, norm);
  CHECK(value_of(norm) == doctest::Approx(8000 * std::sqrt(1000.0)));
}

TEST_CASE("sums in a wider type than the vectors'") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec);
  const std::size_t n = static_cast<std::size_t>(cut(100000));
  const Kokkos::View<float*, Space> x("heddle::test::x", n);
  Kokkos::deep_copy(x, 0.1f);
  const Kokkos::View<double, Space> square("heddle::test::square");
  vectors::norm_squared(exec, x, workspace, square);
  CHECK(value_of(square) ==
        doctest::Approx(static_cast<double>(n) * double(0.1f) * double(0.1f)).epsilon(1e-12));
}

TEST_CASE_TEMPLATE_DEFINE("norms neither overflow nor underflow", T, scaled_norms) {
  using S = typename T::Scalar;
  using Real = RealOf<S>;
  constexpr bool wide = std::is_same_v<Real, double>;
  const typename T::Exec exec;
  const VectorWorkspace<typename T::Exec, S> workspace(exec, 8);
  constexpr int columns = 8;
  const Both<S, typename T::Space> x(500, columns, 1);
  const RealNumbers<T> norm("heddle::test::norm", columns), squares("heddle::test::norm", columns);
  vectors::norm(exec, x.device, workspace, norm);
  exec.fence("heddle::test::norms");
  const auto plain = Kokkos::create_mirror(Kokkos::HostSpace(), norm);
  Kokkos::deep_copy(plain, norm);
  for (const int power : wide ? std::vector{-1000, -540, -400, 300, 520, 1010}
                              : std::vector{-120, -80, -50, 40, 70, 115}) {
    CAPTURE(power);
    const Both<S, typename T::Space> scaled(500, columns, 1);
    vectors::scale(exec, S(std::ldexp(Real(1), power)), scaled.device);
    vectors::norm(exec, scaled.device, workspace, norm);
    exec.fence("heddle::test::norms");
    const auto got = to_host(norm);
    vectors::axpy_norm(exec, S(1), x.device, scaled.device, workspace, squares);
    exec.fence("heddle::test::norms");
    for (std::size_t j = 0; j < columns; ++j) {
      CHECK(std::ldexp(got(j), -power) == doctest::Approx(plain(j)).epsilon(wide ? 1e-14 : 1e-5));
      CHECK(std::isfinite(to_host(squares)(j)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(scaled_norms, VectorTypes);

TEST_CASE("NaN and infinity come through") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec);
  const Kokkos::View<double*, Space> x("heddle::test::x", 777);
  const auto at = Kokkos::subview(x, 776);
  const Kokkos::View<double, Space> norm("heddle::test::norm");
  const auto measure = [&](double last) {
    Kokkos::deep_copy(at, last);
    vectors::norm(exec, x, workspace, norm);
    return value_of(norm);
  };
  CHECK(std::isnan(measure(std::numeric_limits<double>::quiet_NaN())));
  CHECK(std::isinf(measure(-std::numeric_limits<double>::infinity())));
  CHECK(measure(3) == 3);
  // An infinite factor would make NaN of the zeros after the last row, which are not part of the
  // vector.
  const Kokkos::View<double*, Space> y("heddle::test::y", 777);
  Kokkos::deep_copy(x, 1.0);
  vectors::axpy_norm(exec, std::numeric_limits<double>::infinity(), x, y, workspace, norm);
  CHECK(std::isinf(value_of(norm)));
}

TEST_CASE("wrong input is an error in words") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec);
  const Kokkos::View<double*, Space> x("heddle::test::x", 10), y("heddle::test::y", 11);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> two("heddle::test::two", 10, 2);
  const Kokkos::View<double, Space> number("heddle::test::number");
  CHECK_THROWS_WITH_AS(vectors::axpy(exec, 1.0, x, y), doctest::Contains("x is 10 x 1 and y is 11"),
                       Error);
  CHECK_THROWS_WITH_AS(vectors::dot(exec, two, two, workspace, number),
                       doctest::Contains("there are 2 vectors"), Error);
  const auto front = Kokkos::subview(x, std::make_pair(0, 9));
  const auto back = Kokkos::subview(x, std::make_pair(1, 10));
  CHECK_THROWS_WITH_AS(vectors::axpy(exec, 1.0, front, back), doctest::Contains("overlap in part"),
                       Error);
  CHECK_THROWS_WITH_AS(vectors::advance(exec, 1.0, x, 1.0, front, back),
                       doctest::Contains("x is 10 x 1 and p is 9 x 1"), Error);
  CHECK_THROWS_WITH_AS(
      vectors::axpy(exec, Kokkos::View<double*, Space>("heddle::test::three", 3), two, two),
      doctest::Contains("alpha holds 3 numbers"), Error);
}

}  // namespace heddle::test
