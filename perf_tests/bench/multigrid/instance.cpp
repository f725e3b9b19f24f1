// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include <heddle/multigrid.hpp>

#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

template <Scalar T, Offset O>
using Multigrid = MultigridPlan<Exec, CsrMatrix<T, Index, O, Space>>;

template <Scalar T, Offset O>
class PlannedMultigrid : public PlannedOperator<T, O, Multigrid<T, O>, AnyMultigrid<T>> {
 public:
  using Base = PlannedOperator<T, O, Multigrid<T, O>, AnyMultigrid<T>>;
  using Base::Base;
  using typename Base::Const;
  using typename Base::Vector;

  void apply_from(const Exec& exec, int level, const Const& b, const Vector& x) override {
    this->plan().apply_from(exec, level, b, x);
  }
  MultigridHierarchy levels() const override { return this->plan().levels(); }
};

template <Scalar T, Offset O>
std::unique_ptr<AnyMultigrid<T>> make_multigrid(const Exec& exec,
                                                const CsrMatrix<T, Index, O, Space>& A,
                                                const Kokkos::View<double**, Space>& coordinates,
                                                const std::string& name, MultigridOptions options) {
  if (name == "l1-jacobi") options.smoother = MultigridSmoother::l1_jacobi;
  if (name == "gauss-seidel") options.smoother = MultigridSmoother::gauss_seidel;
  if (name == "float") options.values = MultigridValues::single_precision;
  using Planned = PlannedMultigrid<T, O>;
  if (coordinates.extent(0) == 0) return std::make_unique<Planned>(exec, A, options);
  options.block_size = static_cast<int>(coordinates.extent(1));
  return std::make_unique<Planned>(exec, A, rigid_body_motions<T>(exec, coordinates), options);
}

template std::unique_ptr<AnyMultigrid<HEDDLE_BENCH_SCALAR>> make_multigrid(
    const Exec&, const CsrMatrix<HEDDLE_BENCH_SCALAR, Index, HEDDLE_BENCH_OFFSET, Space>&,
    const Kokkos::View<double**, Space>&, const std::string&, MultigridOptions);

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

[[maybe_unused]] const bool entered =
    enter_instance<MultigridRun<S, Off>, MultigridRequest, MultigridProblem<S, Off>>(
        HEDDLE_BENCH_SCALAR_NAME, sizeof(Off));

}  // namespace

}  // namespace heddle::bench
