// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../../../core/device.hpp"
#include "gpu_executor.hpp"
#include "rows_executor.hpp"

namespace heddle::detail::sptrsv {

/// What runs the schemes of a backend.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
using Executor =
    std::conditional_t<backends::has_lanes<Exec> && backends::waits_make_progress<Exec>,
                       GpuExecutor<Exec, Matrix, V, Acc>, RowsExecutor<Exec, Matrix, V, Acc>>;

}  // namespace heddle::detail::sptrsv
