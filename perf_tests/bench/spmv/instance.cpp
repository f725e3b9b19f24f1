// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "../common/instances.hpp"
#include "make_plan.hpp"
#include "run.hpp"

namespace heddle::bench {

template <Scalar T, Offset O>
std::unique_ptr<SpmvContestant<T>> make_plan(const Exec& exec, const SpmvProblem<T, O>& problem,
                                             const SpmvOptions& options) {
  return std::make_unique<HeddleContestant<T, O, AllFormats>>(exec, problem, options);
}

template std::unique_ptr<SpmvContestant<HEDDLE_BENCH_SCALAR>> make_plan(
    const Exec&, const SpmvProblem<HEDDLE_BENCH_SCALAR, HEDDLE_BENCH_OFFSET>&, const SpmvOptions&);

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

MatrixResult run(const SpmvRequest& request, const Source& source, Progress& progress) {
  return SpmvRun<S, Off>(request, source, progress).run();
}

[[maybe_unused]] const bool entered = [] {
  instances<SpmvRequest>().push_back({HEDDLE_BENCH_SCALAR_NAME, 8 * static_cast<int>(sizeof(Off)),
                                      run, heddle_scheme_names<>,
                                      baseline_names<SpmvProblem<S, Off>>});
  return true;
}();

}  // namespace

}  // namespace heddle::bench
