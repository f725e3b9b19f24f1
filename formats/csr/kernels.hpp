// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <heddle/formats/csr/gpu_launches.hpp>
#include <heddle/formats/csr/host_launches.hpp>
#include <type_traits>

namespace heddle::csr {

/// The CSR kernels as an execution space launches them.
template <ExecutionSpace Exec, Scalar S, Ordinal O, Offset Off, Scalar V, Scalar Acc>
using Kernels = std::conditional_t<backends::has_lanes<Exec>, GpuLaunches<Exec, S, O, Off, V, Acc>,
                                   HostLaunches<Exec, S, O, Off, V, Acc>>;

}  // namespace heddle::csr
