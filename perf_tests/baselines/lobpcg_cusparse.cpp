// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's products for LOBPCG: SpMM with several vectors, and SpMV with one.
#include "../bench/lobpcg/products.hpp"
#include "cusparse_csr.hpp"

namespace heddle::bench {

namespace {

using cusparse::check;
using cusparse::data_type;

class CusparseColumns : public ColumnProducts {
 public:
  CusparseColumns(const Exec& exec, const LobpcgProblem& problem)
      : handle_(cusparse::library(exec)),
        rows_(problem.A.rows()),
        A_(problem.A, problem.A.values()) {}

  void apply(const Exec& exec, const double* x, double* y, int count) override {
    const double one = 1, zero = 0;
    const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const Matrix from = columns(x, count), to = columns(y, count);
    std::size_t size = 0;
    check(cusparseSpMM_bufferSize(handle_, plain, plain, &one, A_.get(), from.get(), &zero,
                                  to.get(), data_type<double>(), CUSPARSE_SPMM_ALG_DEFAULT, &size),
          "cusparseSpMM_bufferSize");
    if (buffer_.size() < size) {  // only in the first products
      buffer_ = cusparse::allocate<char>(exec, "heddle::bench::cusparse_buffer",
                                         static_cast<std::int64_t>(size));
    }
    check(cusparseSpMM(handle_, plain, plain, &one, A_.get(), from.get(), &zero, to.get(),
                       data_type<double>(), CUSPARSE_SPMM_ALG_DEFAULT, buffer_.data()),
          "cusparseSpMM");
  }

 private:
  static cusparseStatus_t destroy(cusparseDnMatDescr_t handle) {
    return cusparseDestroyDnMat(handle);
  }
  using Matrix = cusparse::Owned<cusparseDnMatDescr_t, destroy>;

  Matrix columns(const double* data, int count) const {
    cusparseDnMatDescr_t made = nullptr;
    check(cusparseCreateDnMat(&made, rows_, count, std::max<std::int64_t>(rows_, 1),
                              const_cast<double*>(data), data_type<double>(), CUSPARSE_ORDER_COL),
          "cusparseCreateDnMat");
    return Matrix(made);
  }

  cusparseHandle_t handle_;
  std::int64_t rows_;
  cusparse::AnyCsr<double> A_;
  Kokkos::View<char*, Space> buffer_;
};

// LOBPCG runs in double with 32-bit offsets; this source is compiled for each pair of types.
constexpr bool of_searches = std::is_same_v<HEDDLE_BENCH_SCALAR, double> &&
                             std::is_same_v<HEDDLE_BENCH_OFFSET, std::int32_t>;

[[maybe_unused]] const bool entered =
    of_searches && add_contestant<CusparseColumns, LobpcgProblem>("cusparse", "SpMM");

}  // namespace

}  // namespace heddle::bench
