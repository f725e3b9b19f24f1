// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's generic interface, analysed: SpSV for one right-hand side, SpSM for several.
#include "../bench/sptrsv/problem.hpp"
#include "cusparse_library.hpp"

namespace heddle::bench {

namespace {

using cusparse::check;
using cusparse::data_type;
using cusparse::index_type;
using cusparse::mutable_data;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SptrsvProblem<S, Off>;

cusparseOperation_t operation(Op op) {
  if (op == Op::none) return CUSPARSE_OPERATION_NON_TRANSPOSE;
  // cuSPARSE accepts conjugation only for complex scalars.
  const bool conjugated = conjugates(op) && is_complex<S>;
  return conjugated ? CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE : CUSPARSE_OPERATION_TRANSPOSE;
}

/// cuSPARSE's descriptor of the triangle, and the workspace of its analysis, which a solve reads.
class CusparseSolve : public SptrsvContestant<S> {
 public:
  CusparseSolve(const Exec& exec, Op op) : handle_(cusparse::library(exec)), op_(operation(op)) {}
  CusparseSolve(const CusparseSolve&) = delete;
  ~CusparseSolve() override {
    if (T_) cusparseDestroySpMat(T_);
  }
  std::size_t bytes() const override { return buffer_.size(); }

 protected:
  void describe(const Problem& problem) {
    const auto& T = problem.A;
    check(cusparseCreateCsr(&T_, T.rows(), T.columns(), static_cast<std::int64_t>(T.nonzeros()),
                            mutable_data(T.row_ptr()), mutable_data(T.col_idx()),
                            mutable_data(T.values()), index_type<Off>(), index_type<Index>(),
                            CUSPARSE_INDEX_BASE_ZERO, data_type<S>()),
          "cusparseCreateCsr");
    cusparseFillMode_t fill =
        problem.triangle == Triangle::lower ? CUSPARSE_FILL_MODE_LOWER : CUSPARSE_FILL_MODE_UPPER;
    cusparseDiagType_t diagonal =
        problem.diagonal == Diagonal::unit ? CUSPARSE_DIAG_TYPE_UNIT : CUSPARSE_DIAG_TYPE_NON_UNIT;
    check(cusparseSpMatSetAttribute(T_, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill),
          "cusparseSpMatSetAttribute");
    check(cusparseSpMatSetAttribute(T_, CUSPARSE_SPMAT_DIAG_TYPE, &diagonal, sizeof diagonal),
          "cusparseSpMatSetAttribute");
  }

  void make_buffer(const Exec& exec, std::size_t size) {
    buffer_ = decltype(buffer_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::cusparse_buffer"),
        std::max<std::size_t>(size, 1));
  }

  cusparseHandle_t handle_;
  cusparseOperation_t op_;
  cusparseSpMatDescr_t T_ = nullptr;
  Kokkos::View<char*, Space> buffer_;
};

class CusparseSpsv : public CusparseSolve {
 public:
  using CusparseSolve::CusparseSolve;

  void analyse(const Exec& exec, const Problem& problem) {
    describe(problem);
    const std::int64_t rows = problem.A.rows();
    check(cusparseCreateDnVec(&b_, rows, problem.b.data(), data_type<S>()), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&x_, rows, problem.x.data(), data_type<S>()), "cusparseCreateDnVec");
    check(cusparseSpSV_createDescr(&plan_), "cusparseSpSV_createDescr");
    const S one(1);
    std::size_t size = 0;
    check(cusparseSpSV_bufferSize(handle_, op_, &one, T_, b_, x_, data_type<S>(),
                                  CUSPARSE_SPSV_ALG_DEFAULT, plan_, &size),
          "cusparseSpSV_bufferSize");
    make_buffer(exec, size);
    check(cusparseSpSV_analysis(handle_, op_, &one, T_, b_, x_, data_type<S>(),
                                CUSPARSE_SPSV_ALG_DEFAULT, plan_, buffer_.data()),
          "cusparseSpSV_analysis");
  }
  ~CusparseSpsv() override {
    if (plan_) cusparseSpSV_destroyDescr(plan_);
    if (b_) cusparseDestroyDnVec(b_);
    if (x_) cusparseDestroyDnVec(x_);
  }

  void solve(const Exec&, S alpha) override {
    check(cusparseSpSV_solve(handle_, op_, &alpha, T_, b_, x_, data_type<S>(),
                             CUSPARSE_SPSV_ALG_DEFAULT, plan_),
          "cusparseSpSV_solve");
  }
  std::string note() const override { return "SpSV"; }

 private:
  cusparseDnVecDescr_t b_ = nullptr, x_ = nullptr;
  cusparseSpSVDescr_t plan_ = nullptr;
};

class CusparseSpsm : public CusparseSolve {
 public:
  using CusparseSolve::CusparseSolve;

  void analyse(const Exec& exec, const Problem& problem) {
    describe(problem);
    const std::int64_t rows = problem.A.rows(), columns = problem.columns;
    const auto order = problem.row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    const std::int64_t stride = problem.row_major ? columns : std::max<std::int64_t>(rows, 1);
    check(cusparseCreateDnMat(&b_, rows, columns, stride, problem.b.data(), data_type<S>(), order),
          "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&x_, rows, columns, stride, problem.x.data(), data_type<S>(), order),
          "cusparseCreateDnMat");
    check(cusparseSpSM_createDescr(&plan_), "cusparseSpSM_createDescr");
    const S one(1);
    std::size_t size = 0;
    check(cusparseSpSM_bufferSize(handle_, op_, plain, &one, T_, b_, x_, data_type<S>(),
                                  CUSPARSE_SPSM_ALG_DEFAULT, plan_, &size),
          "cusparseSpSM_bufferSize");
    make_buffer(exec, size);
    check(cusparseSpSM_analysis(handle_, op_, plain, &one, T_, b_, x_, data_type<S>(),
                                CUSPARSE_SPSM_ALG_DEFAULT, plan_, buffer_.data()),
          "cusparseSpSM_analysis");
  }
  ~CusparseSpsm() override {
    if (plan_) cusparseSpSM_destroyDescr(plan_);
    if (b_) cusparseDestroyDnMat(b_);
    if (x_) cusparseDestroyDnMat(x_);
  }

  void solve(const Exec&, S alpha) override {
    check(cusparseSpSM_solve(handle_, op_, plain, &alpha, T_, b_, x_, data_type<S>(),
                             CUSPARSE_SPSM_ALG_DEFAULT, plan_),
          "cusparseSpSM_solve");
  }
  std::string note() const override { return "SpSM"; }

 private:
  static constexpr cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  cusparseDnMatDescr_t b_ = nullptr, x_ = nullptr;
  cusparseSpSMDescr_t plan_ = nullptr;
};

/// Sets up and analyses a contestant, which releases the results of the analysis if it fails.
template <class Made>
std::unique_ptr<SptrsvContestant<S>> analysed(const Exec& exec, const Problem& problem) {
  auto made = std::make_unique<Made>(exec, problem.op);
  made->analyse(exec, problem);
  return made;
}

std::unique_ptr<SptrsvContestant<S>> set_up(const Exec& exec, const Problem& problem) {
  return problem.columns == 1 ? analysed<CusparseSpsv>(exec, problem)
                              : analysed<CusparseSpsm>(exec, problem);
}

[[maybe_unused]] const bool entered =
    add_baseline<Problem>({"cusparse", "cuSPARSE, SpSV and SpSM, analysed", set_up});

}  // namespace

}  // namespace heddle::bench
