// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

MatrixResult run(const SolveRequest& request, const Source& source, Progress& progress) {
  return SolveRun<S, Off>(request, source, progress).run();
}

std::vector<std::string> preconditioner_names() {
  std::vector<std::string> names;
  for (const KnownPreconditioner& known : known_preconditioners()) names.push_back(known.name);
  return names;
}

[[maybe_unused]] const bool entered = [] {
  instances<SolveRequest>().push_back({HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)),
                                       run, preconditioner_names,
                                       baseline_names<SolveProblem<S, Off>>});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
