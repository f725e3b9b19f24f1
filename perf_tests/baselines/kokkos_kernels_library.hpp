// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>

#include "../bench/common/problem.hpp"

namespace heddle::bench::kokkos_kernels {

/// One namespace for its functions: version 4.7 moved sptrsv and others out of Experimental, and
/// left deprecated ones there.
namespace sparse {
using namespace KokkosSparse;
#if KOKKOSKERNELS_VERSION < 40700
using namespace KokkosSparse::Experimental;
#endif
}  // namespace sparse

template <Scalar S, Offset Off>
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space>;

}  // namespace heddle::bench::kokkos_kernels
