// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans of multigrid with few formats.
#pragma once

#include <heddle/multigrid.hpp>

#include "grid_operator.hpp"
#ifdef HEDDLE_EMULATED
#include "shared_formats.hpp"
#include "shared_multigrid.hpp"
#endif

namespace heddle::test {

/// The formats of the compiled part, or as few as possible.
#ifdef HEDDLE_EMULATED
template <ExecutionSpace E, class Matrix>
using MultigridFormats = Formats<Shared<CsrFormat>>;
#else
template <ExecutionSpace E, class Matrix>
using MultigridFormats = std::conditional_t<heddle::detail::is_compiled<E, Matrix>(),
                                            DefaultFormats, Formats<CsrFormat>>;
#endif
template <ExecutionSpace E, Scalar S>
using MultigridOf = MultigridPlan<E, typename PlainOperator<E, S>::Matrix,
                                  MultigridFormats<E, typename PlainOperator<E, S>::Matrix>>;

}  // namespace heddle::test
