// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <KokkosKernels_Handle.hpp>
#include <KokkosSparse_sptrsv.hpp>

#include "../bench/common/problem.hpp"

namespace heddle::bench::kokkos_kernels {

/// Its functions by one name: version 4.7 took sptrsv and others out of Experimental, where it left
/// deprecated ones.
namespace sparse {
using namespace KokkosSparse;
#if KOKKOSKERNELS_VERSION < 40700
using namespace KokkosSparse::Experimental;
#endif
}  // namespace sparse

template <Scalar S, Offset Off>
using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Off, Index, S, Exec, Space, Space>;

}  // namespace heddle::bench::kokkos_kernels
