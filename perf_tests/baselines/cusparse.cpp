// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE: CSR with both algorithms, preprocessed, and sliced ELL by its generic interface; square
// blocks by its older interface, which CUDA 13 keeps and does not deprecate.
#include <Kokkos_Profiling_ScopedRegion.hpp>

#include "../bench/common/table.hpp"
#include "../bench/spmv/problem.hpp"
#include "cusparse_blocks.hpp"
#include "cusparse_library.hpp"
#include "sliced_ell.hpp"

namespace heddle::bench {

namespace {

using cusparse::check;
using cusparse::data_type;
using cusparse::index_type;
using cusparse::mutable_data;
using cusparse::native;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

class Cusparse : public SpmvContestant<S> {
 public:
  Cusparse(const Exec& exec, const SpmvProblem<S, Off>& problem)
      : handle_(cusparse::library(exec)) {
    const std::int64_t m = problem.A.rows(), n = problem.A.columns(), k = problem.columns;
    if (k == 1) {
      check(cusparseCreateDnVec(&x_, n, problem.x.data(), data_type<S>()), "cusparseCreateDnVec");
      check(cusparseCreateDnVec(&y_, m, problem.y.data(), data_type<S>()), "cusparseCreateDnVec");
    } else {
      const auto order = problem.row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
      const auto stride = [&](std::int64_t rows) {
        return problem.row_major ? k : std::max<std::int64_t>(rows, 1);
      };
      check(cusparseCreateDnMat(&x_columns_, n, k, stride(n), problem.x.data(), data_type<S>(),
                                order),
            "cusparseCreateDnMat");
      check(cusparseCreateDnMat(&y_columns_, m, k, stride(m), problem.y.data(), data_type<S>(),
                                order),
            "cusparseCreateDnMat");
    }
  }
  Cusparse(const Cusparse&) = delete;
  ~Cusparse() override {
    if (A_) cusparseDestroySpMat(A_);
    if (x_) cusparseDestroyDnVec(x_);
    if (y_) cusparseDestroyDnVec(y_);
    if (x_columns_) cusparseDestroyDnMat(x_columns_);
    if (y_columns_) cusparseDestroyDnMat(y_columns_);
  }

  void apply(const Exec&, S alpha, S beta) override {
    if (x_) {
      check(cusparseSpMV(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, A_, x_, &beta, y_,
                         data_type<S>(), spmv_, buffer_.data()),
            "cusparseSpMV");
    } else {
      check(cusparseSpMM(handle_, CUSPARSE_OPERATION_NON_TRANSPOSE,
                         CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, A_, x_columns_, &beta,
                         y_columns_, data_type<S>(), spmm_, buffer_.data()),
            "cusparseSpMM");
    }
  }
  std::size_t bytes() const override { return buffer_.size(); }

 protected:
  void prepare(const Exec& exec, cusparseSpMVAlg_t spmv, cusparseSpMMAlg_t spmm) {
    spmv_ = spmv;
    spmm_ = spmm;
    const S one(1), zero(0);
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    std::size_t size = 0;
    if (x_) {
      check(cusparseSpMV_bufferSize(handle_, plain, &one, A_, x_, &zero, y_, data_type<S>(), spmv,
                                    &size),
            "cusparseSpMV_bufferSize");
    } else {
      check(cusparseSpMM_bufferSize(handle_, plain, plain, &one, A_, x_columns_, &zero, y_columns_,
                                    data_type<S>(), spmm, &size),
            "cusparseSpMM_bufferSize");
    }
    buffer_ = decltype(buffer_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::cusparse_buffer"),
        std::max<std::size_t>(size, 1));
    if (x_) {
      check(cusparseSpMV_preprocess(handle_, plain, &one, A_, x_, &zero, y_, data_type<S>(), spmv,
                                    buffer_.data()),
            "cusparseSpMV_preprocess");
    } else {
      check(cusparseSpMM_preprocess(handle_, plain, plain, &one, A_, x_columns_, &zero, y_columns_,
                                    data_type<S>(), spmm, buffer_.data()),
            "cusparseSpMM_preprocess");
    }
  }

  cusparseHandle_t handle_;
  cusparseSpMatDescr_t A_ = nullptr;

 private:
  cusparseDnVecDescr_t x_ = nullptr, y_ = nullptr;
  cusparseDnMatDescr_t x_columns_ = nullptr, y_columns_ = nullptr;
  cusparseSpMVAlg_t spmv_ = CUSPARSE_SPMV_ALG_DEFAULT;
  cusparseSpMMAlg_t spmm_ = CUSPARSE_SPMM_ALG_DEFAULT;
  Kokkos::View<char*, Space> buffer_;
};

class CusparseCsr : public Cusparse {
 public:
  CusparseCsr(const Exec& exec, const SpmvProblem<S, Off>& problem, cusparseSpMVAlg_t spmv,
              cusparseSpMMAlg_t spmm)
      : Cusparse(exec, problem) {
    const auto& A = problem.A;
    check(cusparseCreateCsr(&A_, A.rows(), A.columns(), static_cast<std::int64_t>(A.nonzeros()),
                            mutable_data(A.row_ptr()), mutable_data(A.col_idx()),
                            mutable_data(A.values()), index_type<Off>(), index_type<Index>(),
                            CUSPARSE_INDEX_BASE_ZERO, data_type<S>()),
          "cusparseCreateCsr");
    prepare(exec, spmv, spmm);
  }
};

class CusparseSell : public Cusparse {
 public:
  CusparseSell(const Exec& exec, const SpmvProblem<S, Off>& problem)
      : Cusparse(exec, problem), ell_(exec, problem.A) {
    if (problem.columns > 1) {
      throw Error("cuSPARSE has no product of a sliced ELL matrix with several columns",
                  "use --columns 1");
    }
    check(cusparseCreateSlicedEll(&A_, problem.A.rows(), problem.A.columns(),
                                  static_cast<std::int64_t>(problem.A.nonzeros()),
                                  static_cast<std::int64_t>(ell_.values.extent(0)),
                                  SlicedEll<S, Off>::slice_rows, ell_.slice_ptr.data(),
                                  ell_.col_idx.data(), ell_.values.data(), index_type<Off>(),
                                  index_type<Index>(), CUSPARSE_INDEX_BASE_ZERO, data_type<S>()),
          "cusparseCreateSlicedEll");
    prepare(exec, CUSPARSE_SPMV_SELL_ALG1, CUSPARSE_SPMM_ALG_DEFAULT);
  }
  std::size_t bytes() const override { return Cusparse::bytes() + ell_.bytes(); }

 private:
  SlicedEll<S, Off> ell_;
};

class CusparseBsr : public SpmvContestant<S> {
 public:
  CusparseBsr(const Exec& exec, const SpmvProblem<S, Off>& problem, int size)
      : problem_(one_column(problem)),
        handle_(cusparse::library(exec)),
        blocks_(exec, problem.A, size, [&](std::int64_t count) {
          const double places = static_cast<double>(count) * size * size;
          fill_in_ = places / std::max(1.0, static_cast<double>(problem.A.nonzeros())) - 1;
          if (fill_in_ > most_fill_in || places * sizeof(S) > most_bytes) {
            throw Error(format("blocks of %d x %d would hold %.4g places, %.1f for each nonzero",
                               size, size, places, fill_in_ + 1),
                        "leave this baseline out");
          }
        }) {}

  void apply(const Exec&, S alpha, S beta) override {
    static_assert(SpmvProblem<S, Off>::spare_entries + 1 >= largest_size);
    constexpr auto multiply =
        cusparse::of_scalar<S>(cusparseSbsrmv, cusparseDbsrmv, cusparseCbsrmv, cusparseZbsrmv);
    const int block_columns = ceil_div<int>(problem_.A.columns(), blocks_.size());
    check(multiply(handle_, blocks_.direction, CUSPARSE_OPERATION_NON_TRANSPOSE, blocks_.rows(),
                   block_columns, blocks_.count(), native(&alpha), blocks_.description(),
                   native(blocks_.values().data()), blocks_.row_ptr().data(),
                   blocks_.col_idx().data(), blocks_.size(), native(problem_.x.data()),
                   native(&beta), native(problem_.y.data())),
          "cusparseXbsrmv");
  }
  std::size_t bytes() const override { return blocks_.bytes(); }
  std::string note() const override { return format("%.1f %% of fill-in", 100 * fill_in_); }

  static constexpr int largest_size = 8;

 private:
  /// Most zeros stored for each nonzero; with more, the blocks take over twice the bytes of CSR.
  static constexpr double most_fill_in = 3;
  static constexpr double most_bytes = SlicedEll<S, Off>::most_bytes;

  static const SpmvProblem<S, Off>& one_column(const SpmvProblem<S, Off>& problem) {
    if (problem.columns == 1) return problem;
    throw Error("cuSPARSE's bsrmv multiplies one vector", "use --columns 1");
  }

  SpmvProblem<S, Off> problem_;
  cusparseHandle_t handle_;
  double fill_in_ = 0;
  cusparse::Blocks<S> blocks_;
};

using Problem = SpmvProblem<S, Off>;

[[maybe_unused]] const bool entered = [] {
  add_contestant<CusparseCsr, Problem>("cusparse-alg1", "cuSPARSE, CSR algorithm 1, preprocessed",
                                       CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG1);
  add_contestant<CusparseCsr, Problem>("cusparse-alg2", "cuSPARSE, CSR algorithm 2, preprocessed",
                                       CUSPARSE_SPMV_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG2);
  add_contestant<CusparseSell, Problem>("cusparse-sell",
                                        "cuSPARSE, sliced ELL with slices of 32 rows");
  for (const int size : {2, 3, 4, 6, 8}) {
    add_contestant<CusparseBsr, Problem>(format("cusparse-bsr-%d", size),
                                         format("cuSPARSE, blocks of %d x %d (bsrmv)", size, size),
                                         size);
  }
  return true;
}();

}  // namespace

}  // namespace heddle::bench
