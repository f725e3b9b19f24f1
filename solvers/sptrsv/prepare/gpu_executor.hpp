// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

#include "blocks_executor.hpp"
#include "tasks_executor.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of GPUs.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class GpuExecutor {
 public:
  GpuExecutor() = default;

  /// Of a concrete scheme; in.levels are there unless it is in-order.
  GpuExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    if (scheme.has("blocks")) {
      runs_.template emplace<Blocks>(in, scheme);
    } else {
      runs_.template emplace<Tasks>(in, scheme);
    }
  }

  const Scheme& scheme() const {
    return std::visit([](const auto& runs) -> const Scheme& { return runs.scheme(); }, runs_);
  }
  int levels() const {
    return std::visit([](const auto& runs) { return runs.levels(); }, runs_);
  }
  std::size_t bytes() const {
    return std::visit([](const auto& runs) { return runs.bytes(); }, runs_);
  }

  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    std::visit([&](auto& runs) { runs.update_values(exec, T, bad_diagonal); }, runs_);
  }

  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    std::visit([&](auto& runs) { runs.apply(exec, conjugate, alpha, b, x); }, runs_);
  }

  /// One solve of one right-hand side, traced.
  SolveTrace trace(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
                   const Multivector<V>& x) {
    return std::visit([&](auto& runs) { return runs.trace(exec, conjugate, alpha, b, x); }, runs_);
  }

 private:
  using Tasks = TasksExecutor<Exec, Matrix, V, Acc>;
  using Blocks = BlocksExecutor<Exec, Matrix, V, Acc>;

  std::variant<Tasks, Blocks> runs_;
};

}  // namespace heddle::detail::sptrsv
