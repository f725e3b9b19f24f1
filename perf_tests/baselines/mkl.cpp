// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's inspector-executor interface, as created and after mkl_sparse_optimize.
#include "../bench/spmv/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SpmvProblem<S, Off>;
using M = mkl::Type<S>;

class MklProduct : public SpmvContestant<S> {
 public:
  MklProduct(const Problem& problem, bool optimize) : problem_(problem), matrix_(problem.A) {
    if (!optimize) return;
    if (problem.columns == 1) {
      mkl::check(mkl_sparse_set_mv_hint(matrix_.handle(), mkl::plain, mkl::general(),
                                        mkl::expected_applies),
                 "mkl_sparse_set_mv_hint");
    } else {
      mkl::check(mkl_sparse_set_mm_hint(matrix_.handle(), mkl::plain, mkl::general(), layout(),
                                        problem.columns, mkl::expected_applies),
                 "mkl_sparse_set_mm_hint");
    }
    matrix_.optimize();
  }

  void apply(const Exec&, S alpha, S beta) override {
    const M a = mkl::value(alpha), b = mkl::value(beta);
    mkl::check(problem_.columns == 1 ? apply_vector(a, b) : apply_columns(a, b), "mkl_sparse_mv");
  }
  bool allocates_through_kokkos() const override { return false; }

 private:
  sparse_layout_t layout() const { return mkl::layout(problem_.row_major); }

  sparse_status_t apply_vector(M alpha, M beta) {
    constexpr auto product =
        mkl::of_type<M>(mkl_sparse_s_mv, mkl_sparse_d_mv, mkl_sparse_c_mv, mkl_sparse_z_mv);
    return product(mkl::plain, alpha, matrix_.handle(), mkl::general(), mkl::array(problem_.x),
                   beta, mkl::array(problem_.y));
  }

  sparse_status_t apply_columns(M alpha, M beta) {
    constexpr auto product =
        mkl::of_type<M>(mkl_sparse_s_mm, mkl_sparse_d_mm, mkl_sparse_c_mm, mkl_sparse_z_mm);
    const MKL_INT k = problem_.columns;
    const MKL_INT ldx = problem_.row_major ? k : problem_.A.columns();
    const MKL_INT ldy = problem_.row_major ? k : problem_.A.rows();
    return product(mkl::plain, alpha, matrix_.handle(), mkl::general(), layout(),
                   mkl::array(problem_.x), k, ldx, beta, mkl::array(problem_.y), ldy);
  }

  Problem problem_;
  mkl::Matrix<S, Off> matrix_;
};

[[maybe_unused]] const bool as_created =
    add_contestant<MklProduct, Problem>("mkl-plain", "Intel MKL, CSR as created", false);
[[maybe_unused]] const bool optimized = add_contestant<MklProduct, Problem>(
    "mkl-optimized", "Intel MKL, after mkl_sparse_optimize", true);

}  // namespace

}  // namespace heddle::bench
