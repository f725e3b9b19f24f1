// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rocSPARSE's generic interface (ROCm 6): CSR with its two algorithms, preprocessed.
// Compiled against the headers of rocSPARSE 6.4; it has not been run on a device.
#include "../bench/spmv/problem.hpp"
#include "rocsparse_library.hpp"

namespace heddle::bench {

namespace {

using rocsparse::check;
using rocsparse::data_type;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SpmvProblem<S, Off>;

class Rocsparse : public SpmvContestant<S> {
 public:
  Rocsparse(const Exec& exec, const Problem& problem, rocsparse_spmv_alg algorithm)
      : handle_(rocsparse::library(exec)), algorithm_(algorithm) {
    if (problem.columns > 1) {
      throw Error("only one column is measured with rocSPARSE", "use --columns 1");
    }
    const auto& A = problem.A;
    A_ = rocsparse::describe(A);
    check(rocsparse_create_dnvec_descr(&x_, A.columns(), problem.x.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    check(rocsparse_create_dnvec_descr(&y_, A.rows(), problem.y.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    std::size_t size = 0;
    stage(rocsparse_spmv_stage_buffer_size, S(1), S(0), &size);
    buffer_.allocate(exec, size);
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
  rocsparse::Buffer buffer_;
};

[[maybe_unused]] const bool adaptive = add_contestant<Rocsparse, Problem>(
    "rocsparse-adaptive", "rocSPARSE, CSR adaptive", rocsparse_spmv_alg_csr_adaptive);
[[maybe_unused]] const bool stream = add_contestant<Rocsparse, Problem>(
    "rocsparse-stream", "rocSPARSE, CSR stream", rocsparse_spmv_alg_csr_stream);

}  // namespace

}  // namespace heddle::bench
