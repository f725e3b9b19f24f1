// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagonals, scaling, small entries dropped, norms and comparisons, against plain ones on the host.
#include <cmath>

#include "../../testing/events.hpp"
#include "matrices/support.hpp"
#include "support/copy_in.hpp"

namespace heddle::test {

namespace {

template <class S>
double magnitude(const S& value) {
  return static_cast<double>(Kokkos::abs(value));
}

/// The matrix with another value at place k.
template <class T>
auto with_value(const typename T::Exec& exec, const DeviceMatrix<T>& A, std::size_t k,
                typename T::Scalar value) {
  auto changed = A.device.template copy_to<typename T::Space>(exec);
  exec.fence("heddle::test::copied");
  Kokkos::deep_copy(Kokkos::subview(changed.values(), std::pair(k, k + 1)), value);
  return changed;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("diagonals, scaling and norms as by hand", T, values) {
  using S = typename T::Scalar;
  using Space = typename T::Space;
  const typename T::Exec exec;
  const double rounding = 100 * std::numeric_limits<RealOf<S>>::epsilon();
  for (const Pattern& pattern : test_patterns()) {
    CAPTURE(pattern.name);
    const auto A = to_device<T>(exec, pattern);
    const auto H = written_down(A.host.matrix());
    const auto m = H.rows.size(), n = static_cast<std::size_t>(H.columns);
    const Kokkos::View<S*, Space> diagonal("diagonal", std::min(m, n));
    only_launches(exec, [&] { heddle::diagonal(exec, A.matrix(), diagonal); });
    std::vector<double> columns(n, 0);
    double rows = 0, squares = 0, largest = 0;
    const auto read = to_host(diagonal);
    bool same = true;
    for (std::size_t i = 0; i < m; ++i) {
      S on_diagonal(0);
      double row = 0, on_it = 0;
      for (const auto& [j, value] : H.rows[i]) {
        row += magnitude(value);
        columns[static_cast<std::size_t>(j)] += magnitude(value);
        squares += magnitude(value) * magnitude(value);
        largest = std::max(largest, magnitude(value));
        if (j == static_cast<std::int64_t>(i)) {
          on_diagonal += value;
          on_it += magnitude(value);
        }
      }
      rows = std::max(rows, row);
      if (i < std::min(m, n)) same = same && magnitude(read(i) - on_diagonal) <= rounding * on_it;
    }
    CHECK(same);
    double column = 0;
    for (const double sum : columns) column = std::max(column, sum);
    // A device's magnitude of a complex number may differ from the host's in the last bits.
    const auto about = [&](double value) {
      return doctest::Approx(value).epsilon(std::max(1e-12, rounding));
    };
    CHECK(norm_max(exec, A.matrix()) == about(largest));
    CHECK(norm_infinity(exec, A.matrix()) == about(rows));
    CHECK(norm_one(exec, A.matrix()) == about(column));
    CHECK(norm_frobenius(exec, A.matrix()) == about(std::sqrt(squares)));

    const auto left = random_vector<S>(m, 5), right = random_vector<S>(n, 6);
    const auto left_there = copy_to<Space>(left), right_there = copy_to<Space>(right);
    const Kokkos::View<S*, Space> scaled("scaled", A.host.nonzeros());
    const auto check_scaled = [&](const auto& work, bool by_left, bool by_right) {
      only_launches(exec, work);
      const auto found = to_host(scaled);
      std::size_t k = 0;
      bool right_values = true;
      for (std::size_t i = 0; i < m; ++i) {
        for (const auto& [j, value] : H.rows[i]) {
          S expected = by_left ? left(i) * value : value;
          if (by_right) expected = right(static_cast<std::size_t>(j)) * expected;
          // A device may fuse the products of complex numbers.
          right_values =
              right_values && magnitude(found(k++) - expected) <= rounding * magnitude(expected);
        }
      }
      CHECK(right_values);
    };
    check_scaled([&] { scale_rows(exec, A.matrix(), left_there, scaled); }, true, false);
    check_scaled([&] { scale_columns(exec, A.matrix(), right_there, scaled); }, false, true);
    check_scaled([&] { scale(exec, A.matrix(), left_there, right_there, scaled); }, true, true);

    for (const bool keep_diagonal : {false, true}) {
      const double threshold = 0.4;
      const auto dropped = drop_small(exec, A.matrix(), threshold, keep_diagonal);
      exec.fence("heddle::test::dropped");
      HostMatrix<S> expected = H;
      for (std::size_t i = 0; i < m; ++i) {
        std::erase_if(expected.rows[i], [&](const auto& entry) {
          const bool is_diagonal = entry.first == static_cast<std::int64_t>(i);
          return Kokkos::abs(entry.second) <= RealOf<S>(threshold) &&
                 !(is_diagonal && keep_diagonal);
        });
      }
      CHECK((written_down(dropped.matrix()) == sorted(expected)));
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(values, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("comparisons: order does not matter, one entry does", T, comparisons) {
  using S = typename T::Scalar;
  const typename T::Exec exec;
  const auto A = to_device<T>(exec, banded_pattern("band", 300, 300, {-2, -1, 0, 1, 3}));
  const auto S_A = symmetric_part(exec, A.matrix());
  const auto sorted_A = sort_rows(exec, A.matrix());
  exec.fence("heddle::test::compared");
  CHECK(equal(exec, A.matrix(), sorted_A.matrix()));
  const auto halves = add(exec, S(0.5), A.matrix(), S(0.5), A.matrix());
  CHECK(equal(exec, A.matrix(), halves.matrix()));
  CHECK(!is_symmetric(exec, A.matrix()));
  CHECK(is_symmetric(exec, S_A.matrix()));
  const S value = to_host(A.matrix().values())(700);
  const auto changed = with_value(exec, A, 700, value + S(RealOf<S>(1e-3)));
  CHECK(!equal(exec, A.matrix(), changed.matrix(), 1e-5));
  CHECK(equal(exec, A.matrix(), changed.matrix(), 0.01));
  CHECK(largest_difference(exec, A.matrix(), changed.matrix()) ==
        doctest::Approx(1e-3).epsilon(1e-3));
  const auto nan = with_value(exec, A, 700, poison<S>());
  CHECK(!equal(exec, nan.matrix(), nan.matrix(), 1));
  CHECK(std::isnan(norm_max(exec, nan.matrix())));
  CHECK(std::isnan(norm_infinity(exec, nan.matrix())));
  CHECK(std::isnan(norm_frobenius(exec, nan.matrix())));
  CHECK(drop_small(exec, nan.matrix(), 100).nonzeros() == 1);
  const auto large = with_value(exec, A, 700, S(std::numeric_limits<RealOf<S>>::max()));
  CHECK(std::isfinite(norm_frobenius(exec, large.matrix())));
  const auto I = identity<S, typename T::Ordinal, typename T::Offset>(exec, 300);
  const Kokkos::View<S*, typename T::Space> ones("ones", 300);
  Kokkos::deep_copy(ones, S(1));
  CHECK(equal(exec, I.matrix(), I.matrix()));
  CHECK(norm_one(exec, I.matrix()) == 1);
  CHECK(norm_frobenius(exec, I.matrix()) == doctest::Approx(std::sqrt(300)));
  const auto none = identity<S>(exec, 0);
  CHECK(written_down(none.matrix()).rows.empty());
}
TEST_CASE_TEMPLATE_APPLY(comparisons, MatrixTypes);

TEST_CASE_TEMPLATE_DEFINE("comparisons: infinite entries equal themselves, repeats are added up", T,
                          odd_comparisons) {
  using S = typename T::Scalar;
  using Real = RealOf<S>;
  const typename T::Exec exec;
  const S infinite(std::numeric_limits<Real>::infinity());
  const auto A = to_device<T>(exec, banded_pattern("band", 300, 300, {-2, -1, 0, 1, 3}));
  const auto inf = with_value(exec, A, 700, infinite), less = with_value(exec, A, 700, -infinite);
  CHECK(equal(exec, inf.matrix(), inf.matrix()));
  CHECK(equal(exec, inf.matrix(), inf.matrix(), 1e-3));
  CHECK(largest_difference(exec, inf.matrix(), inf.matrix()) == 0);
  CHECK(std::isinf(largest_difference(exec, A.matrix(), inf.matrix())));
  CHECK(!equal(exec, A.matrix(), inf.matrix(), 1));
  CHECK(!equal(exec, less.matrix(), inf.matrix(), 1));
  DeviceMatrix<T> other = A;
  other.device = inf;
  const S value = to_host(A.matrix().values())(100);
  const auto changed = with_value(exec, other, 100, value + S(Real(1e-3)));
  CHECK(equal(exec, inf.matrix(), changed.matrix(), 0.01));
  CHECK(!equal(exec, inf.matrix(), changed.matrix(), 1e-5));
  const auto two = to_device<T>(exec, Pattern{"two", 2, {{1}, {0}}});
  Kokkos::deep_copy(two.device.values(), infinite);
  CHECK(is_symmetric(exec, two.matrix()));
  CHECK(is_symmetric(exec, two.matrix(), 0, Symmetry::hermitian));
  const auto unlike = with_value(exec, two, 0, S(1));
  CHECK(!is_symmetric(exec, unlike.matrix(), 1));

  const auto thrice = to_device<T>(exec, Pattern{"thrice", 1, {{0, 0, 0}}});
  auto parts = Kokkos::create_mirror_view(thrice.device.values());
  for (std::size_t k = 0; k < 3; ++k) parts(k) = S(static_cast<Real>(0.1 * (1.0 + k)));
  Kokkos::deep_copy(thrice.device.values(), parts);
  CHECK(largest_difference(exec, thrice.matrix(), thrice.matrix()) == 0);
  CHECK(equal(exec, thrice.matrix(), thrice.matrix()));
  CHECK(is_symmetric(exec, thrice.matrix()));
  const auto sum = add_up_repeats(exec, thrice.matrix());
  CHECK(equal(exec, thrice.matrix(), sum.matrix()));

  if constexpr (std::same_as<S, Kokkos::complex<float>>) {
    const auto large = with_value(exec, A, 700, S(3e38f, 3e38f));
    CHECK(norm_max(exec, large.matrix()) == doctest::Approx(std::sqrt(2.0) * 3e38));
    CHECK(norm_frobenius(exec, large.matrix()) == doctest::Approx(std::sqrt(2.0) * 3e38));
  }
}
TEST_CASE_TEMPLATE_APPLY(odd_comparisons, MatrixTypes);

TEST_CASE("vectors of a wrong length are refused by name") {
  using T = Types<DefaultDevice, double, Indices<std::int32_t, std::int32_t>>;
  const DefaultDevice exec;
  const auto A = to_device<T>(exec, Pattern{"two rows of three", 3, {{0, 2}, {1}}});
  const Kokkos::View<double*, T::Space> two("two", 2), three("three", 3), four("four", 4);
  const auto refuses = [](const std::string& words, const auto& work) {
    CHECK(mentions(error_of(work), words));
  };
  refuses("the threshold of drop_small is -1", [&] { drop_small(exec, A.matrix(), -1); });
  refuses("the threshold of drop_small is nan",
          [&] { drop_small(exec, A.matrix(), std::nan("")); });
  refuses("the diagonal has 3 entries instead of 2", [&] { diagonal(exec, A.matrix(), three); });
  refuses("factors of rows have 3 entries instead of 2",
          [&] { scale_rows(exec, A.matrix(), three, three); });
  refuses("factors of columns have 2 entries instead of 3",
          [&] { scale_columns(exec, A.matrix(), two, three); });
  refuses("factors of rows have 4 entries instead of 2",
          [&] { scale(exec, A.matrix(), four, three, three); });
  refuses("factors of columns have 4 entries instead of 3",
          [&] { scale(exec, A.matrix(), two, four, three); });
  refuses("values have 4 entries instead of 3", [&] { scale(exec, A.matrix(), two, three, four); });
}

}  // namespace heddle::test
