// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's SpGEMM with reuse: the pattern is computed once, the values as often as they change.
#include "../bench/multiply/problem.hpp"
#include "cusparse_csr.hpp"

namespace heddle::bench {

namespace {

using cusparse::allocate;
using cusparse::check;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultiplyProblem<S, Off>;
using Matrix = Problem::Matrix;

class CusparseProduct {
 public:
  CusparseProduct(const Exec& exec, const Matrix& A, const Matrix& B)
      : A_(A), B_(B), a_(A, A.values()), b_(B, B.values()) {
    if (sizeof(Off) != sizeof(int)) {
      throw Error("cuSPARSE's SpGEMM needs offsets of 32 bits", "use --offset 32");
    }
    const cusparseHandle_t handle = cusparse::library(exec);
    cusparseSpGEMMDescr_t plan = nullptr;
    check(cusparseSpGEMM_createDescr(&plan), "cusparseSpGEMM_createDescr");
    plan_.reset(plan);
    row_ptr_ = allocate<Off>(exec, "heddle::bench::row_ptr", A.rows() + 1);
    cusparseSpMatDescr_t made = nullptr;
    check(cusparseCreateCsr(&made, A.rows(), B.columns(), 0, row_ptr_.data(), nullptr, nullptr,
                            cusparse::index_type<Off>(), cusparse::index_type<Index>(),
                            CUSPARSE_INDEX_BASE_ZERO, cusparse::data_type<S>()),
          "cusparseCreateCsr");
    c_.reset(made);

    // Each call is made twice: first as a workspace query, then with the workspace.
    std::size_t size[4] = {};
    const auto work = [&](void* buffer) {
      check(cusparseSpGEMMreuse_workEstimation(handle, plain, plain, a_.get(), b_.get(), c_.get(),
                                               algorithm, plan, &size[0], buffer),
            "cusparseSpGEMMreuse_workEstimation");
    };
    work(nullptr);
    const auto first = workspace(exec, size[0]);
    work(first.data());
    const auto count = [&](void* third, void* fourth, void* second) {
      check(cusparseSpGEMMreuse_nnz(handle, plain, plain, a_.get(), b_.get(), c_.get(), algorithm,
                                    plan, &size[1], second, &size[2], third, &size[3], fourth),
            "cusparseSpGEMMreuse_nnz");
    };
    count(nullptr, nullptr, nullptr);
    const auto second = workspace(exec, size[1]), third = workspace(exec, size[2]);
    kept_[0] = workspace(exec, size[3]);
    count(third.data(), kept_[0].data(), second.data());

    std::int64_t rows = 0, columns = 0, entries = 0;
    check(cusparseSpMatGetSize(c_.get(), &rows, &columns, &entries), "cusparseSpMatGetSize");
    col_idx_ = allocate<Index>(exec, "heddle::bench::col_idx", entries);
    values_ = allocate<S>(exec, "heddle::bench::values", entries);
    check(cusparseCsrSetPointers(c_.get(), row_ptr_.data(), col_idx_.data(), values_.data()),
          "cusparseCsrSetPointers");
    const auto copy = [&](void* buffer) {
      check(cusparseSpGEMMreuse_copy(handle, plain, plain, a_.get(), b_.get(), c_.get(), algorithm,
                                     plan, &size[0], buffer),
            "cusparseSpGEMMreuse_copy");
    };
    copy(nullptr);
    kept_[1] = workspace(exec, size[0]);
    copy(kept_[1].data());
    exec.fence("heddle::bench::symbolic");  // workspaces are freed next
  }

  void numeric(const Exec& exec) {
    const S one(1), zero(0);
    check(cusparseSpGEMMreuse_compute(cusparse::library(exec), plain, plain, &one, a_.get(),
                                      b_.get(), &zero, c_.get(), cusparse::data_type<S>(),
                                      algorithm, plan_.get()),
          "cusparseSpGEMMreuse_compute");
  }
  Matrix matrix() const { return Matrix(A_.rows(), B_.columns(), row_ptr_, col_idx_, values_); }
  std::size_t bytes() const {
    return row_ptr_.span() * sizeof(Off) + col_idx_.span() * sizeof(Index) +
           values_.span() * sizeof(S) + kept_[0].span() + kept_[1].span();
  }

 private:
  static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
  static constexpr auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
  static cusparseStatus_t destroy_plan(cusparseSpGEMMDescr_t plan) {
    return cusparseSpGEMM_destroyDescr(plan);
  }
  static cusparseStatus_t destroy_matrix(cusparseSpMatDescr_t matrix) {
    return cusparseDestroySpMat(matrix);
  }
  static Kokkos::View<char*, Space> workspace(const Exec& exec, std::size_t size) {
    return allocate<char>(exec, "heddle::bench::spgemm_buffer",
                          static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
  }

  Matrix A_, B_;
  cusparse::AnyCsr<S> a_, b_;
  cusparse::Owned<cusparseSpGEMMDescr_t, destroy_plan> plan_;
  cusparse::Owned<cusparseSpMatDescr_t, destroy_matrix> c_;
  Kokkos::View<Off*, Space> row_ptr_;
  Kokkos::View<Index*, Space> col_idx_;
  Kokkos::View<S*, Space> values_;
  Kokkos::View<char*, Space> kept_[2];
};

[[maybe_unused]] const bool entered =
    add_contestant<ProductsInTurn<S, Off, CusparseProduct>, Problem>(
        "cusparse", "cuSPARSE's SpGEMM with reuse");

}  // namespace

}  // namespace heddle::bench
