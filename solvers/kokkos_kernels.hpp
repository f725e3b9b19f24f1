// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/interop/kokkos_kernels.hpp"
#include "kokkos_kernels/spiluk.hpp"
#include "kokkos_kernels/spmv.hpp"
#include "kokkos_kernels/sptrsv.hpp"

/// The interface of Kokkos Kernels with Heddle inside: what is KokkosSparse::spmv, sptrsv_solve or
/// spiluk_numeric there is heddle::kk::spmv, sptrsv_solve or spiluk_numeric here, with the same
/// arguments. Kokkos Kernels itself is not needed. What becomes of each of its options:
/// docs/from-kokkos-kernels.md.
namespace heddle::kk {}
