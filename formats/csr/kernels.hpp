// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <type_traits>

#include "gpu_launches.hpp"
#include "host_launches.hpp"

namespace heddle::detail::csr {

/// The CSR kernels as an execution space launches them.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
using Kernels = std::conditional_t<backends::has_lanes<Exec>, GpuLaunches<Exec, S, O, Off, V, Acc>,
                                   HostLaunches<Exec, S, O, Off, V, Acc>>;

}  // namespace heddle::detail::csr
