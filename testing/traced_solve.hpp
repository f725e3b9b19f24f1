// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>

#include "../backends/clock.hpp"
#include "../solvers/sptrsv/definitions.hpp"
#include "../solvers/sptrsv/plan.hpp"
#include "solve_trace.hpp"

namespace heddle::detail::sptrsv {

/// Gives access to the private parts of a plan.
struct TraceAccess {
  template <class Plan>
  static auto& core(Plan& plan) {
    return plan.core("trace");
  }
  template <class Core>
  static auto& executor(Core& core, Op op) {
    return core.executor(op);
  }
  template <class Core>
  static std::int64_t rows(const Core& core) {
    return core.T_.rows();
  }
};

}  // namespace heddle::detail::sptrsv

namespace heddle::test {

/// Time stamps of each step, at its begin and at its post, each by one thread of the step. The end
/// is stamped after the post, so that it does not delay it.
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

/// Storage of a trace. One allocation, and a fill in the order of `exec`.
template <ExecutionSpace Exec>
class TraceStorage {
 public:
  TraceStorage(const Exec& exec, std::int64_t steps)
      : steps_(steps),
        memory_(exec, "heddle::test::trace",
                arena_bytes<std::int64_t, std::int64_t>(static_cast<std::size_t>(steps),
                                                        static_cast<std::size_t>(steps))) {
    for (std::int64_t** const stamps : {&trace_.begun, &trace_.ended}) {
      const auto array = memory_.template take<std::int64_t>(static_cast<std::size_t>(steps));
      Kokkos::deep_copy(kokkos_space(exec), array, no_stamp);
      *stamps = array.data();
    }
  }

  StepTrace trace() const { return trace_; }

  /// Reads the trace after the solve, for which it waits. Throws Error if a step has no stamps.
  SolveTrace read(const Exec& exec) const {
    SolveTrace solve;
    solve.begin_ns = heddle::detail::ordered::copied_to_host(exec, "heddle::test::trace_on_host",
                                                             trace_.begun, steps_);
    solve.end_ns = heddle::detail::ordered::copied_to_host(exec, "heddle::test::trace_on_host",
                                                           trace_.ended, steps_);
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

/// The step of each row if every place is a step: the inverse of the permutation `row`.
template <ExecutionSpace Exec, Ordinal O>
std::vector<std::int64_t> places_of_rows(const Exec& exec, const O* row, std::int64_t places) {
  const std::vector<O> rows =
      heddle::detail::ordered::copied_to_host(exec, "heddle::test::trace_on_host", row, places);
  std::vector<std::int64_t> place(rows.size());
  for (std::size_t p = 0; p < rows.size(); ++p) {
    place[static_cast<std::size_t>(rows[p])] = static_cast<std::int64_t>(p);
  }
  return place;
}

/// One traced solve of one right-hand side by an executor; its steps are the rows or the groups of
/// rows of its scheme.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
struct TracedSolver {
  const Exec& exec;
  bool conjugate;
  Acc alpha;
  const Multivector<const V>& b;
  const Multivector<V>& x;

  SolveTrace operator()(heddle::detail::sptrsv::TasksExecutor<Exec, Matrix, V, Acc>& runs) const {
    const auto view = runs.triangle().view();
    const TraceStorage<Exec> storage(exec, view.rows);
    runs.apply(exec, conjugate, alpha, b, x, storage.trace());
    SolveTrace trace = storage.read(exec);
    trace.step_of_row = places_of_rows(exec, view.row, view.rows);
    return trace;
  }
  SolveTrace operator()(heddle::detail::sptrsv::BlocksExecutor<Exec, Matrix, V, Acc>& runs) const {
    const auto& triangle = runs.triangle();
    const TraceStorage<Exec> storage(exec, triangle.groups());
    runs.apply(exec, conjugate, alpha, b, x, storage.trace());
    SolveTrace trace = storage.read(exec);
    trace.groups = true;
    trace.step_of_row = places_of_rows(exec, triangle.rows().row, x.rows);
    const auto groups = heddle::detail::ordered::copied_to_host(
        exec, "heddle::test::trace_on_host", triangle.view().groups, triangle.groups());
    std::vector<std::int64_t> group_of_place(trace.step_of_row.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::fill_n(group_of_place.begin() + groups[g].first, groups[g].rows,
                  static_cast<std::int64_t>(g));
    }
    for (std::int64_t& step : trace.step_of_row) {
      step = group_of_place[static_cast<std::size_t>(step)];
    }
    return trace;
  }
  /// A row begins when the entries that it waits for are there.
  SolveTrace operator()(heddle::detail::sptrsv::RowsExecutor<Exec, Matrix, V, Acc>& runs) const {
    if constexpr (heddle::detail::ordered::on_threads<Exec>) {
      const TraceStorage<Exec> storage(exec, x.rows);
      const StepTrace steps = storage.trace();
      const auto kernel = runs.kernel(conjugate, alpha, b, x);
      runs.waves().for_each_run(
          exec, "heddle::test::traced_rows", [&](std::int64_t first, std::int64_t stop) {
            for (std::int64_t place = first; place < stop; ++place) {
              const auto row =
                  static_cast<std::int64_t>(kernel.T.col_idx[kernel.T.row_ptr[place + 1] - 1]);
              steps.begin(row);
              kernel(place, place + 1);
              steps.end(row);
            }
          });
      SolveTrace trace = storage.read(exec);
      trace.step_of_row.resize(trace.begin_ns.size());
      std::iota(trace.step_of_row.begin(), trace.step_of_row.end(), 0);
      return trace;
    } else {
      throw Error("a solve by " + runs.scheme().to_string() + " was to be traced, a launch a level",
                  "trace on CUDA, HIP or a CPU, not through Portable");
    }
  }
  /// A supernode begins when the entries that it waits for are there.
  SolveTrace operator()(
      heddle::detail::sptrsv::SupernodesExecutor<Exec, Matrix, V, Acc>& runs) const {
    const auto& triangle = runs.triangle();
    const TraceStorage<Exec> storage(exec, triangle.supernodes());
    const StepTrace steps = storage.trace();
    const auto kernel = runs.kernel(conjugate, alpha, b, x);
    runs.waves().for_each_run(exec, "heddle::test::traced_supernodes",
                              [&](std::int64_t first, std::int64_t stop) {
                                for (std::int64_t g = first; g < stop; ++g) {
                                  steps.begin(g);
                                  kernel(g, g + 1);
                                  steps.end(g);
                                }
                              });
    SolveTrace trace = storage.read(exec);
    trace.groups = true;
    trace.step_of_row.resize(static_cast<std::size_t>(x.rows));
    const auto view = triangle.view();
    for (std::int64_t g = 0; g < triangle.supernodes(); ++g) {
      std::int64_t row = view.col_idx[view.column_ptr[g + 1] - 1];
      for (auto place = view.place[g]; place < view.place[g + 1]; ++place, row += view.step) {
        trace.step_of_row[static_cast<std::size_t>(row)] = g;
      }
    }
    return trace;
  }
};

/// One traced solve by a plan's scheme. Compiles the kernels of the plan again, with time stamps,
/// for one right-hand side. Allocates, and waits for `exec`. Throws Error if the device has no
/// clock that its threads share, for an op that is not prepared, and for more than one right-hand
/// side.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
SolveTrace traced_solve(const Exec& exec, SptrsvPlan<Exec, Matrix, V, Acc>& plan, Op op, Acc alpha,
                        const Multivector<const V>& b, const Multivector<V>& x) {
  using Access = heddle::detail::sptrsv::TraceAccess;
  auto& core = Access::core(plan);
  auto& runs = Access::executor(core, op);
  heddle::detail::triangle::check_right_hand_sides(Access::rows(core), b, x);
  if (x.count != 1) {
    throw Error("a solve with " + std::to_string(x.count) + " right-hand sides was to be traced",
                "trace a solve with one");
  }
  return runs.visit(
      TracedSolver<Exec, SignedOffsets<Matrix>, V, Acc>{exec, conjugates(op), alpha, b, x});
}

}  // namespace heddle::test
