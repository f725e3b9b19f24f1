// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "make_plan.hpp"
#include "run.hpp"

namespace heddle::bench {

template <Scalar T, Offset O>
std::unique_ptr<SpmvContestant<T>> make_plan(const Exec& exec, const SpmvProblem<T, O>& problem,
                                             const SpmvOptions& options) {
  return std::make_unique<HeddleContestant<T, O, AllFormats>>(exec, problem, options);
}

template std::unique_ptr<SpmvContestant<HEDDLE_BENCH_SCALAR>> make_plan(
    const Exec&, const SpmvProblem<HEDDLE_BENCH_SCALAR, HEDDLE_BENCH_OFFSET>&, const SpmvOptions&);

template <Scalar T, Offset O>
class PlannedProduct : public AnyProduct<T> {
 public:
  using typename AnyOperator<T>::Const;
  using typename AnyOperator<T>::Vector;
  using Matrix = CsrMatrix<T, Index, O, Space>;

  PlannedProduct(const Exec& exec, const Matrix& A, const SpmvOptions& options)
      : AnyProduct<T>(A.rows()), A_(A), plan_(exec, A, options) {}

  void apply(const Exec& exec, const Const& x, const Vector& y) override {
    plan_.apply(exec, x, y);
  }
  void apply_dot(const Exec& exec, const Const& x, const Vector& y,
                 const VectorWorkspace<Exec, T>& workspace,
                 const heddle::detail::krylov::SolverNumber<Exec, T>& result) override {
    plan_.apply_dot(exec, x, y, workspace, result);
  }
  bool has_dot() const override { return plan_.has_dot(); }
  void update_values(const Exec& exec) override { plan_.update_values(exec, A_); }
  std::size_t bytes() const override { return plan_.bytes(); }
  std::string scheme() const override { return plan_.scheme().to_string(); }

 private:
  Matrix A_;
  SpmvPlan<Exec, Matrix, T, T, AllFormats> plan_;
};

template <Scalar T, Offset O>
std::unique_ptr<AnyProduct<T>> make_product(const Exec& exec,
                                            const CsrMatrix<T, Index, O, Space>& A,
                                            const SpmvOptions& options) {
  return std::make_unique<PlannedProduct<T, O>>(exec, A, options);
}

template std::unique_ptr<AnyProduct<HEDDLE_BENCH_SCALAR>> make_product(
    const Exec&, const CsrMatrix<HEDDLE_BENCH_SCALAR, Index, HEDDLE_BENCH_OFFSET, Space>&,
    const SpmvOptions&);

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

[[maybe_unused]] const bool entered =
    enter_instance<SpmvRun<S, Off>, SpmvRequest, SpmvProblem<S, Off>>(
        HEDDLE_BENCH_SCALAR_NAME, sizeof(Off), heddle_scheme_names<>);

}  // namespace

}  // namespace heddle::bench
