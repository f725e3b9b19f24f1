// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../core/interop/kokkos_kernels.hpp"
#include "kokkos_kernels/spiluk.hpp"
#include "kokkos_kernels/spmv.hpp"
#include "kokkos_kernels/sptrsv.hpp"

/// The interface of Kokkos Kernels, implemented by Heddle: heddle::kk::spmv, sptrsv_solve and
/// spiluk_numeric accept the arguments of KokkosSparse::spmv, sptrsv_solve and spiluk_numeric.
/// Kokkos Kernels itself is not needed. docs/from-kokkos-kernels.md says what each of its options
/// does here.
namespace heddle::kk {}
