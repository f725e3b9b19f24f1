// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels: its level schedules, by ranges of rows and by teams.
#include "../bench/sptrsv/problem.hpp"
#include "kokkos_kernels_library.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = SptrsvProblem<S, Off>;
using KokkosSparse::Experimental::SPTRSVAlgorithm;

struct Scaled {
  S alpha;
  Kokkos::View<S*, Space> from, to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { to(i) = alpha * from(i); }
};

class KokkosKernelsSolve : public SptrsvContestant<S> {
 public:
  KokkosKernelsSolve(const Exec& exec, const Problem& problem, SPTRSVAlgorithm algorithm)
      : problem_(problem), adds_(algorithm == SPTRSVAlgorithm::SEQLVLSCHD_RP) {
    if (problem.columns > 1 || problem.op != Op::none) {
      throw Error("Kokkos Kernels solves for one vector, and has no transposed solve",
                  "use --columns 1 --op none");
    }
    handle_.create_sptrsv_handle(algorithm, problem.A.rows(), problem.triangle == Triangle::lower);
    Exec same = exec;  // the library needs it non-const
    kokkos_kernels::sparse::sptrsv_symbolic(same, &handle_, problem.A.row_ptr(),
                                            problem.A.col_idx(), problem.A.values());
  }
  KokkosKernelsSolve(const KokkosKernelsSolve&) = delete;
  ~KokkosKernelsSolve() override { handle_.destroy_sptrsv_handle(); }

  /// The library has no alpha; a timed solve has none either.
  void solve(const Exec& exec, S alpha) override {
    Exec same = exec;
    Kokkos::View<S*, Space> b = problem_.b;
    if (adds_) Kokkos::deep_copy(exec, problem_.x, S(0));
    if (alpha != S(1)) {
      b = Kokkos::View<S*, Space>("heddle::bench::scaled", problem_.b.extent(0));
      const auto rows = static_cast<std::int64_t>(b.extent(0));
      const Scaled scaled{alpha, problem_.b, b};
      Kokkos::parallel_for("heddle::bench::scaled", Kokkos::RangePolicy<Exec>(exec, 0, rows),
                           scaled);
    }
    kokkos_kernels::sparse::sptrsv_solve(same, &handle_, problem_.A.row_ptr(), problem_.A.col_idx(),
                                         problem_.A.values(), b, problem_.x);
    if (alpha != S(1)) exec.fence("heddle::bench::scaled");
  }

 private:
  Problem problem_;
  bool adds_;  // whether a solve adds to x, which must be zero first
  KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space> handle_;
};

[[maybe_unused]] const bool ranges = add_contestant<KokkosKernelsSolve, Problem>(
    "kk-ranges", "Kokkos Kernels, level sets, a thread a row", SPTRSVAlgorithm::SEQLVLSCHD_RP);
[[maybe_unused]] const bool teams = add_contestant<KokkosKernelsSolve, Problem>(
    "kk-teams", "Kokkos Kernels, level sets, a team a row", SPTRSVAlgorithm::SEQLVLSCHD_TP1);

}  // namespace

}  // namespace heddle::bench
