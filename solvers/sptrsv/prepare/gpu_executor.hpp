// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "blocks_executor.hpp"
#include "either_executor.hpp"
#include "tasks_executor.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of GPUs.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class GpuExecutor : public EitherExecutor<TasksExecutor<Exec, Matrix, V, Acc>,
                                          BlocksExecutor<Exec, Matrix, V, Acc>> {
 public:
  GpuExecutor() = default;

  /// Of a concrete scheme; in.levels are there unless it is in-order.
  GpuExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    if (scheme.has("blocks")) {
      this->runs_.template emplace<1>(in, scheme);
    } else {
      this->runs_.template emplace<0>(in, scheme);
    }
  }
};

}  // namespace heddle::detail::sptrsv
