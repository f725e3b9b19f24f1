// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compiled once for each pair of HEDDLE_BENCH_SCALAR and HEDDLE_BENCH_OFFSET.
#include "run.hpp"

namespace heddle::bench {

namespace {

using S = HEDDLE_BENCH_SCALAR;
using Off = HEDDLE_BENCH_OFFSET;

[[maybe_unused]] const bool entered =
    enter_instance<SptrsvRun<S, Off>>(HEDDLE_BENCH_SCALAR_NAME, sptrsv_scheme_names);

}  // namespace

}  // namespace heddle::bench
