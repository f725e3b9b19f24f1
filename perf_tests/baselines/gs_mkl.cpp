// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's symmetric sweep, as created and after mkl_sparse_optimize.
#include "../bench/gs/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = GsProblem<S, Off>;
using M = mkl::Type<S>;

class MklSweeps : public GsContestant<S> {
 public:
  MklSweeps(const Problem& problem, bool optimize) : problem_(problem), matrix_(problem.A) {
    const bool symmetric = problem.options.sweep == SweepDirection::symmetric;
    if (!symmetric || problem.options.omega != 1 || problem.columns > 1) {
      throw Error("MKL has symmetric sweeps of one vector without relaxation",
                  "leave this baseline out for this problem");
    }
    if (!problem.symmetric) {  // MKL uses the lower triangle as the upper one's transpose
      throw Error("MKL sweeps over symmetric matrices only",
                  "leave this baseline out for this problem");
    }
    if (!optimize) return;
    mkl::check(mkl_sparse_set_symgs_hint(matrix_.handle(), SPARSE_OPERATION_NON_TRANSPOSE, whole,
                                         mkl::expected_applies),
               "mkl_sparse_set_symgs_hint");
    matrix_.optimize();
  }

  void run(const Exec& exec) override {
    exec.fence("heddle::bench::mkl");
    constexpr auto symgs = mkl::of_type<M>(mkl_sparse_s_symgs, mkl_sparse_d_symgs,
                                           mkl_sparse_c_symgs, mkl_sparse_z_symgs);
    // MKL first multiplies x by alpha.
    const bool zero = problem_.from_zero;
    if (zero) Kokkos::deep_copy(exec, problem_.x, S(0));
    for (int sweep = 0; sweep < problem_.sweeps; ++sweep) {
      mkl::check(symgs(SPARSE_OPERATION_NON_TRANSPOSE, matrix_.handle(), whole,
                       mkl::value(S(zero ? 0 : 1)), mkl::array(problem_.b), mkl::array(problem_.x)),
                 "mkl_sparse_symgs");
    }
  }

 private:
  inline static const matrix_descr whole =
      mkl::described(SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT);

  Problem problem_;
  mkl::Matrix<S, Off> matrix_;
};

[[maybe_unused]] const bool as_created =
    add_contestant<MklSweeps, Problem>("mkl-plain", "Intel MKL, CSR as created", false);
[[maybe_unused]] const bool optimized = add_contestant<MklSweeps, Problem>(
    "mkl-optimized", "Intel MKL, after mkl_sparse_optimize", true);

}  // namespace

}  // namespace heddle::bench
