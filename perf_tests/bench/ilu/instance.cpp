// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;
using Problem = IluProblem<S, Off>;

MatrixResult run(const IluRequest& request, const Source& source, Progress& progress) {
  return IluRun<S, Off>(request, source, progress).run();
}

[[maybe_unused]] const bool entered = [] {
  const auto add = [](const char* name, const char* description, Timed timed) {
    add_baseline<Problem>({name, description, [timed](const Exec&, const Problem& problem) {
                             return std::make_unique<SequentialProgram<S, Off>>(problem, timed);
                           }});
  };
  add("program", "by rows with a row of markers on one thread of the host (Saad, SPARSKIT)",
      Timed::factor);
  add("program-apply", "two triangular solves on one thread of the host, row after row",
      Timed::apply);
  add("program-cg", "conjugate gradients with these, on one thread of the host; with --solve",
      Timed::solve);
  instances<IluRequest>().push_back({HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)),
                                     run, ilu_scheme_names, baseline_names<Problem>});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
