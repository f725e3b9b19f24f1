// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels: its native and merge-path kernels, whatever vendor library it was built with.
#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>

#include "../bench/spmv/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

template <class Vectors>
class KokkosKernels : public SpmvContestant<S> {
 public:
  KokkosKernels(const SpmvProblem<S, Off>& problem, const Vectors& x, const Vectors& y,
                KokkosSparse::SPMVAlgorithm algorithm)
      : matrix_("heddle::bench::kokkos_kernels", problem.A.rows(), problem.A.columns(),
                problem.A.nonzeros(), problem.A.values(), problem.A.row_ptr(), problem.A.col_idx()),
        x_(x),
        y_(y),
        handle_(algorithm) {}

  void apply(const Exec& exec, S alpha, S beta) override {
    KokkosSparse::spmv(exec, &handle_, "N", alpha, matrix_, x_, beta, y_);
  }

 private:
  using Matrix = KokkosSparse::CrsMatrix<const S, const Index, Kokkos::Device<Exec, Space>,
                                         Kokkos::MemoryTraits<Kokkos::Unmanaged>, const Off>;

  Matrix matrix_;
  Vectors x_, y_;
  KokkosSparse::SPMVHandle<Exec, Matrix, Vectors, Vectors> handle_;
};

bool enter(const char* name, const char* description, KokkosSparse::SPMVAlgorithm algorithm) {
  return add_baseline<SpmvProblem<S, Off>>(
      {name, description, [algorithm](const Exec&, const SpmvProblem<S, Off>& problem) {
         return problem.with_vectors(
             [&](const auto& x, const auto& y) -> std::unique_ptr<SpmvContestant<S>> {
               using Vectors = std::decay_t<decltype(x)>;
               return std::make_unique<KokkosKernels<Vectors>>(problem, x, y, algorithm);
             });
       }});
}

[[maybe_unused]] const bool native =
    enter("kk-native", "Kokkos Kernels, native", KokkosSparse::SPMV_NATIVE);
[[maybe_unused]] const bool merge =
    enter("kk-merge", "Kokkos Kernels, native merge path", KokkosSparse::SPMV_NATIVE_MERGE_PATH);

}  // namespace

}  // namespace heddle::bench
