// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/plans.hpp"
#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

[[maybe_unused]] const bool entered =
    enter_instance<SpmvRun<S, Off>>(HEDDLE_BENCH_SCALAR_NAME, heddle_scheme_names<>);

}  // namespace

template <Scalar T, Offset O>
std::unique_ptr<SpmvContestant<T>> make_plan(const Exec& exec, const SpmvProblem<T, O>& problem,
                                             const SpmvOptions& options) {
  return std::make_unique<HeddleContestant<T, O, AllFormats>>(exec, problem, options);
}

template std::unique_ptr<SpmvContestant<S>> make_plan(const Exec&, const SpmvProblem<S, Off>&,
                                                      const SpmvOptions&);

template <Scalar T, Offset O>
class PlannedProduct : public PlannedOperator<T, O, ProductPlan<T, O, AllFormats>, AnyProduct<T>> {
 public:
  using Base = PlannedOperator<T, O, ProductPlan<T, O, AllFormats>, AnyProduct<T>>;
  using Base::Base;
  using typename Base::Const;
  using typename Base::Vector;

  void apply_dot(const Exec& exec, const Const& x, const Vector& y,
                 const VectorWorkspace<Exec, T>& workspace,
                 const heddle::detail::krylov::SolverNumber<Exec, T>& result) override {
    this->plan().apply_dot(exec, x, y, workspace, result);
  }
  bool has_dot() const override { return this->plan().has_dot(); }
};

template <Scalar T, Offset O>
std::unique_ptr<AnyProduct<T>> make_product(const Exec& exec,
                                            const CsrMatrix<T, Index, O, Space>& A,
                                            const SpmvOptions& options) {
  return std::make_unique<PlannedProduct<T, O>>(exec, A, options);
}

template std::unique_ptr<AnyProduct<S>> make_product(const Exec&,
                                                     const CsrMatrix<S, Index, Off, Space>&,
                                                     const SpmvOptions&);

}  // namespace heddle::bench
