// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "instance.hpp"

#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

MatrixResult run(const SpmvRequest& request, const Source& source, Progress& progress) {
  return SpmvRun<S, Off>(request, source, progress).run();
}

std::vector<std::pair<std::string, std::string>> baseline_names() {
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& baseline : baselines<S, Off>()) {
    names.emplace_back(baseline.name, baseline.description);
  }
  return names;
}

[[maybe_unused]] const bool entered = [] {
  spmv_instances().push_back({HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)), run,
                              heddle_scheme_names<>, baseline_names});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
