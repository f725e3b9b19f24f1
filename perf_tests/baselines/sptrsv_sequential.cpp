// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain sequential loop over rows, on one thread.
#include "../bench/common/sequential.hpp"
#include "../bench/sptrsv/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SptrsvProblem<S, Off>;

class Sequential : public SptrsvContestant<S> {
 public:
  explicit Sequential(const Problem& problem) : problem_(problem) {}

  void solve(const Exec& exec, S alpha) override {
    exec.fence("heddle::bench::sequential");
    if (problem_.row_major) {
      solve_columns<Kokkos::LayoutRight>(alpha);
    } else {
      solve_columns<Kokkos::LayoutLeft>(alpha);
    }
  }

 private:
  template <class Layout>
  void solve_columns(S alpha) {
    substitute(problem_.A, problem_.triangle, problem_.diagonal, problem_.op, alpha,
               problem_.as_columns<Layout>(problem_.b), problem_.as_columns<Layout>(problem_.x));
  }

  Problem problem_;
};

[[maybe_unused]] const bool entered =
    add_contestant<Sequential, Problem>("sequential", "a loop over the rows of CSR, on one thread");

}  // namespace

}  // namespace heddle::bench
