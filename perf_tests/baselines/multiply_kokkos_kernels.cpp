// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels' spgemm_symbolic and spgemm_numeric.
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_spgemm.hpp>

#include "../bench/multiply/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = MultiplyProblem<S, Off>;
using Matrix = Problem::Matrix;

class KokkosKernelsProduct {
 public:
  KokkosKernelsProduct(const Exec& exec, const Matrix& A, const Matrix& B)
      : A_(A), B_(B), row_ptr_("heddle::bench::row_ptr", static_cast<std::size_t>(A.rows()) + 1) {
    handle_.create_spgemm_handle();
    KokkosSparse::spgemm_symbolic(&handle_, A.rows(), B.rows(), B.columns(), begin(A), columns(A),
                                  false, begin(B), columns(B), false, row_ptr_);
    const std::size_t entries = handle_.get_spgemm_handle()->get_c_nnz();
    const auto allocate = [&](const char* label) {
      return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
    };
    col_idx_ = Columns(allocate("heddle::bench::col_idx"), entries);
    values_ = Values(allocate("heddle::bench::values"), entries);
    exec.fence("heddle::bench::allocated");
  }
  KokkosKernelsProduct(const KokkosKernelsProduct&) = delete;
  ~KokkosKernelsProduct() { handle_.destroy_spgemm_handle(); }

  void numeric(const Exec&) {
    KokkosSparse::spgemm_numeric(&handle_, A_.rows(), B_.rows(), B_.columns(), begin(A_),
                                 columns(A_), values(A_), false, begin(B_), columns(B_), values(B_),
                                 false, row_ptr_, col_idx_, values_);
    made_ = true;
  }
  /// The product with its columns: a second product needs them, and only numeric() computes them.
  Matrix matrix() {
    if (!made_) numeric(Exec());
    return Matrix(A_.rows(), B_.columns(), row_ptr_, col_idx_, values_);
  }
  std::size_t bytes() const {
    return row_ptr_.span() * sizeof(Off) + col_idx_.span() * sizeof(Index) +
           values_.span() * sizeof(S);
  }

 private:
  using Begin = Kokkos::View<Off*, Space>;
  using Columns = Kokkos::View<Index*, Space>;
  using Values = Kokkos::View<S*, Space>;

  // The library accepts only Views without the Unmanaged trait.
  static Kokkos::View<const Off*, Space> begin(const Matrix& M) { return M.row_ptr(); }
  static Kokkos::View<const Index*, Space> columns(const Matrix& M) { return M.col_idx(); }
  static Kokkos::View<const S*, Space> values(const Matrix& M) { return M.values(); }

  Matrix A_, B_;
  bool made_ = false;
  Begin row_ptr_;
  Columns col_idx_;
  Values values_;
  KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space> handle_;
};

[[maybe_unused]] const bool entered =
    add_contestant<ProductsInTurn<S, Off, KokkosKernelsProduct>, Problem>(
        "kk", "Kokkos Kernels, its default algorithm");

}  // namespace

}  // namespace heddle::bench
