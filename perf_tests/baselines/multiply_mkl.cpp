// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's mkl_sparse_sp2m, in stages.
#include "../bench/multiply/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultiplyProblem<S, Off>;
using Matrix = Problem::Matrix;
using M = mkl::Type<S>;

class MklProduct {
 public:
  MklProduct(const Exec&, const Matrix& A, const Matrix& B)
      : rows_(A.rows()), columns_(B.columns()), a_(A), b_(B) {
    stage(SPARSE_STAGE_FULL_MULT_NO_VAL);
  }
  MklProduct(const MklProduct&) = delete;
  ~MklProduct() {
    if (made_) mkl_sparse_destroy(made_);
  }

  void numeric(const Exec&) { finish(); }
  /// The product with its values even before numeric(): MKL needs them to inspect a second one.
  Matrix matrix() {
    if (!finished_) finish();
    constexpr auto export_csr = mkl::of_type<M>(mkl_sparse_s_export_csr, mkl_sparse_d_export_csr,
                                                mkl_sparse_c_export_csr, mkl_sparse_z_export_csr);
    sparse_index_base_t base{};
    MKL_INT rows = 0, columns = 0, *begin = nullptr, *end = nullptr, *col_idx = nullptr;
    M* values = nullptr;
    mkl::check(export_csr(made_, &base, &rows, &columns, &begin, &end, &col_idx, &values),
               "mkl_sparse_export_csr");
    return Matrix(rows_, columns_, rows > 0 ? begin[rows] : 0, reinterpret_cast<const Off*>(begin),
                  col_idx, reinterpret_cast<const S*>(values));
  }
  std::size_t bytes() const { return 0; }

 private:
  void finish() {
    stage(SPARSE_STAGE_FINALIZE_MULT);
    finished_ = true;
  }
  void stage(sparse_request_t request) {
    mkl::check(mkl_sparse_sp2m(mkl::plain, mkl::general(), a_.handle(), mkl::plain, mkl::general(),
                               b_.handle(), request, &made_),
               "mkl_sparse_sp2m");
  }

  Index rows_, columns_;
  mkl::Matrix<S, Off> a_, b_;
  sparse_matrix_t made_ = nullptr;
  bool finished_ = false;
};

[[maybe_unused]] const bool entered = add_contestant<ProductsInTurn<S, Off, MklProduct>, Problem>(
    "mkl", "Intel MKL's mkl_sparse_sp2m, in stages");

}  // namespace

}  // namespace heddle::bench
