// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

MatrixResult run(const MultiplyRequest& request, const Source& source, Progress& progress) {
  return MultiplyRun<S, Off>(request, source, progress).run();
}

[[maybe_unused]] const bool entered = [] {
  instances<MultiplyRequest>().push_back(
      {HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)), run,
       [] { return std::vector<std::string>{}; }, baseline_names<MultiplyProblem<S, Off>>});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
