// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>

#include "../bench/common/problem.hpp"

namespace heddle::bench::kokkos_kernels {

/// Its functions by one name: version 5 took sptrsv and others out of Experimental.
namespace sparse {
using namespace KokkosSparse;
using namespace KokkosSparse::Experimental;
}  // namespace sparse

template <Scalar S, Offset Off>
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space>;

}  // namespace heddle::bench::kokkos_kernels
