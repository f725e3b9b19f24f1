// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>

#include "../../../backends/algorithms/transpose.hpp"
#include "../spmv/make_plan.hpp"
#include "host_products.hpp"

namespace heddle::bench {

/// The whole inspection of a plan with one scheme.
template <Scalar S, Offset Off>
class PlanConversion : public ConvertContestant<S> {
 public:
  PlanConversion(const Exec& exec, const ConvertProblem<S, Off>& problem,
                 const SpmvOptions& options)
      : problem_(problem), options_(options) {
    run(exec);
  }

  void run(const Exec& exec) override {
    plan_.reset();
    plan_ = make_plan<S, Off>(exec, problem_, options_);
  }
  void product(const Exec& exec) override {
    plan_->apply(exec, S(1), S(0));
    exec.fence("heddle::bench::product");
  }
  std::size_t bytes() const override { return plan_->bytes(); }
  std::string scheme() const override { return plan_->scheme(); }

 private:
  ConvertProblem<S, Off> problem_;
  SpmvOptions options_;
  std::unique_ptr<SpmvContestant<S>> plan_;
};

/// The stored transpose that a plan keeps for ops that its scheme lacks.
template <Scalar S, Offset Off>
class TransposeConversion : public ConvertContestant<S> {
 public:
  TransposeConversion(const Exec& exec, const ConvertProblem<S, Off>& problem) : problem_(problem) {
    run(exec);
  }

  void run(const Exec& exec) override {
    made_.reset();
    made_.emplace(exec, problem_.A);
  }
  void product(const Exec& exec) override {
    const auto T = made_->matrix();
    product_by_transpose(exec, problem_, T.row_ptr(), T.col_idx(), T.values());
  }
  std::size_t bytes() const override { return made_->bytes(); }

 private:
  ConvertProblem<S, Off> problem_;
  std::optional<heddle::detail::Transposed<Exec, S, Index, Off>> made_;
};

}  // namespace heddle::bench
