// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kokkos Kernels: spiluk by level sets, and an apply of its factors by two sptrsv.
#include "../bench/ilu/check.hpp"
#include "kokkos_kernels_factors.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = IluProblem<S, Off>;

/// Both factors in one matrix, L without its diagonal.
auto on_host(const kokkos_kernels::Spiluk<S, Off>& factors, std::size_t rows) {
  const auto fetch = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto& lower = factors.lower();
  const auto& upper = factors.upper();
  const auto l_ptr = fetch(lower.row_ptr), u_ptr = fetch(upper.row_ptr);
  const auto l_col = fetch(lower.col_idx), u_col = fetch(upper.col_idx);
  const auto l_val = fetch(lower.values), u_val = fetch(upper.values);
  const std::size_t entries = l_col.extent(0) + u_col.extent(0) - rows;
  Kokkos::View<Off*, Kokkos::HostSpace> row_ptr("heddle::bench::factors", rows + 1);
  Kokkos::View<Index*, Kokkos::HostSpace> col_idx("heddle::bench::factors", entries);
  Kokkos::View<S*, Kokkos::HostSpace> values("heddle::bench::factors", entries);
  std::size_t at = 0;
  const auto add = [&](Index column, S value) {
    col_idx(at) = column;
    values(at++) = value;
  };
  for (std::size_t i = 0; i < rows; ++i) {
    for (Off k = l_ptr(i); k + 1 < l_ptr(i + 1); ++k) add(l_col(k), l_val(k));
    for (Off k = u_ptr(i); k < u_ptr(i + 1); ++k) add(u_col(k), u_val(k));
    row_ptr(i + 1) = static_cast<Off>(at);
  }
  return HostFactors{row_ptr, col_idx, values, false};
}

class KokkosKernelsFactors : public IluContestant<S> {
 public:
  KokkosKernelsFactors(const Exec&, const Problem& problem, Timed timed)
      : problem_(without_fill(problem, false)), timed_(timed), factors_(problem.A, 0, 1) {}

  void run(const Exec&) override {
    if (timed_ == Timed::factor) return factors_.factor();
    factors_.solve(problem_.b, problem_.x);
  }
  std::optional<double> error_over_bound(const Exec& exec) override {
    return timed_error(problem_, timed_, on_host(factors_, problem_.host_b.extent(0)),
                       problem_.host_x(exec));
  }
  std::size_t bytes() const override {
    std::size_t bytes = 0;
    for (const auto* part : {&factors_.lower(), &factors_.upper()}) {
      bytes +=
          part->row_ptr.span() * sizeof(Off) + part->col_idx.span() * (sizeof(Index) + sizeof(S));
    }
    return bytes;
  }
  std::string note() const override { return "spiluk"; }

 private:
  Problem problem_;
  Timed timed_;
  kokkos_kernels::Spiluk<S, Off> factors_;
};

[[maybe_unused]] const bool factor =
    add_contestant<KokkosKernelsFactors, Problem>("kk", "Kokkos Kernels, spiluk", Timed::factor);
[[maybe_unused]] const bool apply = add_contestant<KokkosKernelsFactors, Problem>(
    "kk-apply", "Kokkos Kernels, two sptrsv by level sets", Timed::apply);

}  // namespace

}  // namespace heddle::bench
