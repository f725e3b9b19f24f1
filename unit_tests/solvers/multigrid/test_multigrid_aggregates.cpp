// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Aggregates are the same on every device and number of threads: held against numbers written down.
#include "../../../solvers/multigrid/strength.hpp"
#include "../../support/krylov.hpp"

namespace heddle::test {

namespace {

struct Found {
  int count = 0;
  int alone = 0;
  std::uint64_t hash = 0;
};

/// Rows of a grid on a torus, some without neighbours.
template <class E>
Found aggregates(int side) {
  const E exec;
  using S = double;
  using Matrix = typename PlainOperator<E, S>::Matrix;
  const auto a = grid_operator<E, S>(side, [](int i, int j) {
    if (i == j) return 4.0;
    return i % 23 == 0 || j % 23 == 0 ? -1e-4 : -1.0 - (i + j) % 3 * 0.1;
  });
  const heddle::detail::multigrid::StrongNodes<E, Matrix> nodes(exec, a.matrix(), 1, 0.02);
  const heddle::detail::multigrid::Aggregates<E, int> aggregates(exec, nodes.graph());
  Found found{aggregates.count(), 0, 0};
  const auto of = to_host(
      Kokkos::View<const int*, typename E::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          aggregates.of(), static_cast<std::size_t>(a.n)));
  std::vector<int> members(static_cast<std::size_t>(found.count));
  for (std::size_t i = 0; i < static_cast<std::size_t>(a.n); ++i) {
    CHECK((of(i) < 0) == (i % 23 == 0));
    found.alone += of(i) < 0;
    if (of(i) >= 0) ++members[static_cast<std::size_t>(of(i))];
    found.hash =
        heddle::detail::multigrid::hash_of(found.hash + static_cast<std::uint64_t>(of(i) + 1));
  }
  for (const int count : members) CHECK(count > 0);
  return found;
}

}  // namespace

TEST_CASE_TEMPLATE_DEFINE("aggregates are the same everywhere", T, same) {
  const Found found = aggregates<typename T::Exec>(40);
  CHECK(found.count == 277);
  CHECK(found.alone == 70);
  CHECK(found.hash == 12972897827579829585u);
}
TEST_CASE_TEMPLATE_APPLY(same, Every<std::tuple<double>, UsualIndices, AllBackends>);

}  // namespace heddle::test
