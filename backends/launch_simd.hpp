// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cpu_traits.hpp"
#include "launch.hpp"
#include "pack.hpp"

namespace heddle::backends {

namespace detail {

/// Runs teams [first, stop) of a kernel that is inlined, and so compiled for AVX2 and FMA.
template <class Team, class Kernel>
HEDDLE_SIMD_INSTANCE void run_teams_with_simd(Kernel kernel, std::int64_t first, std::int64_t stop,
                                              typename Kernel::Scratch& scratch) {
  for (std::int64_t index = first; index < stop; ++index) {
    kernel(SimdTeam<Team, 32>(index), scratch);
  }
}

/// Runs teams [first, stop) of a kernel, compiled for any processor.
template <class Team, class Kernel>
HEDDLE_PLAIN_INSTANCE void run_teams_without_simd(Kernel kernel, std::int64_t first,
                                                  std::int64_t stop,
                                                  typename Kernel::Scratch& scratch) {
  for (std::int64_t index = first; index < stop; ++index) kernel(Team(index), scratch);
}

/// The teams of a kernel in equal, contiguous shares, one a thread.
template <class Team, class Kernel, bool WithSimd, bool Packs>
struct ShareOfTeams {
  using Scratch = typename Kernel::Scratch;
  Kernel kernel;
  std::int64_t teams, shares;

  HEDDLE_NO_EXECUTION_CHECK
  template <class Share>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Share& share, Scratch& scratch) const {
    const std::int64_t first = teams * share.index() / shares;
    const std::int64_t stop = teams * (share.index() + 1) / shares;
    if constexpr (WithSimd) {
      run_teams_with_simd<Team>(kernel, first, stop, scratch);
    } else {
      run_teams_without_simd<Team>(kernel, first, stop, scratch);
    }
  }
};

template <class LaunchShape, bool WithSimd, bool Packs, ExecutionSpace Exec, class Kernel>
  requires runs_on_host<Exec>
void launch_shares_of_teams(const Exec& exec, const char* label, std::int64_t teams,
                            const Kernel& kernel) {
  const std::int64_t threads = exec.concurrency();
  const std::int64_t shares = teams < threads ? teams : threads;
  using Share = ShareOfTeams<backends::Team<Exec, LaunchShape>, Kernel, WithSimd, Packs>;
  launch<LaunchShape>(exec, label, shares, Share{kernel, teams, shares});
}

}  // namespace detail

/// launch for kernels made of Packs: what is inlined into the kernel's operator() is compiled for
/// AVX2 and FMA too. That version runs unless `simd` is Simd::none; supports(simd) must hold. A GPU
/// ignores it. Packs always gather by loads.
///
/// The kernel's operator() is a KOKKOS_FORCEINLINE_FUNCTION. All teams of a thread get the same
/// scratch. The versions may differ in the last bits, since one fuses products and sums.
template <class LaunchShape, bool Packs = compiles_packs, ExecutionSpace Exec, class Kernel>
void launch_simd(const Exec& exec, const char* label, std::int64_t teams, const Kernel& kernel,
                 [[maybe_unused]] Simd simd) {
  if constexpr (!runs_on_host<Exec>) {
    launch<LaunchShape>(exec, label, teams, kernel);
  } else {
    if constexpr (compiles_simd) {
      if (simd != Simd::none) {
        return detail::launch_shares_of_teams<LaunchShape, true, Packs>(exec, label, teams, kernel);
      }
    }
    detail::launch_shares_of_teams<LaunchShape, false, Packs>(exec, label, teams, kernel);
  }
}

/// The two halves of launch_simd, for callers with a kernel for each, which halves the time to
/// compile. launch_with_simd compiles for AVX2 and FMA alone, which the processor must have and
/// compiles_simd must allow; launch_without_simd for any processor.
template <class LaunchShape, bool Packs = compiles_packs, ExecutionSpace Exec, class Kernel>
  requires runs_on_host<Exec>
void launch_with_simd(const Exec& exec, const char* label, std::int64_t teams,
                      const Kernel& kernel) {
  detail::launch_shares_of_teams<LaunchShape, true, Packs>(exec, label, teams, kernel);
}
template <class LaunchShape, bool Packs = compiles_packs, ExecutionSpace Exec, class Kernel>
void launch_without_simd(const Exec& exec, const char* label, std::int64_t teams,
                         const Kernel& kernel) {
  if constexpr (!runs_on_host<Exec>) {
    launch<LaunchShape>(exec, label, teams, kernel);
  } else {
    detail::launch_shares_of_teams<LaunchShape, false, Packs>(exec, label, teams, kernel);
  }
}

/// Runs one team of such a kernel on the calling thread, for callers that divide work themselves.
template <ExecutionSpace Exec, bool Packs = compiles_packs, class Kernel>
  requires runs_on_host<Exec>
void run_simd(const Kernel& kernel, [[maybe_unused]] Simd simd) {
  using Team = backends::Team<Exec, Shape<1>>;
  typename Kernel::Scratch scratch;
  if constexpr (compiles_simd) {
    if (simd != Simd::none) return detail::run_teams_with_simd<Team>(kernel, 0, 1, scratch);
  }
  detail::run_teams_without_simd<Team>(kernel, 0, 1, scratch);
}

}  // namespace heddle::backends
