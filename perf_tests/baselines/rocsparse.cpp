// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rocSPARSE's generic interface (ROCm 6): CSR with its two algorithms, preprocessed.
// Written from the documentation; it has not been run on a device.
#include <rocsparse/rocsparse.h>

#include "../bench/spmv/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

template <class T>
constexpr rocsparse_datatype data_type() {
  if constexpr (std::is_same_v<T, float>) return rocsparse_datatype_f32_r;
  if constexpr (std::is_same_v<T, double>) return rocsparse_datatype_f64_r;
  if constexpr (std::is_same_v<T, Kokkos::complex<float>>) return rocsparse_datatype_f32_c;
  if constexpr (std::is_same_v<T, Kokkos::complex<double>>) return rocsparse_datatype_f64_c;
}

template <class T>
constexpr rocsparse_indextype index_type() {
  return sizeof(T) == 8 ? rocsparse_indextype_i64 : rocsparse_indextype_i32;
}

void check(rocsparse_status status, const char* what) {
  if (status == rocsparse_status_success) return;
  throw Error(std::string(what) + " failed with status " + std::to_string(status),
              "leave this baseline out for this problem");
}

rocsparse_handle library(const Exec& exec) {
  static const rocsparse_handle handle = [] {
    rocsparse_handle created = nullptr;
    check(rocsparse_create_handle(&created), "rocsparse_create_handle");
    return created;
  }();
  check(rocsparse_set_stream(handle, exec.hip_stream()), "rocsparse_set_stream");
  return handle;
}

template <class View>
void* mutable_data(const View& view) {
  return const_cast<typename View::non_const_value_type*>(view.data());
}

class Rocsparse : public SpmvContestant<S> {
 public:
  Rocsparse(const Exec& exec, const SpmvProblem<S, Off>& problem, rocsparse_spmv_alg algorithm)
      : handle_(library(exec)), algorithm_(algorithm) {
    if (problem.columns > 1) {
      throw Error("only one column is measured with rocSPARSE", "use --columns 1");
    }
    const auto& A = problem.A;
    check(rocsparse_create_csr_descr(
              &A_, A.rows(), A.columns(), static_cast<std::int64_t>(A.nonzeros()),
              mutable_data(A.row_ptr()), mutable_data(A.col_idx()), mutable_data(A.values()),
              index_type<Off>(), index_type<Index>(), rocsparse_index_base_zero, data_type<S>()),
          "rocsparse_create_csr_descr");
    check(rocsparse_create_dnvec_descr(&x_, A.columns(), problem.x.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    check(rocsparse_create_dnvec_descr(&y_, A.rows(), problem.y.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    std::size_t size = 0;
    stage(rocsparse_spmv_stage_buffer_size, S(1), S(0), &size);
    buffer_ = decltype(buffer_)(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "heddle::bench::rocsparse_buffer"),
        std::max<std::size_t>(size, 1));
    stage(rocsparse_spmv_stage_preprocess, S(1), S(0), &size);
  }
  Rocsparse(const Rocsparse&) = delete;
  ~Rocsparse() override {
    if (A_) rocsparse_destroy_spmat_descr(A_);
    if (x_) rocsparse_destroy_dnvec_descr(x_);
    if (y_) rocsparse_destroy_dnvec_descr(y_);
  }

  void apply(const Exec&, S alpha, S beta) override {
    std::size_t size = buffer_.size();
    stage(rocsparse_spmv_stage_compute, alpha, beta, &size);
  }
  std::size_t bytes() const override { return buffer_.size(); }

 private:
  void stage(rocsparse_spmv_stage stage, S alpha, S beta, std::size_t* size) {
    check(rocsparse_spmv(handle_, rocsparse_operation_none, &alpha, A_, x_, &beta, y_,
                         data_type<S>(), algorithm_, stage, size, buffer_.data()),
          "rocsparse_spmv");
  }

  rocsparse_handle handle_;
  rocsparse_spmv_alg algorithm_;
  rocsparse_spmat_descr A_ = nullptr;
  rocsparse_dnvec_descr x_ = nullptr, y_ = nullptr;
  Kokkos::View<char*, Space> buffer_;
};

bool enter(const char* name, const char* description, rocsparse_spmv_alg algorithm) {
  return add_baseline<SpmvProblem<S, Off>>(
      {name, description, [algorithm](const Exec& exec, const SpmvProblem<S, Off>& problem) {
         return std::make_unique<Rocsparse>(exec, problem, algorithm);
       }});
}

[[maybe_unused]] const bool adaptive =
    enter("rocsparse-adaptive", "rocSPARSE, CSR adaptive", rocsparse_spmv_alg_csr_adaptive);
[[maybe_unused]] const bool stream =
    enter("rocsparse-stream", "rocSPARSE, CSR stream", rocsparse_spmv_alg_csr_stream);

}  // namespace

}  // namespace heddle::bench
