// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Krylov loops over Intel MKL's kernels: mkl_sparse_d_mv and BLAS, mkl_sparse_d_symgs, dcsrilu0
// with two mkl_sparse_d_trsv. All run after mkl_sparse_optimize.
#include <mkl_cblas.h>
#include <mkl_rci.h>
#include <mkl_vml_functions.h>

#include <array>
#include <optional>

#include "../bench/solve/problem.hpp"
#include "mkl_library.hpp"

namespace heddle::bench {

namespace {

enum class With { none, jacobi, ssor, ilu0 };

/// ILU(0) by dcsrilu0, whose indices start at one, and its two triangular solves.
class MklFactors {
 public:
  explicit MklFactors(const HostStorage<double, MKL_INT>& A)
      : A_(A), rows_(A.rows()), middle_(static_cast<std::size_t>(A.rows())) {
    for (MKL_INT i = 0; i <= rows_; ++i) row_ptr_.push_back(A.row_ptr()(i) + 1);
    for (MKL_INT k = 0; k < A.nonzeros(); ++k) col_idx_.push_back(A.col_idx()(k) + 1);
    factors_.resize(col_idx_.size());
    factor();
    prepare(lower_, lower);
    prepare(upper_, upper);
  }
  MklFactors(const MklFactors&) = delete;
  ~MklFactors() {
    for (sparse_matrix_t handle : {lower_, upper_}) {
      if (handle) mkl_sparse_destroy(handle);
    }
  }

  void factor() {
    std::array<MKL_INT, 128> integers{};
    std::array<double, 128> numbers{};
    integers[1] = 6;  // destination of messages
    MKL_INT failed = 0;
    dcsrilu0(&rows_, A_.values().data(), row_ptr_.data(), col_idx_.data(), factors_.data(),
             integers.data(), numbers.data(), &failed);
    if (failed != 0) throw Error("dcsrilu0 failed with " + std::to_string(failed), "");
  }
  void solve(const double* b, double* x) {
    solve(lower_, lower, b, middle_.data());
    solve(upper_, upper, middle_.data(), x);
  }
  std::size_t bytes() const {
    return row_ptr_.size() * sizeof(MKL_INT) + col_idx_.size() * (sizeof(MKL_INT) + 8);
  }

 private:
  inline static const matrix_descr lower =
      mkl::described(SPARSE_MATRIX_TYPE_TRIANGULAR, SPARSE_FILL_MODE_LOWER, SPARSE_DIAG_UNIT);
  inline static const matrix_descr upper =
      mkl::described(SPARSE_MATRIX_TYPE_TRIANGULAR, SPARSE_FILL_MODE_UPPER, SPARSE_DIAG_NON_UNIT);

  /// Each triangle has a handle: mkl_sparse_optimize of 2020.4 crashes with hints for both on one.
  void prepare(sparse_matrix_t& handle, const matrix_descr& part) {
    mkl::check(
        mkl_sparse_d_create_csr(&handle, SPARSE_INDEX_BASE_ONE, rows_, rows_, row_ptr_.data(),
                                row_ptr_.data() + 1, col_idx_.data(), factors_.data()),
        "mkl_sparse_d_create_csr");
    mkl::check(
        mkl_sparse_set_sv_hint(handle, SPARSE_OPERATION_NON_TRANSPOSE, part, mkl::expected_applies),
        "mkl_sparse_set_sv_hint");
    mkl::check(mkl_sparse_optimize(handle), "mkl_sparse_optimize");
  }
  static void solve(sparse_matrix_t handle, const matrix_descr& part, const double* b, double* x) {
    mkl::check(mkl_sparse_d_trsv(SPARSE_OPERATION_NON_TRANSPOSE, 1, handle, part, b, x),
               "mkl_sparse_d_trsv");
  }

  HostStorage<double, MKL_INT> A_;
  MKL_INT rows_;
  std::vector<MKL_INT> row_ptr_, col_idx_;
  std::vector<double> factors_, middle_;
  sparse_matrix_t lower_ = nullptr, upper_ = nullptr;
};

class MklKernels {
 public:
  using Vector = Kokkos::View<double*, Kokkos::HostSpace>;

  MklKernels(const Exec&, const SolveProblem<double, MKL_INT>& problem, With with)
      : rows_(problem.A.rows()), matrix_(problem.A), with_(with) {
    mkl::check(mkl_sparse_set_mv_hint(matrix_.handle(), SPARSE_OPERATION_NON_TRANSPOSE, whole,
                                      mkl::expected_applies),
               "mkl_sparse_set_mv_hint");
    if (with_ == With::ssor) {
      mkl::check(mkl_sparse_set_symgs_hint(matrix_.handle(), SPARSE_OPERATION_NON_TRANSPOSE, whole,
                                           mkl::expected_applies),
                 "mkl_sparse_set_symgs_hint");
    }
    matrix_.optimize();
    if (with_ == With::jacobi) take_diagonal(problem.host);
    if (with_ == With::ilu0) factors_.emplace(problem.host);
  }

  Vector vector(const char* label) const {
    return Vector(std::string(label), static_cast<std::size_t>(rows_));
  }
  void product(const Vector& x, const Vector& y) const {
    mkl::check(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, matrix_.handle(), whole, x.data(),
                               0, y.data()),
               "mkl_sparse_d_mv");
  }
  double dot(const Vector& x, const Vector& y) const {
    return cblas_ddot(rows_, x.data(), 1, y.data(), 1);
  }
  void axpby(double a, const Vector& x, double b, const Vector& y) const {
    if (b == 0) {
      cblas_dcopy(rows_, x.data(), 1, y.data(), 1);
      if (a != 1) cblas_dscal(rows_, a, y.data(), 1);
    } else if (b == 1) {
      cblas_daxpy(rows_, a, x.data(), 1, y.data(), 1);
    } else {
      cblas_daxpby(rows_, a, x.data(), 1, b, y.data(), 1);
    }
  }
  void precondition(const Vector& r, const Vector& z) {
    switch (with_) {
      case With::none: cblas_dcopy(rows_, r.data(), 1, z.data(), 1); return;
      case With::jacobi: vdMul(rows_, r.data(), inverse_.data(), z.data()); return;
      case With::ssor:  // MKL first multiplies z by alpha
        Kokkos::deep_copy(z, 0.0);
        mkl::check(mkl_sparse_d_symgs(SPARSE_OPERATION_NON_TRANSPOSE, matrix_.handle(), whole, 0,
                                      r.data(), z.data()),
                   "mkl_sparse_d_symgs");
        return;
      case With::ilu0: return factors_->solve(r.data(), z.data());
    }
  }
  /// False: mkl_sparse_optimize has copied the values, so new factors need a new set-up.
  static bool updates() { return false; }
  static void update_values() {}
  std::size_t bytes() const { return factors_ ? factors_->bytes() : 0; }

 private:
  inline static const matrix_descr whole =
      mkl::described(SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT);

  void take_diagonal(const HostStorage<double, MKL_INT>& A) {
    for (MKL_INT i = 0; i < rows_; ++i) {
      MKL_INT k = A.row_ptr()(i);
      while (A.col_idx()(k) != i) ++k;
      inverse_.push_back(1 / A.values()(k));
    }
  }

  MKL_INT rows_;
  mkl::Matrix<double, MKL_INT> matrix_;
  With with_;
  std::vector<double> inverse_;
  std::optional<MklFactors> factors_;
};

template <class S, class Off>
bool enter() {
  if constexpr (std::same_as<S, double> && std::same_as<Off, MKL_INT>) {
    using Problem = SolveProblem<S, Off>;
    // If PETSc is linked too, its BLAS is MKL's, which it may call before anything here runs.
    mkl::share_openmp();
    const auto add = [](const char* name, const char* description, With with) {
      add_contestant<LoopSolve<S, Off, MklKernels>, Problem>(name, description, with);
    };
    add("mkl-none", "a loop over Intel MKL's kernels", With::none);
    add("mkl-jacobi", "a loop over Intel MKL's kernels, the diagonal", With::jacobi);
    add("mkl-ssor", "a loop over Intel MKL's kernels, symgs", With::ssor);
    add("mkl-ilu0", "a loop over Intel MKL's kernels, dcsrilu0 and trsv", With::ilu0);
  }
  return true;
}

[[maybe_unused]] const bool entered = enter<HEDDLE_BENCH_SCALAR, HEDDLE_BENCH_OFFSET>();

}  // namespace

}  // namespace heddle::bench
