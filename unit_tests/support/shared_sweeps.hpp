// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gauss-Seidel on an emulated device: shared_solvers.cpp compiles it once for all programs of its
// width. Elsewhere Heddle's compiled part has it.
#pragma once

#include <heddle/gauss_seidel.hpp>

#include "shared_formats.hpp"

namespace heddle::test {

/// The formats of a GaussSeidelPlan: those of the compiled part, or as few as possible.
template <ExecutionSpace Exec, class Matrix>
using SweepFormats =
    std::conditional_t<heddle::detail::is_compiled<Exec, Matrix>(), EveryFormat,
                       Formats<std::conditional_t<emulated, Shared<CsrFormat>, CsrFormat>>>;

}  // namespace heddle::test

#ifdef HEDDLE_EMULATED
#define HEDDLE_SHARED_SWEEPS(EXTERN)                                                              \
  HEDDLE_GAUSS_SEIDEL_INSTANCE_OF(EXTERN, ::heddle::test::DefaultDevice,                          \
                                  ::heddle::Formats<::heddle::test::Shared<::heddle::CsrFormat>>, \
                                  HEDDLE_MATRIX(double, int, ::heddle::test::DefaultDevice))
HEDDLE_SHARED_SWEEPS(extern)
template <>
inline constexpr bool heddle::detail::is_defined<heddle::detail::GaussSeidelPlanCore<
    heddle::test::DefaultDevice, HEDDLE_MATRIX(double, int, heddle::test::DefaultDevice)>> = true;
#endif
