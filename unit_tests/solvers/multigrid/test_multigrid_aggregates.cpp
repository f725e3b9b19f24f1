// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parts of levels. Aggregates are the same on every device and number of threads, those that are
// written down here.
#include "../../../matrices/multiply.hpp"
#include "../../../matrices/scale.hpp"
#include "../../../solvers/multigrid/scalar_aggregation.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

struct Found {
  int count = 0;
  int alone = 0;
  std::uint64_t hash = 0;
};

template <class E, class S>
auto diagonal_of(const E& exec, const PlainOperator<E, S>& a) {
  const Kokkos::View<S*, typename E::memory_space> of("heddle::test::diagonal",
                                                      static_cast<std::size_t>(a.n));
  diagonal(exec, a.matrix(), of);
  exec.fence("heddle::test::diagonal");
  return of;
}

/// Rows of a grid on a torus, some without neighbours. one_launch_nodes: of Aggregates.
template <class E>
Found aggregates(int side, std::int64_t one_launch_nodes) {
  const E exec;
  using S = double;
  using Matrix = typename PlainOperator<E, S>::Matrix;
  const auto a = grid_operator<E, S>(side, [](int i, int j) {
    if (i == j) return 4.0;
    return i % 23 == 0 || j % 23 == 0 ? -1e-4 : -1.0 - (i + j) % 3 * 0.1;
  });
  const heddle::detail::multigrid::StrongNodes<E, Matrix> nodes(
      exec, a.matrix(), diagonal_of(exec, a).data(), 1, 0.02);
  const heddle::detail::multigrid::Aggregates<E, int> aggregates(exec, nodes.graph(),
                                                                 one_launch_nodes);
  Found found{aggregates.count(), 0, 0};
  const auto of = to_host(
      Kokkos::View<const int*, typename E::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          aggregates.of(), static_cast<std::size_t>(a.n)));
  std::vector<int> members(static_cast<std::size_t>(found.count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    CHECK((of(i) < 0) == (i % 23 == 0));
    found.alone += of(i) < 0;
    if (of(i) >= 0) ++members[static_cast<std::size_t>(of(i))];
    found.hash = heddle::detail::hash_of(found.hash + static_cast<std::uint64_t>(of(i) + 1));
  }
  for (const int count : members) CHECK(count > 0);
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("aggregates are the same everywhere", T, same) {
  for (const std::int64_t one_launch_nodes : {-1, 0}) {
    CAPTURE(one_launch_nodes);
    const Found found = aggregates<typename T::Exec>(40, one_launch_nodes);
    CHECK(found.count == 245);
    CHECK(found.alone == 70);
    CHECK(found.hash == 14529508712577159714u);
  }
}
TEST_CASE_TEMPLATE_APPLY(same, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("prolongations have the near-nullspace in their range", T, range) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  using SpaceOf = typename E::memory_space;
  using Matrix = typename PlainOperator<E, double>::Matrix;
  const E exec;
  constexpr int side = 20, n = side * side;
  // Neighbours exchange much in one direction and little in the other, times weights: A w = 0.
  const auto weight = [](int i) { return 1 + i % 7 * 0.2; };
  const auto exchange = [](int i, int j) { return std::abs(i - j) == 1 ? 1.0 : 1e-3; };
  const auto a = grid_operator<E, double>(side, [=](int i, int j) {
    if (i != j) return -exchange(i, j) / (weight(i) * weight(j));
    double sum = 0;
    if (i >= side) sum += exchange(i, i - side);
    if (i + side < n) sum += exchange(i, i + side);
    if (i % side > 0) sum += exchange(i, i - 1);
    if (i % side < side - 1) sum += exchange(i, i + 1);
    return sum / (weight(i) * weight(i));
  });
  std::vector<double> of(2 * n);
  for (int i = 0; i < n; ++i) {
    of[static_cast<std::size_t>(i)] = weight(i);
    of[static_cast<std::size_t>(n + i)] = weight(i) * 0.3 * (i % side == 0);  // small entries
  }
  const auto stored = copy_in<SpaceOf>(of);
  const mg::NearNullspace<double> vectors{stored.data(), n, 2};
  const mg::StrongNodes<E, Matrix> nodes(exec, a.matrix(), diagonal_of(exec, a).data(), 1, 0.02);
  const mg::Aggregates<E, int> aggregates(exec, nodes.graph());
  const mg::Tentative<E, double, int, int> tentative(exec, aggregates.of(), aggregates.count(), 1,
                                                     vectors);
  mg::SmoothingMatrix<E, Matrix> smoothing(exec, a.matrix(), nodes);
  CHECK(smoothing.matrix().nonzeros() < a.matrix().nonzeros());
  const Kokkos::View<mg::SpectrumNumbers, SpaceOf> numbers("heddle::test::numbers");
  mg::SpectrumNumbers two{};
  two.bound = 2;
  Kokkos::deep_copy(numbers, two);
  smoothing.update_values(exec, a.matrix(), vectors, numbers.data());
  exec.fence("heddle::test::made");

  const auto coarse =
      to_host(Kokkos::View<const double*, SpaceOf, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          tentative.coarse.data, static_cast<std::size_t>(2 * tentative.coarse.rows)));
  const auto row_of = [](const auto& matrix, std::size_t i, const auto& visit) {
    const auto row_ptr = to_host(matrix.row_ptr());
    const auto col_idx = to_host(matrix.col_idx());
    const auto values = to_host(matrix.values());
    for (auto k = static_cast<std::size_t>(row_ptr(i));
         k < static_cast<std::size_t>(row_ptr(i + 1)); ++k) {
      visit(static_cast<std::size_t>(col_idx(k)), values(k));
    }
  };
  for (std::size_t i = 0; i < n; ++i) {
    double one = 0, other = 0, smoothed = 0;
    row_of(tentative.prolongation.matrix(), i, [&](std::size_t j, double value) {
      one += value * coarse(j);
      other += value * coarse(static_cast<std::size_t>(tentative.coarse.rows) + j);
    });
    row_of(smoothing.matrix(), i, [&](std::size_t j, double value) { smoothed += value * of[j]; });
    CHECK(one == doctest::Approx(of[i]).epsilon(1e-12));
    CHECK(std::abs(other - of[n + i]) < 1e-12);
    CHECK(smoothed == doctest::Approx(of[i]).epsilon(1e-12));
  }
}
TEST_CASE_TEMPLATE_APPLY(range, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("a smoothed prolongation is the product of any two matrices", T,
                          products) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  using SpaceOf = typename T::Space;
  using Matrix = typename PlainOperator<E, double>::Matrix;
  const E exec;
  // Unsorted rows of one to n entries; some columns belong to nodes without an aggregate.
  constexpr int n = 300;
  std::vector<int> row_ptr(1), col_idx, aggregate;
  std::vector<double> values, of;
  for (int i = 0; i < n; ++i) {
    const int length = i == 7 ? n : i % 100 == 99 ? 70 : 1 + i % 9;
    for (int k = 0; k < length; ++k) {
      col_idx.push_back((i + 37 * k) % n);
      values.push_back(1.0 + (i * 7 + k * 3) % 11);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
    aggregate.push_back(i % 10 == 3 ? -1 : i * 13 % n / 4);
  }
  for (int i = 0; i < 3 * n; ++i) of.push_back(1 + i * 29 % 17);
  const auto smoothing = plain_operator<E>(row_ptr, col_idx, values);
  const auto aggregates = copy_in<SpaceOf>(aggregate);
  const auto stored = copy_in<SpaceOf>(of);
  for (const int vectors : {1, 3}) {
    CAPTURE(vectors);
    const mg::Tentative<E, double, int, int> tentative(exec, aggregates.data(), n / 4, 1,
                                                       {stored.data(), n, vectors});
    const Matrix P = tentative.prolongation.matrix();
    mg::SmoothedProlongation<E, Matrix> prolongation(exec, smoothing.matrix(), P, vectors);
    prolongation.numeric(exec, smoothing.matrix(), P);
    const auto product = multiply(exec, smoothing.matrix(), P);
    exec.fence("heddle::test::made");
    const Matrix one = prolongation.matrix(), other = product.matrix();
    REQUIRE(one.nonzeros() == other.nonzeros());
    const auto one_starts = to_host(one.row_ptr()), other_starts = to_host(other.row_ptr());
    const auto one_columns = to_host(one.col_idx()), other_columns = to_host(other.col_idx());
    const auto one_values = to_host(one.values()), other_values = to_host(other.values());
    int wrong = 0;
    for (std::size_t i = 0; i <= n; ++i) wrong += one_starts(i) != other_starts(i);
    for (std::size_t k = 0; k < one_values.extent(0); ++k) {
      wrong += one_columns(k) != other_columns(k);
      wrong += std::abs(one_values(k) - other_values(k)) > 1e-12;
    }
    CHECK(wrong == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(products, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("a prolongation made from A is the smoothing matrix times the tentative",
                          T, scalar) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  using SpaceOf = typename T::Space;
  using Matrix = typename PlainOperator<E, double>::Matrix;
  const E exec;
  // Unsorted rows, three of them longer than the registers of a subwarp; some entries are weak.
  constexpr int n = 500;
  std::vector<int> row_ptr(1), col_idx;
  std::vector<double> values, of;
  for (int i = 0; i < n; ++i) {
    const int length = i == 7 ? n : i % 200 == 99 ? 180 : 1 + i % 9;
    for (int k = 0; k < length; ++k) {
      const int j = (i + 37 * k) % n;
      col_idx.push_back(j);
      values.push_back(j == i ? 8.0 + i % 3 : (i + j) % 11 == 0 ? 1e-3 : -1.0 - (i * 7 + j) % 5);
    }
    row_ptr.push_back(static_cast<int>(col_idx.size()));
    of.push_back(i % 50 == 0 ? 0 : 1 + i * 29 % 17);
  }
  const auto a = plain_operator<E>(row_ptr, col_idx, values);
  const auto vector = copy_in<SpaceOf>(of);
  const mg::NearNullspace<double> vectors{vector.data(), n, 1};
  const mg::StrongNodes<E, Matrix> nodes(exec, a.matrix(), diagonal_of(exec, a).data(), 1, 0.02);
  const Kokkos::View<mg::SpectrumNumbers, SpaceOf> numbers("heddle::test::numbers");
  mg::SpectrumNumbers two{};
  two.bound = 2;
  Kokkos::deep_copy(numbers, two);
  // Aggregates of four nodes, of one, and one that has nearly all; rows without an aggregate.
  for (const int count : {n / 4, n, 2, 1}) {
    CAPTURE(count);
    std::vector<int> host;
    for (int i = 0; i < n; ++i) {
      host.push_back(count < n && i % 10 == 3 ? -1 : count == 2 ? i == 0 : i * 13 % n * count / n);
    }
    const auto aggregate = copy_in<SpaceOf>(host);
    const mg::Aggregates<E, int> aggregates(exec, n, [&](int* to) {
      heddle::detail::copy(exec, "heddle::test::aggregates", to, n, aggregate.data());
      return count;
    });
    mg::ScalarAggregation<E, Matrix> made(exec, a.matrix(), nodes, aggregates, vectors);
    const mg::Tentative<E, double, int, int> tentative(exec, aggregates.of(), count, 1, vectors);
    mg::SmoothingMatrix<E, Matrix> smoothing(exec, a.matrix(), nodes);
    for (const double bound : {2.0, 3.0}) {
      two.bound = bound;
      Kokkos::deep_copy(numbers, two);
      made.update_values(exec, a.matrix(), numbers.data());
      smoothing.update_values(exec, a.matrix(), vectors, numbers.data());
      const auto product = multiply(exec, smoothing.matrix(), tentative.prolongation.matrix());
      exec.fence("heddle::test::made");
      const Matrix one = made.matrix(), other = product.matrix();
      REQUIRE(one.nonzeros() == other.nonzeros());
      CHECK(one.columns() == count);
      const auto one_starts = to_host(one.row_ptr()), other_starts = to_host(other.row_ptr());
      const auto one_columns = to_host(one.col_idx()), other_columns = to_host(other.col_idx());
      const auto one_values = to_host(one.values()), other_values = to_host(other.values());
      int wrong = 0;
      for (std::size_t i = 0; i <= n; ++i) wrong += one_starts(i) != other_starts(i);
      for (std::size_t k = 0; k < one_values.extent(0); ++k) {
        wrong += one_columns(k) != other_columns(k);
        wrong += !(std::abs(one_values(k) - other_values(k)) <= 1e-11);
      }
      const auto of_vectors = [&](const double* data) {
        return to_host(
            Kokkos::View<const double*, SpaceOf, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                data, static_cast<std::size_t>(count)));
      };
      const auto one_norms = of_vectors(made.coarse_vectors().data),
                 other_norms = of_vectors(tentative.coarse.data);
      for (std::size_t c = 0; c < static_cast<std::size_t>(count); ++c) {
        wrong += !(std::abs(one_norms(c) - other_norms(c)) <= 1e-12 * other_norms(c));
      }
      CHECK(wrong == 0);
    }
  }
}
TEST_CASE_TEMPLATE_APPLY(scalar, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("strength of blocks", T, blocks) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  const E exec;
  constexpr int side = 12;
  const auto a = grid_operator<E, double>(side, [](int i, int j) {
    return i == j ? 2.0 : std::abs(i - j) == 1 ? -1.0 : -1e-3;
  });
  using Matrix = typename PlainOperator<E, double>::Matrix;
  for (const int block : {1, 2, 3}) {  // blocks of adjacent rows
    CAPTURE(block);
    const mg::StrongNodes<E, Matrix> nodes(exec, a.matrix(), diagonal_of(exec, a).data(), block,
                                           0.02);
    const mg::SmoothingMatrix<E, Matrix> smoothing(exec, a.matrix(), nodes);
    const auto row_ptr = to_host(smoothing.matrix().row_ptr());
    const auto col_idx = to_host(smoothing.matrix().col_idx());
    int wrong = 0;
    for (int i = 0; i < side * side; ++i) {
      const auto row = static_cast<std::size_t>(i);
      const int neighbours = (i % side > 0) + (i % side < side - 1);
      wrong += row_ptr(row + 1) - row_ptr(row) != 1 + neighbours;
      for (auto k = row_ptr(row); k < row_ptr(row + 1); ++k) {
        wrong += std::abs(col_idx(static_cast<std::size_t>(k)) - i) > 1;
      }
    }
    CHECK(wrong == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(blocks, Every<std::tuple<double>, UsualIndices, AllBackends>);

TEST_CASE_TEMPLATE_DEFINE("strength of blocks by merging rows has the same bits", T, merged) {
  namespace mg = heddle::detail::multigrid;
  using E = typename T::Exec;
  const E exec;
  constexpr int side = 12;
  const auto a = grid_operator<E, double>(side, [](int i, int j) {
    return i == j ? 5.0 + i % 3 * 0.1 : -0.1 * (1 + (7 * i + 5 * j) % 11);
  });
  using Matrix = typename PlainOperator<E, double>::Matrix;
  for (const int block : {2, 4, 8, 12}) {  // 12: more rows than are merged
    CAPTURE(block);
    const auto diagonal = diagonal_of(exec, a);
    const mg::StrongNodes<E, Matrix> sorted(exec, a.matrix(), diagonal.data(), block, 0.05, false);
    const mg::StrongNodes<E, Matrix> other(exec, a.matrix(), diagonal.data(), block, 0.05, true);
    const auto one = sorted.graph(), two = other.graph();
    REQUIRE(one.nodes == two.nodes);
    REQUIRE(one.entries == two.entries);
    CHECK(one.entries > one.nodes);
    const auto array = [](const auto* data, std::int64_t count) {
      using Type = std::remove_pointer_t<decltype(data)>;
      return to_host(
          Kokkos::View<Type*, typename E::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
              data, static_cast<std::size_t>(count)));
    };
    int wrong = 0;
    const auto compare = [&](const auto& left, const auto& right) {
      for (std::size_t k = 0; k < left.extent(0); ++k) wrong += left(k) != right(k);
    };
    compare(array(one.row_ptr, one.nodes + 1), array(two.row_ptr, one.nodes + 1));
    compare(array(one.col_idx, one.entries), array(two.col_idx, one.entries));
    compare(array(one.strength, one.entries), array(two.strength, one.entries));
    CHECK(wrong == 0);
  }
}
TEST_CASE_TEMPLATE_APPLY(merged, Every<std::tuple<double>, UsualIndices, AllBackends>);

}  // namespace heddle::test
