// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../matrices/galerkin.hpp"
#include "problem.hpp"

namespace heddle::bench {

/// A MultiplyPlan, or a GalerkinPlan of three matrices.
template <Scalar S, Offset Off>
class PlannedMultiply : public MultiplyContestant<S, Off> {
 public:
  using Problem = MultiplyProblem<S, Off>;
  using Matrix = typename Problem::Matrix;

  PlannedMultiply(const Exec& exec, const Problem& problem) : problem_(problem) {
    if (problem.R) {
      triple_ = GalerkinPlan<Exec, Matrix>(exec, *problem.R, problem.A, problem.B);
    } else {
      product_ = MultiplyPlan<Exec, Matrix>(exec, problem.A, problem.B);
    }
  }

  void run(const Exec& exec) override {
    if (problem_.R) {
      triple_.numeric(exec, *problem_.R, problem_.A, problem_.B);
    } else {
      product_.numeric(exec, problem_.A, problem_.B);
    }
  }
  HostStorage<S, Off> result(const Exec& exec) override {
    const auto& made = problem_.R ? triple_.storage() : product_.storage();
    const auto host = made.template copy_to<Kokkos::HostSpace>(exec);
    exec.fence("heddle::bench::multiplied");
    return host;
  }
  std::size_t bytes() const override { return problem_.R ? triple_.bytes() : product_.bytes(); }

 private:
  Problem problem_;
  MultiplyPlan<Exec, Matrix> product_;
  GalerkinPlan<Exec, Matrix> triple_;
};

}  // namespace heddle::bench
