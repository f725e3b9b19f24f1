// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// csrilu02 and csric02 of cuSPARSE, and an apply of their factors by two SpSV.
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

/// Of L its rows up to the diagonal: the library leaves what A has above.
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
      : problem_(checked(problem)), timed_(timed), factors_(exec, problem.A, problem.cholesky) {}

  void run(const Exec&) override {
    if (timed_ == Timed::factor) return factors_.eliminate();
    factors_.solve(problem_.b, problem_.x);
  }
  std::optional<double> error_over_bound(const Exec& exec) override {
    constexpr Rounding by = rounding<RealOf<S>>;
    const auto made = on_host(exec, problem_, factors_);
    if (timed_ == Timed::factor) return factor_error(problem_.host, made, by);
    const test::HostColumns<S> x("heddle::bench::x", problem_.host_b.extent(0), 1);
    problem_.copy_out(exec, x, problem_.x);
    return apply_error(made, problem_.host_b, x, by);
  }
  std::size_t bytes() const override { return factors_.bytes(); }
  std::string note() const override { return problem_.cholesky ? "csric02" : "csrilu02"; }

 private:
  static const Problem& checked(const Problem& problem) {
    if (problem.columns > 1) throw Error("several columns are not compared", "use --columns 1");
    const IluOptions& options = problem.options;
    if (options.fill_level > 0 || options.subdomains > 1) {
      throw Error("cuSPARSE has ILU(0) and IC(0) of the whole matrix",
                  "leave level and subdomains");
    }
    return problem;
  }
  Problem problem_;
  Timed timed_;
  cusparse::Factors<S> factors_;
};

bool enter(const char* name, const char* description, Timed timed) {
  return add_baseline<Problem>(
      {name, description, [timed](const Exec& exec, const Problem& problem) {
         return std::make_unique<CusparseFactors>(exec, problem, timed);
       }});
}

[[maybe_unused]] const bool factor =
    enter("cusparse", "cuSPARSE, csrilu02 or csric02", Timed::factor);
[[maybe_unused]] const bool apply = enter("cusparse-apply", "cuSPARSE, two SpSV", Timed::apply);

}  // namespace

}  // namespace heddle::bench
