// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Intel MKL's inspector-executor interface, as created and after mkl_sparse_optimize.
#include <complex>
#define MKL_Complex8 std::complex<float>
#define MKL_Complex16 std::complex<double>
#include <mkl_service.h>
#include <mkl_spblas.h>

#include "../bench/spmv/problem.hpp"

namespace heddle::bench {

namespace {

/// The type that MKL knows a scalar of ours as; both are laid out alike.
template <class T>
struct MklType {
  using type = T;
};
template <class T>
struct MklType<Kokkos::complex<T>> {
  using type = std::complex<T>;
};
void check(sparse_status_t status, const char* what) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  throw Error(std::string(what) + " failed with status " + std::to_string(status),
              "leave this baseline out for this problem");
}

template <Scalar S, Offset Off>
class Mkl : public SpmvContestant<S> {
 public:
  Mkl(const SpmvProblem<S, Off>& problem, bool optimize, int expected_applies) : problem_(problem) {
    if constexpr (sizeof(Off) != sizeof(MKL_INT)) {
      throw Error("this MKL has offsets of " + std::to_string(8 * sizeof(MKL_INT)) + " bits",
                  "use --offset " + std::to_string(8 * sizeof(MKL_INT)));
    } else {
      const auto& A = problem.A;
      auto* begin = reinterpret_cast<MKL_INT*>(const_cast<Off*>(A.row_ptr().data()));
      auto* columns = const_cast<MKL_INT*>(A.col_idx().data());
      auto* values = reinterpret_cast<M*>(const_cast<S*>(A.values().data()));
      check(create(A.rows(), A.columns(), begin, columns, values), "mkl_sparse_create_csr");
      if (optimize) {
        if (problem.columns == 1) {
          check(mkl_sparse_set_mv_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, general(),
                                       expected_applies),
                "mkl_sparse_set_mv_hint");
        } else {
          check(mkl_sparse_set_mm_hint(handle_, SPARSE_OPERATION_NON_TRANSPOSE, general(), layout(),
                                       problem.columns, expected_applies),
                "mkl_sparse_set_mm_hint");
        }
        check(mkl_sparse_optimize(handle_), "mkl_sparse_optimize");
      }
    }
  }
  Mkl(const Mkl&) = delete;
  ~Mkl() override {
    if (handle_) mkl_sparse_destroy(handle_);
  }

  void apply(const Exec&, S alpha, S beta) override {
    check(problem_.columns == 1 ? apply_vector(as_mkl(alpha), as_mkl(beta))
                                : apply_columns(as_mkl(alpha), as_mkl(beta)),
          "mkl_sparse_mv");
  }

 private:
  using M = typename MklType<S>::type;
  template <class T>
  static constexpr bool same = std::is_same_v<M, T>;

  static M as_mkl(const S& value) {
    if constexpr (is_complex<S>) {
      return M(value.real(), value.imag());
    } else {
      return value;
    }
  }

  sparse_layout_t layout() const {
    return problem_.row_major ? SPARSE_LAYOUT_ROW_MAJOR : SPARSE_LAYOUT_COLUMN_MAJOR;
  }

  static matrix_descr general() {
    matrix_descr description{};
    description.type = SPARSE_MATRIX_TYPE_GENERAL;
    return description;
  }

  sparse_status_t create(MKL_INT m, MKL_INT n, MKL_INT* begin, MKL_INT* columns, M* values) {
    const auto base = SPARSE_INDEX_BASE_ZERO;
    MKL_INT* end = begin + 1;
    if constexpr (same<float>) {
      return mkl_sparse_s_create_csr(&handle_, base, m, n, begin, end, columns, values);
    } else if constexpr (same<double>) {
      return mkl_sparse_d_create_csr(&handle_, base, m, n, begin, end, columns, values);
    } else if constexpr (same<std::complex<float>>) {
      return mkl_sparse_c_create_csr(&handle_, base, m, n, begin, end, columns, values);
    } else {
      return mkl_sparse_z_create_csr(&handle_, base, m, n, begin, end, columns, values);
    }
  }

  sparse_status_t apply_vector(M alpha, M beta) {
    const auto plain = SPARSE_OPERATION_NON_TRANSPOSE;
    const auto* x = reinterpret_cast<const M*>(problem_.x.data());
    auto* y = reinterpret_cast<M*>(problem_.y.data());
    if constexpr (same<float>) {
      return mkl_sparse_s_mv(plain, alpha, handle_, general(), x, beta, y);
    } else if constexpr (same<double>) {
      return mkl_sparse_d_mv(plain, alpha, handle_, general(), x, beta, y);
    } else if constexpr (same<std::complex<float>>) {
      return mkl_sparse_c_mv(plain, alpha, handle_, general(), x, beta, y);
    } else {
      return mkl_sparse_z_mv(plain, alpha, handle_, general(), x, beta, y);
    }
  }

  sparse_status_t apply_columns(M alpha, M beta) {
    const auto plain = SPARSE_OPERATION_NON_TRANSPOSE;
    const auto layout = this->layout();
    const MKL_INT k = problem_.columns;
    const MKL_INT ldx = problem_.row_major ? k : problem_.A.columns();
    const MKL_INT ldy = problem_.row_major ? k : problem_.A.rows();
    const auto* x = reinterpret_cast<const M*>(problem_.x.data());
    auto* y = reinterpret_cast<M*>(problem_.y.data());
    if constexpr (same<float>) {
      return mkl_sparse_s_mm(plain, alpha, handle_, general(), layout, x, k, ldx, beta, y, ldy);
    } else if constexpr (same<double>) {
      return mkl_sparse_d_mm(plain, alpha, handle_, general(), layout, x, k, ldx, beta, y, ldy);
    } else if constexpr (same<std::complex<float>>) {
      return mkl_sparse_c_mm(plain, alpha, handle_, general(), layout, x, k, ldx, beta, y, ldy);
    } else {
      return mkl_sparse_z_mm(plain, alpha, handle_, general(), layout, x, k, ldx, beta, y, ldy);
    }
  }

  SpmvProblem<S, Off> problem_;
  sparse_matrix_t handle_ = nullptr;
};

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

/// mkl_rt decides at the first call which OpenMP it runs on; two in one process get in each other's
/// way.
void share_openmp() {
  static const int chosen = [] {
#ifdef __clang__
    return mkl_set_threading_layer(MKL_THREADING_INTEL);
#else
    return mkl_set_threading_layer(MKL_THREADING_GNU);
#endif
  }();
  (void)chosen;
}

bool enter(const char* name, const char* description, bool optimize) {
  return add_baseline<SpmvProblem<S, Off>>(
      {name, description, [optimize](const Exec& exec, const SpmvProblem<S, Off>& problem) {
         constexpr int expected_applies = 1000;
         share_openmp();
         mkl_set_num_threads(exec.concurrency());
         return std::make_unique<Mkl<S, Off>>(problem, optimize, expected_applies);
       }});
}

[[maybe_unused]] const bool plain = enter("mkl-plain", "Intel MKL, CSR as created", false);
[[maybe_unused]] const bool optimized =
    enter("mkl-optimized", "Intel MKL, after mkl_sparse_optimize", true);

}  // namespace

}  // namespace heddle::bench
