// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's csrilu02 and csric02, and an apply of their factors by two SpSV.
#include "../bench/ilu/check.hpp"
#include "cusparse_factors.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = IluProblem<S, Off>;

template <class T>
Kokkos::View<T*, Kokkos::HostSpace> view_of(const std::vector<T>& from) {
  Kokkos::View<T*, Kokkos::HostSpace> to("heddle::bench::factors", from.size());
  std::copy(from.begin(), from.end(), to.data());
  return to;
}

/// The factors on the host; for Cholesky only rows of L, since above it there are values of A.
auto on_host(const Exec& exec, const Problem& problem, const cusparse::Factors<S>& factors) {
  const auto& A = problem.host;
  const auto values = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), factors.values());
  exec.fence("heddle::bench::factors");
  const auto rows = static_cast<std::size_t>(A.rows());
  std::vector<Off> row_ptr(1, 0);
  std::vector<Index> col_idx;
  std::vector<S> kept;
  for (std::size_t i = 0; i < rows; ++i) {
    for (Off k = A.row_ptr()(i); k < A.row_ptr()(i + 1); ++k) {
      const auto at = static_cast<std::size_t>(k);
      const Index column = A.col_idx()(at);
      if (problem.cholesky && static_cast<std::size_t>(column) > i) continue;
      col_idx.push_back(column);
      kept.push_back(values(at));
    }
    row_ptr.push_back(static_cast<Off>(col_idx.size()));
  }
  return HostFactors{view_of(row_ptr), view_of(col_idx), view_of(kept), problem.cholesky};
}

class CusparseFactors : public IluContestant<S> {
 public:
  CusparseFactors(const Exec& exec, const Problem& problem, Timed timed)
      : problem_(without_fill(problem, true)),
        timed_(timed),
        factors_(exec, problem.A, problem.cholesky) {}

  void run(const Exec&) override {
    if (timed_ == Timed::factor) return factors_.eliminate();
    factors_.solve(problem_.b, problem_.x);
  }
  std::optional<double> error_over_bound(const Exec& exec) override {
    return timed_error(problem_, timed_, on_host(exec, problem_, factors_), problem_.host_x(exec));
  }
  std::size_t bytes() const override { return factors_.bytes(); }
  std::string note() const override { return problem_.cholesky ? "csric02" : "csrilu02"; }

 private:
  Problem problem_;
  Timed timed_;
  cusparse::Factors<S> factors_;
};

[[maybe_unused]] const bool factor = add_contestant<CusparseFactors, Problem>(
    "cusparse", "cuSPARSE, csrilu02 or csric02", Timed::factor);
[[maybe_unused]] const bool apply =
    add_contestant<CusparseFactors, Problem>("cusparse-apply", "cuSPARSE, two SpSV", Timed::apply);

}  // namespace

}  // namespace heddle::bench
