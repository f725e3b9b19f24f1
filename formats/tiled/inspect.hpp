// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "executor.hpp"
#include "format.hpp"

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> TiledFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  return std::make_unique<detail::tiled::Executor<Exec, Matrix, V, Acc>>(in, scheme);
}

template <>
inline constexpr bool detail::is_defined<TiledFormat> = true;

}  // namespace heddle
