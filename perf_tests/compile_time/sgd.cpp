// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An epoch of matrix factorization.
#include <heddle/sgd.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Ratings = heddle::Ratings<float, int, Exec::memory_space>;
using Factor = Kokkos::View<float**, Kokkos::LayoutRight, Exec::memory_space>;

void one_epoch(const Exec& exec, const Ratings& ratings, const Factor& P, const Factor& Q) {
  heddle::SgdPlan plan(exec, ratings, {.rank = 32});
  plan.epoch(exec, P, Q, 0.02, 0.05);
}
