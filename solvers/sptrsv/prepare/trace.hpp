// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "../../../backends/clock.hpp"
#include "../../../core/arena.hpp"
#include "../../order/host_copy.hpp"

namespace heddle::detail::sptrsv {

/// What a kernel notes of the steps of a solve, each a row or a group of rows: nothing.
struct NoTrace {
  static constexpr bool records = false;

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t) const {}
  KOKKOS_FORCEINLINE_FUNCTION void end(std::int64_t) const {}
};

/// When each step was begun and when it was posted; each by one thread of the step. The end is
/// noted behind the post, which it so does not delay.
struct StepTrace {
  static constexpr bool records = true;

  std::int64_t* begun;
  std::int64_t* ended;

  KOKKOS_FORCEINLINE_FUNCTION void begin(std::int64_t step) const {
    begun[step] = backends::clock_ticks();
  }
  KOKKOS_FORCEINLINE_FUNCTION void end(std::int64_t step) const {
    ended[step] = backends::clock_ticks();
  }
};

/// A traced solve, on the host. A step needs steps that all lie before it, or all behind it.
struct SolveTrace {
  /// Of each step, from when the first was begun.
  std::vector<std::int64_t> begin_ns, end_ns;
  std::vector<std::int64_t> step_of_row;
  bool groups = false;  ///< whether steps are groups of rows, and not rows
};

/// Where a solve is traced to. One allocation, and a fill in the order of `exec`.
template <ExecutionSpace Exec>
class TraceStorage {
 public:
  TraceStorage(const Exec& exec, std::int64_t steps)
      : steps_(steps),
        memory_(exec, "heddle::sptrsv::trace",
                arena_bytes<std::int64_t, std::int64_t>(static_cast<std::size_t>(steps),
                                                        static_cast<std::size_t>(steps))) {
    for (std::int64_t** const stamps : {&trace_.begun, &trace_.ended}) {
      const auto array = memory_.template take<std::int64_t>(static_cast<std::size_t>(steps));
      Kokkos::deep_copy(kokkos_space(exec), array, no_stamp);
      *stamps = array.data();
    }
  }

  StepTrace trace() const { return trace_; }

  /// After the solve; waits for it. Throws Error where a step has no stamps.
  SolveTrace read(const Exec& exec) const {
    SolveTrace solve;
    solve.begin_ns =
        order::copied_to_host(exec, "heddle::sptrsv::trace_on_host", trace_.begun, steps_);
    solve.end_ns =
        order::copied_to_host(exec, "heddle::sptrsv::trace_on_host", trace_.ended, steps_);
    if (steps_ == 0) return solve;
    for (const auto* const stamps : {&solve.begin_ns, &solve.end_ns}) {
      if (std::find(stamps->begin(), stamps->end(), no_stamp) == stamps->end()) continue;
      throw Error("a step of a traced solve has no time stamps", "report it, with the scheme");
    }
    const std::int64_t first = *std::min_element(solve.begin_ns.begin(), solve.begin_ns.end());
    const double tick = backends::tick_nanoseconds(exec);
    for (auto* const stamps : {&solve.begin_ns, &solve.end_ns}) {
      for (std::int64_t& stamp : *stamps) {
        stamp = static_cast<std::int64_t>(tick * static_cast<double>(stamp - first));
      }
    }
    return solve;
  }

 private:
  static constexpr std::int64_t no_stamp = -1;

  std::int64_t steps_;
  Arena<typename Exec::memory_space> memory_;
  StepTrace trace_;
};

/// The step of each row where every place is a step: the inverse of the rows of places.
template <ExecutionSpace Exec, Ordinal O>
std::vector<std::int64_t> places_of_rows(const Exec& exec, const O* row, std::int64_t places) {
  const std::vector<O> rows =
      order::copied_to_host(exec, "heddle::sptrsv::trace_on_host", row, places);
  std::vector<std::int64_t> place(rows.size());
  for (std::size_t p = 0; p < rows.size(); ++p) {
    place[static_cast<std::size_t>(rows[p])] = static_cast<std::int64_t>(p);
  }
  return place;
}

}  // namespace heddle::detail::sptrsv
