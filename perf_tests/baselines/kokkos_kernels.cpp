// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels: its own kernels (native and merge path), whatever vendor library it was built
// with.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include "../bench/contestant.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

class KokkosKernels : public Contestant<S> {
 public:
  KokkosKernels(const SpmvProblem<S, Off>& problem, KokkosSparse::SPMVAlgorithm algorithm)
      : problem_(problem),
        matrix_("heddle::bench::kokkos_kernels", problem.A.rows(), problem.A.columns(),
                problem.A.nonzeros(), problem.A.values(), problem.A.row_ptr(), problem.A.col_idx()),
        vector_handle_(algorithm),
        columns_handle_(algorithm) {}

  void apply(const Exec& exec, S alpha, S beta) override {
    if (problem_.columns() == 1) {
      KokkosSparse::spmv(exec, &vector_handle_, "N", alpha, matrix_, problem_.x_vector, beta,
                         problem_.y_vector);
    } else {
      KokkosSparse::spmv(exec, &columns_handle_, "N", alpha, matrix_, problem_.x, beta, problem_.y);
    }
  }

 private:
  using Matrix = KokkosSparse::CrsMatrix<const S, const Index, Kokkos::Device<Exec, Space>,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>, const Off>;
  using Vector = Kokkos::View<S*, Space>;
  using Columns = Kokkos::View<S**, Kokkos::LayoutLeft, Space>;

  SpmvProblem<S, Off> problem_;
  Matrix matrix_;
  KokkosSparse::SPMVHandle<Exec, Matrix, Vector, Vector> vector_handle_;
  KokkosSparse::SPMVHandle<Exec, Matrix, Columns, Columns> columns_handle_;
};

bool enter(const char* name, const char* description, KokkosSparse::SPMVAlgorithm algorithm) {
  return add_baseline<S, Off>(
      {name, description, [algorithm](const Exec&, const SpmvProblem<S, Off>& problem) {
         return std::make_unique<KokkosKernels>(problem, algorithm);
       }});
}

[[maybe_unused]] const bool native =
    enter("kk-native", "Kokkos Kernels, native", KokkosSparse::SPMV_NATIVE);
[[maybe_unused]] const bool merge =
    enter("kk-merge", "Kokkos Kernels, native merge path", KokkosSparse::SPMV_NATIVE_MERGE_PATH);

}  // namespace

}  // namespace heddle::bench
