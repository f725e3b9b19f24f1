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
  for (const bool applies : {false, true}) {
    add_baseline<Problem>(
        {applies ? "program-apply" : "program",
         applies ? "two triangular solves on one thread of the host, row after row"
                 : "by rows with a row of markers on one thread of the host (Saad, SPARSKIT)",
         [applies](const Exec&, const Problem& problem) {
           return std::make_unique<SequentialProgram<S, Off>>(problem, applies);
         }});
  }
  instances<IluRequest>().push_back({HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)),
                                     run, ilu_scheme_names, baseline_names<Problem>});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
