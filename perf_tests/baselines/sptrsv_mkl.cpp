// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's triangular solves (trsv for one right-hand side, trsm for several), as created and
// after mkl_sparse_optimize.
#include "../bench/sptrsv/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SptrsvProblem<S, Off>;
using M = mkl::Type<S>;

sparse_operation_t operation(Op op) {
  if (op == Op::none) return SPARSE_OPERATION_NON_TRANSPOSE;
  if (op == Op::transpose) return SPARSE_OPERATION_TRANSPOSE;
  if (op == Op::conjugate_transpose) return SPARSE_OPERATION_CONJUGATE_TRANSPOSE;
  throw Error("MKL has no conjugate solve", "leave this baseline out for this problem");
}

class MklSolve : public SptrsvContestant<S> {
 public:
  MklSolve(const Problem& problem, bool optimize)
      : problem_(problem),
        op_(operation(problem.op)),
        matrix_(problem.A),
        note_(problem.columns == 1 ? "trsv" : "trsm") {
    if (!optimize) return;
    optimized_ = true;
    if (problem.columns == 1) {
      hint_vector();
    } else {
      hint_columns();
    }
    matrix_.optimize();
  }

  void solve(const Exec& exec, S alpha) override {
    exec.fence("heddle::bench::mkl");
    if (problem_.columns == 1) {
      mkl::check(solve_vector(mkl::value(alpha)), "mkl_sparse_trsv");
    } else {
      mkl::check(solve_columns(mkl::value(alpha)), "mkl_sparse_trsm");
    }
  }
  /// MKL pads rows with zeros, which it multiplies by entries of x that it has not written yet.
  bool needs_finite_x() const override { return optimized_; }
  std::string note() const override { return note_; }

 private:
  void hint_vector() {
    mkl::check(mkl_sparse_set_sv_hint(matrix_.handle(), op_, triangle(), mkl::expected_applies),
               "mkl_sparse_set_sv_hint");
  }

  /// Hints several vectors, or one if this MKL (such as 2020) rejects the hint of several.
  void hint_columns() {
    const sparse_status_t status =
        mkl_sparse_set_sm_hint(matrix_.handle(), op_, triangle(), mkl::layout(problem_.row_major),
                               problem_.columns, mkl::expected_applies);
    if (status != SPARSE_STATUS_NOT_SUPPORTED) return mkl::check(status, "mkl_sparse_set_sm_hint");
    hint_vector();
    note_ += ", hinted for trsv";
  }

  matrix_descr triangle() const {
    const bool lower = problem_.triangle == Triangle::lower;
    return mkl::described(
        SPARSE_MATRIX_TYPE_TRIANGULAR, lower ? SPARSE_FILL_MODE_LOWER : SPARSE_FILL_MODE_UPPER,
        problem_.diagonal == Diagonal::unit ? SPARSE_DIAG_UNIT : SPARSE_DIAG_NON_UNIT);
  }

  sparse_status_t solve_vector(M alpha) {
    constexpr auto trsv =
        mkl::of_type<M>(mkl_sparse_s_trsv, mkl_sparse_d_trsv, mkl_sparse_c_trsv, mkl_sparse_z_trsv);
    return trsv(op_, alpha, matrix_.handle(), triangle(), mkl::array(problem_.b),
                mkl::array(problem_.x));
  }

  sparse_status_t solve_columns(M alpha) {
    constexpr auto trsm =
        mkl::of_type<M>(mkl_sparse_s_trsm, mkl_sparse_d_trsm, mkl_sparse_c_trsm, mkl_sparse_z_trsm);
    const MKL_INT k = problem_.columns;
    const MKL_INT stride = problem_.row_major ? k : std::max<MKL_INT>(problem_.A.rows(), 1);
    return trsm(op_, alpha, matrix_.handle(), triangle(), mkl::layout(problem_.row_major),
                mkl::array(problem_.b), k, stride, mkl::array(problem_.x), stride);
  }

  Problem problem_;
  sparse_operation_t op_;
  mkl::Matrix<S, Off> matrix_;
  bool optimized_ = false;
  std::string note_;
};

[[maybe_unused]] const bool as_created =
    add_contestant<MklSolve, Problem>("mkl-plain", "Intel MKL, CSR as created", false);
[[maybe_unused]] const bool optimized = add_contestant<MklSolve, Problem>(
    "mkl-optimized", "Intel MKL, after mkl_sparse_optimize", true);

}  // namespace

}  // namespace heddle::bench
