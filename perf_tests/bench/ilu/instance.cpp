// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

template <class Plan, Scalar T, Offset O>
class PlannedFactors : public PlannedOperator<T, O, Plan> {
 public:
  using PlannedOperator<T, O, Plan>::PlannedOperator;

  std::string scheme() const override {
    return this->plan().scheme().to_string() + " " + solve_scheme_of(this->plan());
  }
};

template <Scalar T, Offset O>
std::unique_ptr<AnyOperator<T>> make_preconditioner(const Exec& exec,
                                                    const CsrMatrix<T, Index, O, Space>& A,
                                                    const IluOptions& options, FactorKind kind) {
  return with_plan_of<T, O>(
      kind, options,
      [&]<class Plan>(const Plan*, const IluOptions& of_plan) -> std::unique_ptr<AnyOperator<T>> {
        return std::make_unique<PlannedFactors<Plan, T, O>>(exec, A, of_plan);
      });
}

template std::unique_ptr<AnyOperator<HEDDLE_BENCH_SCALAR>> make_preconditioner(
    const Exec&, const CsrMatrix<HEDDLE_BENCH_SCALAR, Index, HEDDLE_BENCH_OFFSET, Space>&,
    const IluOptions&, FactorKind);

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = IluProblem<S, Off>;

[[maybe_unused]] const bool entered = [] {
  using Program = SequentialProgram<S, Off>;
  add_contestant<Program, Problem>(
      "program", "by rows with a row of markers on one thread of the host (Saad, SPARSKIT)",
      Timed::factor);
  add_contestant<Program, Problem>("program-apply",
                                   "two triangular solves on one thread of the host, row after row",
                                   Timed::apply);
  add_contestant<Program, Problem>(
      "program-cg", "conjugate gradients with these, on one thread of the host; with --solve",
      Timed::solve);
  return enter_instance<IluRun<S, Off>, IluRequest, Problem>(HEDDLE_BENCH_SCALAR_NAME, sizeof(Off),
                                                             ilu_scheme_names);
}();

}  // namespace

}  // namespace heddle::bench
