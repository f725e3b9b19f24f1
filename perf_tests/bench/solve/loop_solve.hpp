// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "problem.hpp"

namespace heddle::bench {

/// A loop of krylov_loops.hpp over the kernels of a library, with one of its preconditioners.
/// Kernels(exec, problem, with) also has precondition(r, z), updates(), update_values() and
/// bytes().
template <Scalar S, Offset Off, class Kernels>
class LoopSolve : public SolveContestant<S> {
 public:
  template <class With>
  LoopSolve(const Exec& exec, const SolveProblem<S, Off>& problem, With with)
      : problem_(problem),
        kernels_(exec, problem, with),
        loops_(
            kernels_, [this](const auto& r, const auto& z) { kernels_.precondition(r, z); },
            problem.request.limits) {}

  std::size_t bytes() const override { return kernels_.bytes(); }
  bool updates() const override { return kernels_.updates(); }
  void update_values(const Exec& exec) override {
    exec.fence("heddle::bench::loop");
    kernels_.update_values();
  }

 private:
  Solved solve(const Exec& exec) override {
    exec.fence("heddle::bench::loop");
    switch (problem_.request.method()) {
      case Method::cg: return loops_.cg(problem_.b, problem_.x);
      case Method::minres: return loops_.minres(problem_.b, problem_.x);
      case Method::bicgstab: return loops_.bicgstab(problem_.b, problem_.x);
      case Method::gmres: break;
    }
    return loops_.gmres(problem_.b, problem_.x, problem_.request.restart);
  }

  SolveProblem<S, Off> problem_;
  Kernels kernels_;
  KrylovLoops<Kernels> loops_;
};

}  // namespace heddle::bench
