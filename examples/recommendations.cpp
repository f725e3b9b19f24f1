// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recommendations from a file of lines `user item rating`: factors of the ratings by stochastic
// gradient descent, and for a user the items with the highest predicted ratings among those not
// rated yet.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <heddle/sgd.hpp>
#include <numeric>
#include <set>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Factor = Kokkos::View<float**, Kokkos::LayoutRight>;

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  if (argc < 2) {
    std::printf("usage: %s RATINGS [USER]\n", argv[0]);
    return 2;
  }
  const int user = argc > 2 ? std::atoi(argv[2]) : 1;
  try {
    const Exec exec;
    const auto read = heddle::read_ratings<float>(argv[1]);
    const auto ratings = heddle::copied_ratings<Exec::memory_space>(read);
    if (user < 0 || user >= ratings.rows) {
      std::printf("there is no user %d\n", user);
      return 2;
    }
    constexpr int rank = 16;
    heddle::SgdPlan plan(exec, ratings, {.rank = rank});
    const Factor P("P", static_cast<std::size_t>(ratings.rows), rank);
    const Factor Q("Q", static_cast<std::size_t>(ratings.columns), rank);
    plan.start(exec, P, Q);
    const double before = plan.rmse(exec, P, Q);
    for (int epoch = 0; epoch < 40; ++epoch) plan.epoch(exec, P, Q, 0.02, 0.02);
    const double after = plan.rmse(exec, P, Q);
    std::printf("%lld ratings, %lld users, %lld items: RMSE %.3f, after 40 epochs %.3f\n",
                static_cast<long long>(plan.ratings()), static_cast<long long>(ratings.rows),
                static_cast<long long>(ratings.columns), before, after);

    std::set<int> known;
    std::vector<bool> rated_by_anybody(static_cast<std::size_t>(ratings.columns));
    for (std::int64_t k = 0; k < read.count(); ++k) {
      if (read.row(k) == user) known.insert(read.column(k));
      rated_by_anybody[static_cast<std::size_t>(read.column(k))] = true;
    }
    const auto p = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), P);
    const auto q = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), Q);
    std::vector<std::pair<double, int>> predicted;
    for (int item = 0; item < ratings.columns; ++item) {
      if (known.count(item) > 0 || !rated_by_anybody[static_cast<std::size_t>(item)]) continue;
      double rating = 0;
      for (int i = 0; i < rank; ++i) rating += p(user, i) * q(item, i);
      predicted.emplace_back(-rating, item);
    }
    std::sort(predicted.begin(), predicted.end());
    std::printf("for user %d:\n", user);
    for (std::size_t i = 0; i < std::min<std::size_t>(5, predicted.size()); ++i) {
      std::printf("  item %d, predicted %.2f\n", predicted[i].second, -predicted[i].first);
    }
    return after < before ? 0 : 1;
  } catch (const heddle::Error& error) {
    std::printf("%s\n", error.what());
    return 2;
  }
}
