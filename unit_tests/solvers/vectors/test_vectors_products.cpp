// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of tall and skinny matrices.
#include "../../../solvers/vectors/definitions.hpp"
#include "../../../testing/events.hpp"
#include "../../../testing/vectors_check.hpp"

namespace heddle::test {

namespace {

using Exec = DefaultDevice;
using Space = Exec::memory_space;

template <class Body>
void for_shapes(const Body& body) {
  const std::vector<std::pair<int, int>> columns = {{1, 1}, {5, 1}, {3, 2}, {9, 5}, {20, 20}};
  for (const std::int64_t rows : vector_sizes()) {
    for (const auto& [k, m] : columns) {
      if (k * m > 10 && rows > 10000) continue;
      CAPTURE(rows);
      CAPTURE(k);
      CAPTURE(m);
      body(Kokkos::LayoutLeft(), rows, k, m);
      if (k == 9) body(Kokkos::LayoutRight(), rows, k, m);
    }
  }
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("V' W, the same bits every time", T, inner) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const VectorWorkspace<typename T::Exec, S> workspace(exec, 400);
  for_shapes([&]<class Layout>(Layout, std::int64_t rows, int k, int m) {
    const Both<S, typename T::Space, Layout> v(rows, k, 1), w(rows, m, 2);
    const Kokkos::View<S**, typename T::Space> g("heddle::test::g", static_cast<std::size_t>(k),
                                                 static_cast<std::size_t>(m));
    std::vector<unsigned char> bits;
    for (int round = 0; round < 2; ++round) {
      fill_with_poison(g);
      vectors::inner_products(exec, v.device, w.device, workspace, g);
      exec.fence("heddle::test::products");
      if (round == 0) bits = bits_of(g);
      CHECK(bits_of(g) == bits);
    }
    const auto result = to_host(g);
    int wrong = 0;
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < m; ++j) {
        const S got = result(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
        if (!wide_dot(v.host, i, w.host, j).is(got)) ++wrong;
      }
    }
    CHECK(wrong == 0);
  });
}
TEST_CASE_TEMPLATE_APPLY(inner, VectorTypes);

TEST_CASE_TEMPLATE_DEFINE("W = alpha V C + beta W", T, combined) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  for_shapes([&]<class Layout>(Layout, std::int64_t rows, int k, int m) {
    const Both<S, typename T::Space, Layout> v(rows, k, 1), w(rows, m, 2);
    const Both<S, typename T::Space> c(k, m, 3);
    const S alpha(RealOf<S>(-1));
    for (const S beta : {S(0), S(RealOf<S>(0.5))}) {
      if (beta == S(0)) {
        fill_with_poison(w.device);
      } else {
        Kokkos::deep_copy(w.device, copy_to<typename T::Space>(w.host));
      }
      vectors::combine(exec, alpha, v.device, c.device, beta, w.device);
      exec.fence("heddle::test::combined");
      const auto result = w.result();
      std::int64_t wrong = 0;
      for (std::int64_t row = 0; row < rows; ++row) {
        for (int j = 0; j < m; ++j) {
          WideSum sum;
          for (int i = 0; i < k; ++i) {
            sum.add(detail::Wide(alpha) * wide(v.host, row, i) * wide(c.host, i, j));
          }
          if (beta != S(0)) sum.add(detail::Wide(beta) * wide(w.host, row, j));
          if (!sum.is(result(static_cast<std::size_t>(row), static_cast<std::size_t>(j)))) ++wrong;
        }
      }
      CHECK(wrong == 0);
    }
  });
}
TEST_CASE_TEMPLATE_APPLY(combined, VectorTypes);

TEST_CASE("one vector's coefficients are Views of rank 1, and x - V (V' x) is orthogonal to V") {
  const Exec exec;
  const std::int64_t n = cut(4000);
  const Both<double, Space> v(n, 7, 1), x(n, 1, 2);
  const VectorWorkspace<Exec, double> workspace(exec, 49);
  const Kokkos::View<double, Space> norm("heddle::test::norm");
  const Kokkos::View<double*, Space> h("heddle::test::h", 7);
  const auto one = Kokkos::subview(x.device, Kokkos::ALL, 0);
  // Gram-Schmidt with reorthogonalization: random vectors are nearly orthogonal before.
  for (std::size_t j = 0; j < 7; ++j) {
    const auto column = Kokkos::subview(v.device, Kokkos::ALL, j);
    for (int round = 0; round < 2 && j > 0; ++round) {
      const auto before = Kokkos::subview(v.device, Kokkos::ALL, std::make_pair(std::size_t{0}, j));
      const auto some = Kokkos::subview(h, std::make_pair(std::size_t{0}, j));
      vectors::inner_products(exec, before, column, workspace, some);
      vectors::combine(exec, -1.0, before, some, 1.0, column);
    }
    vectors::norm(exec, column, workspace, norm);
    exec.fence("heddle::test::norm");
    double length = 0;
    Kokkos::deep_copy(length, norm);
    vectors::scale(exec, 1 / length, column);
  }
  const Kokkos::View<double**, Space> gram("heddle::test::gram", 7, 7);
  vectors::inner_products(exec, v.device, v.device, workspace, gram);
  vectors::inner_products(exec, v.device, one, workspace, h);
  vectors::combine(exec, -1.0, v.device, h, 1.0, one);
  vectors::inner_products(exec, v.device, one, workspace, h);
  exec.fence("heddle::test::gram");
  const auto g = to_host(gram);
  const auto left = to_host(h);
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t j = 0; j < 7; ++j) CHECK(std::fabs(g(i, j) - (i == j ? 1 : 0)) < 1e-13);
    CHECK(std::fabs(left(i)) < 1e-12);
  }
}

TEST_CASE("operations on vectors launch, and neither allocate, copy nor fence") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec, 8);
  const Both<double, Space> v(1000, 4, 1), w(1000, 4, 2), u(1000, 4, 3);
  const Kokkos::View<double*, Space> numbers("heddle::test::numbers", 4);
  const Kokkos::View<double**, Space> c("heddle::test::c", 4, 2);
  const auto two = Kokkos::subview(w.device, Kokkos::ALL, std::make_pair(0, 2));
  const auto seen = only_launches(exec, [&] {
    vectors::axpby(exec, numbers, v.device, 1.0, w.device);
    vectors::advance(exec, 1.0, v.device, 2.0, w.device, u.device);
    vectors::dot(exec, v.device, w.device, workspace, numbers);
    vectors::norm(exec, v.device, workspace, numbers);
    vectors::axpy_norm(exec, 1.0, v.device, w.device, workspace, numbers);
    vectors::inner_products(exec, v.device, two, workspace, c);
    vectors::combine(exec, 1.0, v.device, c, 1.0, two);
  });
  CHECK(count(seen, Event::kernel) == 7);
  CHECK(seen.size() == 7);
}

TEST_CASE("threads of a CPU share the rows of many vectors sooner than those of two") {
  if constexpr (!backends::has_lanes<Exec>) {
    namespace of = heddle::detail::vectors;
    const Exec exec;
    const auto teams = [&](int of_many) { return std::min(of_many, exec.concurrency()); };
    CHECK(of::teams_for_all(exec, 0, 2) == 1);
    CHECK(of::teams_for_all(exec, 4096, 1) == 1);
    CHECK(of::teams_for_all(exec, 4096, 2) == of::teams_for(exec, 4096));
    CHECK(of::teams_for_all(exec, 4096, 32) == teams(16));
    CHECK(of::teams_for_all(exec, 512, 1000) == teams(2));
    CHECK(of::teams_for_all(exec, 256, 1000) == 1);
  }
}

TEST_CASE("wrong shapes of products are errors in words") {
  const Exec exec;
  const VectorWorkspace<Exec, double> workspace(exec, 1 << 20);
  const Both<double, Space> v(10, 3, 1), w(11, 2, 2), u(10, 2, 3);
  const Kokkos::View<double**, Space> c("heddle::test::c", 3, 3);
  CHECK_THROWS_WITH_AS(vectors::inner_products(exec, v.device, w.device, workspace, c),
                       doctest::Contains("V has 10 rows and W 11"), Error);
  CHECK_THROWS_WITH_AS(vectors::inner_products(exec, v.device, u.device, workspace, c),
                       doctest::Contains("G is 3 x 3, and is to be 3 x 2"), Error);
  CHECK_THROWS_WITH_AS(vectors::combine(exec, 1.0, v.device, c, 0.0, v.device),
                       doctest::Contains("same vector"), Error);
  const Both<double, Space> many(10, 60, 1);
  const Kokkos::View<double**, Space> large("heddle::test::large", 60, 60);
  const VectorWorkspace<Exec, double> small(Exec(), 1);
  CHECK_THROWS_WITH_AS(vectors::inner_products(exec, many.device, many.device, small, large),
                       doctest::Contains("room for 24 numbers, not 3600"), Error);
}

}  // namespace heddle::test
