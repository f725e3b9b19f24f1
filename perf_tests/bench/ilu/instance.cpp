// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

template <class Plan, Scalar T, Offset O>
class PlannedFactors : public AnyOperator<T> {
 public:
  using typename AnyOperator<T>::Const;
  using typename AnyOperator<T>::Vector;
  using Matrix = CsrMatrix<T, Index, O, Space>;

  PlannedFactors(const Exec& exec, const Matrix& A, const IluOptions& options)
      : AnyOperator<T>(A.rows()), A_(A), plan_(exec, A, options) {}

  void apply(const Exec& exec, const Const& b, const Vector& x) override {
    plan_.apply(exec, b, x);
  }
  void update_values(const Exec& exec) override { plan_.update_values(exec, A_); }
  bool symmetric() const override { return plan_.symmetric(); }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override {
    return plan_.scheme().to_string() + " " + solve_scheme_of(plan_);
  }

 private:
  Matrix A_;
  Plan plan_;
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
  const auto add = [](const char* name, const char* description, Timed timed) {
    add_baseline<Problem>({name, description, [timed](const Exec&, const Problem& problem) {
                             return std::make_unique<SequentialProgram<S, Off>>(problem, timed);
                           }});
  };
  add("program", "by rows with a row of markers on one thread of the host (Saad, SPARSKIT)",
      Timed::factor);
  add("program-apply", "two triangular solves on one thread of the host, row after row",
      Timed::apply);
  add("program-cg", "conjugate gradients with these, on one thread of the host; with --solve",
      Timed::solve);
  return enter_instance<IluRun<S, Off>, IluRequest, Problem>(HEDDLE_BENCH_SCALAR_NAME, sizeof(Off),
                                                             ilu_scheme_names);
}();

}  // namespace

}  // namespace heddle::bench
