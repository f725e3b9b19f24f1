// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rocSPARSE's generic interface (ROCm 6), preprocessed: SpSV for one right-hand side, SpSM for
// several. Compiled against the headers of rocSPARSE 6.4; it has not been run on a device.
#include "../bench/sptrsv/problem.hpp"
#include "rocsparse_library.hpp"

namespace heddle::bench {

namespace {

using rocsparse::check;
using rocsparse::data_type;
using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SptrsvProblem<S, Off>;

rocsparse_operation operation(Op op) {
  if (op == Op::none) return rocsparse_operation_none;
  if (conjugates(op) && is_complex<S>) {
    throw Error("rocSPARSE's triangular solves conjugate nothing", "use --op none or transpose");
  }
  return rocsparse_operation_transpose;
}

class RocsparseSolve : public SptrsvContestant<S> {
 public:
  RocsparseSolve(const Exec& exec, const Problem& problem)
      : handle_(rocsparse::library(exec)), op_(operation(problem.op)) {}
  RocsparseSolve(const RocsparseSolve&) = delete;
  ~RocsparseSolve() override {
    if (T_) rocsparse_destroy_spmat_descr(T_);
  }
  std::size_t bytes() const override { return buffer_.size(); }

 protected:
  void describe(const Problem& problem) {
    T_ = rocsparse::describe(problem.A);
    const bool lower = problem.triangle == Triangle::lower;
    const bool unit = problem.diagonal == Diagonal::unit;
    const rocsparse_fill_mode fill = lower ? rocsparse_fill_mode_lower : rocsparse_fill_mode_upper;
    const rocsparse_diag_type diagonal =
        unit ? rocsparse_diag_type_unit : rocsparse_diag_type_non_unit;
    set(rocsparse_spmat_fill_mode, &fill, sizeof fill);
    set(rocsparse_spmat_diag_type, &diagonal, sizeof diagonal);
  }

  rocsparse_handle handle_;
  rocsparse_operation op_;
  rocsparse_spmat_descr T_ = nullptr;
  rocsparse::Buffer buffer_;

 private:
  void set(rocsparse_spmat_attribute attribute, const void* value, std::size_t size) {
    check(rocsparse_spmat_set_attribute(T_, attribute, value, size),
          "rocsparse_spmat_set_attribute");
  }
};

class RocsparseSpsv : public RocsparseSolve {
 public:
  using RocsparseSolve::RocsparseSolve;

  void analyse(const Exec& exec, const Problem& problem) {
    describe(problem);
    const std::int64_t rows = problem.A.rows();
    check(rocsparse_create_dnvec_descr(&b_, rows, problem.b.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    check(rocsparse_create_dnvec_descr(&x_, rows, problem.x.data(), data_type<S>()),
          "rocsparse_create_dnvec_descr");
    std::size_t size = 0;
    stage(rocsparse_spsv_stage_buffer_size, S(1), &size);
    buffer_.allocate(exec, size);
    stage(rocsparse_spsv_stage_preprocess, S(1), &size);
  }
  ~RocsparseSpsv() override {
    if (b_) rocsparse_destroy_dnvec_descr(b_);
    if (x_) rocsparse_destroy_dnvec_descr(x_);
  }

  void solve(const Exec&, S alpha) override {
    std::size_t size = buffer_.size();
    stage(rocsparse_spsv_stage_compute, alpha, &size);
  }
  std::string note() const override { return "SpSV"; }

 private:
  void stage(rocsparse_spsv_stage stage, S alpha, std::size_t* size) {
    check(rocsparse_spsv(handle_, op_, &alpha, T_, b_, x_, data_type<S>(),
                         rocsparse_spsv_alg_default, stage, size, buffer_.data()),
          "rocsparse_spsv");
  }

  rocsparse_dnvec_descr b_ = nullptr, x_ = nullptr;
};

class RocsparseSpsm : public RocsparseSolve {
 public:
  using RocsparseSolve::RocsparseSolve;

  void analyse(const Exec& exec, const Problem& problem) {
    describe(problem);
    const std::int64_t rows = problem.A.rows(), columns = problem.columns;
    const auto order = problem.row_major ? rocsparse_order_row : rocsparse_order_column;
    const std::int64_t stride = problem.row_major ? columns : std::max<std::int64_t>(rows, 1);
    check(rocsparse_create_dnmat_descr(&b_, rows, columns, stride, problem.b.data(), data_type<S>(),
                                       order),
          "rocsparse_create_dnmat_descr");
    check(rocsparse_create_dnmat_descr(&x_, rows, columns, stride, problem.x.data(), data_type<S>(),
                                       order),
          "rocsparse_create_dnmat_descr");
    std::size_t size = 0;
    stage(rocsparse_spsm_stage_buffer_size, S(1), &size);
    buffer_.allocate(exec, size);
    stage(rocsparse_spsm_stage_preprocess, S(1), &size);
  }
  ~RocsparseSpsm() override {
    if (b_) rocsparse_destroy_dnmat_descr(b_);
    if (x_) rocsparse_destroy_dnmat_descr(x_);
  }

  void solve(const Exec&, S alpha) override {
    std::size_t size = buffer_.size();
    stage(rocsparse_spsm_stage_compute, alpha, &size);
  }
  std::string note() const override { return "SpSM"; }

 private:
  void stage(rocsparse_spsm_stage stage, S alpha, std::size_t* size) {
    check(rocsparse_spsm(handle_, op_, rocsparse_operation_none, &alpha, T_, b_, x_, data_type<S>(),
                         rocsparse_spsm_alg_default, stage, size, buffer_.data()),
          "rocsparse_spsm");
  }

  rocsparse_dnmat_descr b_ = nullptr, x_ = nullptr;
};

/// Sets up and analyses a contestant, which releases the results of the analysis if it fails.
template <class Made>
std::unique_ptr<SptrsvContestant<S>> analysed(const Exec& exec, const Problem& problem) {
  auto made = std::make_unique<Made>(exec, problem);
  made->analyse(exec, problem);
  return made;
}

std::unique_ptr<SptrsvContestant<S>> set_up(const Exec& exec, const Problem& problem) {
  return problem.columns == 1 ? analysed<RocsparseSpsv>(exec, problem)
                              : analysed<RocsparseSpsm>(exec, problem);
}

[[maybe_unused]] const bool entered =
    add_baseline<Problem>({"rocsparse", "rocSPARSE, SpSV and SpSM, preprocessed", set_up});

}  // namespace

}  // namespace heddle::bench
