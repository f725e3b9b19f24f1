// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plain sequential program, on one thread of the host.
#pragma once

#include "../common/krylov_loops.hpp"
#include "../common/sequential_kernels.hpp"
#include "sequential_factors.hpp"

namespace heddle::bench {

/// Makes incomplete factors, applies them, or solves with them.
template <Scalar S, Offset Off>
class SequentialProgram : public IluContestant<S> {
 public:
  SequentialProgram(const IluProblem<S, Off>& problem, Timed timed)
      : problem_(problem),
        factors_(problem.host, problem.options, problem.cholesky),
        kernels_(problem.host),
        loops_(kernels_,
               [this](const Vector& r, const Vector& z) {
                 factors_.solve(as_column(r), as_column(z));
               },
               {solve_tolerance, most_iterations}),
        timed_(timed) {
    if (timed == Timed::solve && !problem.solves) {
      throw Error("nothing is solved", "add --solve");
    }
    x_ = test::HostColumns<S>("heddle::bench::x", problem.host_b.extent(0),
                              problem.host_b.extent(1));
  }

  void run(const Exec&) override {
    switch (timed_) {
      case Timed::factor: return factors_.factor();
      case Timed::apply: return factors_.solve(problem_.host_b, x_);
      case Timed::solve:
        iterations_ = loops_.cg(column(problem_.host_b), column(x_)).iterations;
        return;
    }
  }
  std::optional<double> error_over_bound(const Exec&) override {
    return timed_error(problem_, timed_, factors_.on_host(), x_);
  }
  std::size_t bytes() const override { return factors_.bytes(); }
  std::string note() const override {
    return timed_ == Timed::solve ? std::to_string(iterations_) + " iterations" : "";
  }

 private:
  using Vector = typename SequentialKernels<S, Off>::Vector;

  static Vector column(const test::HostColumns<S>& columns) {
    return Kokkos::subview(columns, Kokkos::ALL, 0);
  }

  IluProblem<S, Off> problem_;
  SequentialFactors<S, Off> factors_;
  SequentialKernels<S, Off> kernels_;
  KrylovLoops<SequentialKernels<S, Off>> loops_;
  Timed timed_;
  int iterations_ = 0;
  test::HostColumns<S> x_;
};

}  // namespace heddle::bench
