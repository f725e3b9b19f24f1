// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cuSPARSE's conversions from CSR: csr2bsr, and csr2csc with its values.
#define DISABLE_CUSPARSE_DEPRECATED  // csr2bsr is, and nothing else of cuSPARSE makes blocks of CSR
#include "../bench/convert/host_products.hpp"
#include "cusparse_library.hpp"

namespace heddle::bench {

namespace {

using cusparse::check;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = ConvertProblem<S, Off>;

/// As cuSPARSE knows a scalar of ours.
template <class T>
struct NativeOf {
  using type = T;
};
template <>
struct NativeOf<Kokkos::complex<float>> {
  using type = cuComplex;
};
template <>
struct NativeOf<Kokkos::complex<double>> {
  using type = cuDoubleComplex;
};
using Native = NativeOf<S>::type;

template <class T>
Kokkos::View<T*, Space> allocate(const Exec& exec, const char* label, std::int64_t count) {
  return Kokkos::View<T*, Space>(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label)),
      static_cast<std::size_t>(count));
}

template <class View>
auto* native(const View& view) {
  using T = typename View::non_const_value_type;
  return reinterpret_cast<typename NativeOf<T>::type*>(const_cast<T*>(view.data()));
}

class Conversion : public ConvertContestant<S> {
 public:
  explicit Conversion(const Problem& problem) : problem_(problem) {
    if (sizeof(Off) != sizeof(int)) {
      throw Error("cuSPARSE converts matrices with offsets of 32 bits", "use --offset 32");
    }
  }

  std::size_t bytes() const override {
    return row_ptr_.span() * sizeof(int) + col_idx_.span() * sizeof(int) +
           values_.span() * sizeof(S);
  }

 protected:
  int rows() const { return problem_.A.rows(); }
  int columns() const { return problem_.A.columns(); }
  int nonzeros() const { return static_cast<int>(problem_.A.nonzeros()); }
  const int* from_row_ptr() const {
    return static_cast<const int*>(static_cast<const void*>(problem_.A.row_ptr().data()));
  }
  void release() {
    row_ptr_ = {};
    col_idx_ = {};
    values_ = {};
  }

  Problem problem_;
  Kokkos::View<int*, Space> row_ptr_, col_idx_;
  Kokkos::View<S*, Space> values_;
};

class Blocks : public Conversion {
 public:
  Blocks(const Exec& exec, const Problem& problem) : Conversion(problem) {
    check(cusparseCreateMatDescr(&description_), "cusparseCreateMatDescr");
    convert(exec);
  }
  Blocks(const Blocks&) = delete;
  ~Blocks() override { cusparseDestroyMatDescr(description_); }

  void convert(const Exec& exec) override {
    release();
    const cusparseHandle_t handle = cusparse::library(exec);
    const int block = problem_.block;
    const auto direction = CUSPARSE_DIRECTION_ROW;
    const int* columns_of = problem_.A.col_idx().data();
    row_ptr_ = allocate<int>(exec, "heddle::bench::bsr_row_ptr", ceil_div(rows(), block) + 1);
    int count = 0;
    check(cusparseXcsr2bsrNnz(handle, direction, rows(), columns(), description_, from_row_ptr(),
                              columns_of, block, description_, row_ptr_.data(), &count),
          "cusparseXcsr2bsrNnz");
    exec.fence("heddle::bench::bsr_count");
    col_idx_ = allocate<int>(exec, "heddle::bench::bsr_col_idx", count);
    values_ = allocate<S>(exec, "heddle::bench::bsr_values", std::int64_t{count} * block * block);
    const auto fill = [] {
      if constexpr (std::is_same_v<S, float>) return cusparseScsr2bsr;
      if constexpr (std::is_same_v<S, double>) return cusparseDcsr2bsr;
      if constexpr (std::is_same_v<S, Kokkos::complex<float>>) return cusparseCcsr2bsr;
      if constexpr (std::is_same_v<S, Kokkos::complex<double>>) return cusparseZcsr2bsr;
    }();
    check(fill(handle, direction, rows(), columns(), description_, native(problem_.A.values()),
               from_row_ptr(), columns_of, block, description_, native(values_), row_ptr_.data(),
               col_idx_.data()),
          "cusparseXcsr2bsr");
  }
  void product(const Exec& exec) override {
    product_by_blocks(exec, problem_, row_ptr_, col_idx_, values_);
  }

 private:
  cusparseMatDescr_t description_ = nullptr;
};

class Columns : public Conversion {
 public:
  Columns(const Exec& exec, const Problem& problem) : Conversion(problem) { convert(exec); }

  void convert(const Exec& exec) override {
    release();
    const cusparseHandle_t handle = cusparse::library(exec);
    row_ptr_ = allocate<int>(exec, "heddle::bench::csc_col_ptr", columns() + 1);
    col_idx_ = allocate<int>(exec, "heddle::bench::csc_row_idx", nonzeros());
    values_ = allocate<S>(exec, "heddle::bench::csc_values", nonzeros());
    const void* from = problem_.A.values().data();
    const int* columns_of = problem_.A.col_idx().data();
    const auto type = cusparse::data_type<S>();
    const auto algorithm = CUSPARSE_CSR2CSC_ALG_DEFAULT;
    std::size_t size = 0;
    check(cusparseCsr2cscEx2_bufferSize(handle, rows(), columns(), nonzeros(), from, from_row_ptr(),
                                        columns_of, values_.data(), row_ptr_.data(),
                                        col_idx_.data(), type, CUSPARSE_ACTION_NUMERIC,
                                        CUSPARSE_INDEX_BASE_ZERO, algorithm, &size),
          "cusparseCsr2cscEx2_bufferSize");
    const auto buffer = allocate<char>(exec, "heddle::bench::csc_buffer",
                                       static_cast<std::int64_t>(std::max<std::size_t>(size, 1)));
    check(cusparseCsr2cscEx2(handle, rows(), columns(), nonzeros(), from, from_row_ptr(),
                             columns_of, values_.data(), row_ptr_.data(), col_idx_.data(), type,
                             CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO, algorithm,
                             buffer.data()),
          "cusparseCsr2cscEx2");
    exec.fence("heddle::bench::csc_filled");  // before the buffer goes
  }
  void product(const Exec& exec) override {
    product_by_transpose(exec, problem_, row_ptr_, col_idx_, values_);
  }
};

template <class Made>
bool enter(const char* name, const char* description) {
  return add_baseline<Problem>({name, description, [](const Exec& exec, const Problem& problem) {
                                  return std::make_unique<Made>(exec, problem);
                                }});
}

[[maybe_unused]] const bool blocks =
    enter<Blocks>("cusparse-bsr", "cuSPARSE's csr2bsr, counted and filled");
[[maybe_unused]] const bool columns =
    enter<Columns>("cusparse-csc", "cuSPARSE's csr2csc, values too");

}  // namespace

}  // namespace heddle::bench
