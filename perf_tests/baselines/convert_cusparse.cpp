// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's conversions from CSR: csr2bsr, and csr2csc with its values; and the sum of csrgeam2.
#include <optional>

#include "../bench/convert/problem.hpp"
#include "cusparse_blocks.hpp"

namespace heddle::bench {

namespace {

using cusparse::allocate;
using cusparse::check;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = ConvertProblem<S, Off>;

class BlockConversion : public ConvertContestant<S> {
 public:
  BlockConversion(const Exec& exec, const Problem& problem) : problem_(problem) { run(exec); }

  void run(const Exec& exec) override {
    made_.reset();
    made_.emplace(exec, problem_.A, problem_.block);
  }
  void product(const Exec& exec) override {
    product_by_blocks(exec, problem_, made_->row_ptr(), made_->col_idx(), made_->values());
  }
  std::size_t bytes() const override { return made_->bytes(); }

 private:
  Problem problem_;
  std::optional<cusparse::Blocks<S>> made_;
};

class ColumnConversion : public ConvertContestant<S> {
 public:
  ColumnConversion(const Exec& exec, const Problem& problem) : problem_(problem) { run(exec); }

  void run(const Exec& exec) override {
    col_ptr_ = {};
    row_idx_ = {};
    values_ = {};
    const cusparseHandle_t handle = cusparse::library(exec);
    const auto& A = problem_.A;
    const int* row_ptr = cusparse::int_row_ptr(A.row_ptr());
    const int rows = A.rows(), columns = A.columns(), nonzeros = static_cast<int>(A.nonzeros());
    col_ptr_ = allocate<int>(exec, "heddle::bench::csc_col_ptr", columns + 1);
    row_idx_ = allocate<int>(exec, "heddle::bench::csc_row_idx", nonzeros);
    values_ = allocate<S>(exec, "heddle::bench::csc_values", nonzeros);
    const void* from = A.values().data();
    const int* col_idx = A.col_idx().data();
    const auto type = cusparse::data_type<S>();
    const auto algorithm = CUSPARSE_CSR2CSC_ALG_DEFAULT;
    std::size_t size = 0;
    check(cusparseCsr2cscEx2_bufferSize(handle, rows, columns, nonzeros, from, row_ptr, col_idx,
                                        values_.data(), col_ptr_.data(), row_idx_.data(), type,
                                        CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                        algorithm, &size),
          "cusparseCsr2cscEx2_bufferSize");
    const auto buffer = allocate<char>(exec, "heddle::bench::csc_buffer",
                                       static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
    check(
        cusparseCsr2cscEx2(handle, rows, columns, nonzeros, from, row_ptr, col_idx, values_.data(),
                           col_ptr_.data(), row_idx_.data(), type, CUSPARSE_ACTION_NUMERIC,
                           CUSPARSE_INDEX_BASE_ZERO, algorithm, buffer.data()),
        "cusparseCsr2cscEx2");
    exec.fence("heddle::bench::csc_filled");  // the buffer is freed next
  }
  void product(const Exec& exec) override {
    product_by_transpose(exec, problem_, col_ptr_, row_idx_, values_);
  }
  std::size_t bytes() const override {
    return (col_ptr_.span() + row_idx_.span()) * sizeof(int) + values_.span() * sizeof(S);
  }

 private:
  Problem problem_;
  Kokkos::View<int*, Space> col_ptr_, row_idx_;
  Kokkos::View<S*, Space> values_;
};

/// A + B: workspace query, count, fill.
class SumConversion : public ConvertContestant<S> {
 public:
  SumConversion(const Exec& exec, const Problem& problem) : problem_(problem) { run(exec); }

  void run(const Exec& exec) override {
    row_ptr_ = {};
    col_idx_ = {};
    values_ = {};
    using cusparse::native;
    const cusparseHandle_t handle = cusparse::library(exec);
    const auto &A = problem_.A, &B = problem_.B;
    const int *a_ptr = cusparse::int_row_ptr(A.row_ptr()),
              *b_ptr = cusparse::int_row_ptr(B.row_ptr());
    const int *a_idx = A.col_idx().data(), *b_idx = B.col_idx().data();
    const auto *a = native(A.values().data()), *b = native(B.values().data());
    const int rows = A.rows(), columns = A.columns();
    const int a_entries = static_cast<int>(A.nonzeros());
    const int b_entries = static_cast<int>(B.nonzeros());
    const S unit(1);
    const auto* const one = native(&unit);
    const cusparseMatDescr_t plain = description_.handle();
    row_ptr_ = allocate<int>(exec, "heddle::bench::sum_row_ptr", rows + 1);
    std::size_t size = 0;
    const auto buffer_size =
        cusparse::of_scalar<S>(cusparseScsrgeam2_bufferSizeExt, cusparseDcsrgeam2_bufferSizeExt,
                               cusparseCcsrgeam2_bufferSizeExt, cusparseZcsrgeam2_bufferSizeExt);
    check(buffer_size(handle, rows, columns, one, plain, a_entries, a, a_ptr, a_idx, one, plain,
                      b_entries, b, b_ptr, b_idx, plain, native(values_.data()), row_ptr_.data(),
                      col_idx_.data(), &size),
          "cusparseXcsrgeam2_bufferSizeExt");
    const auto buffer = allocate<char>(exec, "heddle::bench::sum_buffer",
                                       static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
    int entries = 0;
    check(cusparseXcsrgeam2Nnz(handle, rows, columns, plain, a_entries, a_ptr, a_idx, plain,
                               b_entries, b_ptr, b_idx, plain, row_ptr_.data(), &entries,
                               buffer.data()),
          "cusparseXcsrgeam2Nnz");
    col_idx_ = allocate<int>(exec, "heddle::bench::sum_col_idx", entries);
    values_ = allocate<S>(exec, "heddle::bench::sum_values", entries);
    const auto sum = cusparse::of_scalar<S>(cusparseScsrgeam2, cusparseDcsrgeam2, cusparseCcsrgeam2,
                                            cusparseZcsrgeam2);
    check(sum(handle, rows, columns, one, plain, a_entries, a, a_ptr, a_idx, one, plain, b_entries,
              b, b_ptr, b_idx, plain, native(values_.data()), row_ptr_.data(), col_idx_.data(),
              buffer.data()),
          "cusparseXcsrgeam2");
    exec.fence("heddle::bench::sum_filled");  // the buffer is freed next
  }
  void product(const Exec& exec) override {
    product_by_rows(exec, problem_, row_ptr_, col_idx_, values_);
  }
  std::size_t bytes() const override {
    return (row_ptr_.span() + col_idx_.span()) * sizeof(int) + values_.span() * sizeof(S);
  }

 private:
  Problem problem_;
  cusparse::MatrixDescription description_;
  Kokkos::View<int*, Space> row_ptr_, col_idx_;
  Kokkos::View<S*, Space> values_;
};

[[maybe_unused]] const bool blocks = add_contestant<BlockConversion, Problem>(
    "cusparse-bsr", "cuSPARSE's csr2bsr, counted and filled");
[[maybe_unused]] const bool columns =
    add_contestant<ColumnConversion, Problem>("cusparse-csc", "cuSPARSE's csr2csc, values too");
[[maybe_unused]] const bool sums =
    add_contestant<SumConversion, Problem>("cusparse-sum", "cuSPARSE's csrgeam2: A + B");

}  // namespace

}  // namespace heddle::bench
