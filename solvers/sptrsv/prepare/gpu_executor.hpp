// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

#include "../select/choose.hpp"
#include "blocks_executor.hpp"
#include "tasks_executor.hpp"

namespace heddle::detail::sptrsv {

/// Runs the schemes of GPUs.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class GpuExecutor {
 public:
  GpuExecutor() = default;

  GpuExecutor(const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
    const auto in_order = [&](const Scheme& it) {
      runs_.template emplace<Tasks>(in, it,
                                    Order::by_sweep(in.exec, in.graph.rows, in.graph.sweep()));
    };
    if (scheme.has("in-order")) {
      in_order(scheme);
      return;
    }
    const order::Levels<Exec> levels(in.exec, triangle::loop_of(in.graph));
    if (in.pinned && scheme.has("blocks")) {
      runs_.template emplace<Blocks>(in, scheme, levels);
      return;
    }
    const Order order = Order::by_level(in.exec, in.graph.rows, levels);
    const Scheme chosen =
        in.pinned ? scheme
                  : choose_by_levels(scheme, order.level_begin(), in.sums.entries, in.vectors);
    if (chosen.has("blocks")) {
      runs_.template emplace<Blocks>(in, chosen, levels);
    } else if (chosen.has("in-order")) {
      in_order(chosen);
    } else {
      runs_.template emplace<Tasks>(in, chosen, order);
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
  using Order = order::LevelOrder<Exec, typename Matrix::ordinal_type>;

  std::variant<Tasks, Blocks> runs_;
};

}  // namespace heddle::detail::sptrsv
