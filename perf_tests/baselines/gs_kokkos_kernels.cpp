// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel of Kokkos Kernels: by colors of rows or of clusters of rows, and two-stage, in which
// a few Jacobi sweeps replace the triangular solve.
#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_gauss_seidel.hpp>

#include "../bench/gs/problem.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = GsProblem<S, Off>;
using KokkosSparse::GSAlgorithm;

class KokkosKernelsSweeps : public GsContestant<S> {
 public:
  KokkosKernelsSweeps(const Problem& problem, GSAlgorithm algorithm)
      : problem_(problem),
        row_ptr_(problem.A.row_ptr()),
        col_idx_(problem.A.col_idx()),
        values_(problem.A.values()) {
    if (problem.columns > 1) {
      throw Error("several columns are not compared", "use --columns 1");
    }
    if (algorithm == KokkosSparse::GS_CLUSTER) {
      handle_.create_gs_handle(KokkosSparse::ClusteringAlgorithm::CLUSTER_DEFAULT, rows_a_cluster);
    } else {
      handle_.create_gs_handle(algorithm);
    }
    // The graph is not known to be symmetric, nor is it in Heddle's plan.
    KokkosSparse::gauss_seidel_symbolic(&handle_, n(), n(), row_ptr_, col_idx_, false);
    KokkosSparse::gauss_seidel_numeric(&handle_, n(), n(), row_ptr_, col_idx_, values_, false);
  }
  KokkosKernelsSweeps(const KokkosKernelsSweeps&) = delete;
  ~KokkosKernelsSweeps() override { handle_.destroy_gs_handle(); }

  void run(const Exec&) override {
    const bool zero = problem_.from_zero;
    const S omega(static_cast<RealOf<S>>(problem_.options.omega));
    const Kokkos::View<const S*, Space> b = problem_.b;
    const auto& x = problem_.x;
    const int sweeps = problem_.sweeps;
    switch (problem_.options.sweep) {
      case SweepDirection::symmetric:
        return KokkosSparse::symmetric_gauss_seidel_apply(&handle_, n(), n(), row_ptr_, col_idx_,
                                                          values_, x, b, zero, true, omega, sweeps);
      case SweepDirection::forward:
        return KokkosSparse::forward_sweep_gauss_seidel_apply(
            &handle_, n(), n(), row_ptr_, col_idx_, values_, x, b, zero, true, omega, sweeps);
      case SweepDirection::backward:
        return KokkosSparse::backward_sweep_gauss_seidel_apply(
            &handle_, n(), n(), row_ptr_, col_idx_, values_, x, b, zero, true, omega, sweeps);
    }
  }
  GsNumbers numbers() const override { return GsNumbers::reordered; }

 private:
  static constexpr Index rows_a_cluster = 8;
  Index n() const { return problem_.A.rows(); }

  Problem problem_;
  Kokkos::View<const Off*, Space> row_ptr_;
  Kokkos::View<const Index*, Space> col_idx_;
  Kokkos::View<const S*, Space> values_;
  KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space> handle_;
};

[[maybe_unused]] const bool colors = add_contestant<KokkosKernelsSweeps, Problem>(
    "kk-colors", "Kokkos Kernels, by colors, the rows permuted", KokkosSparse::GS_PERMUTED);
[[maybe_unused]] const bool clusters = add_contestant<KokkosKernelsSweeps, Problem>(
    "kk-clusters", "Kokkos Kernels, by colors of clusters of 8 rows", KokkosSparse::GS_CLUSTER);
[[maybe_unused]] const bool two_stage = add_contestant<KokkosKernelsSweeps, Problem>(
    "kk-two-stage", "Kokkos Kernels, Jacobi for the triangular solve", KokkosSparse::GS_TWOSTAGE);

}  // namespace

}  // namespace heddle::bench
