// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

#include "../../../core/multivector.hpp"
#include "../../../core/scheme.hpp"
#include "inspection.hpp"
#include "trace.hpp"

namespace heddle::detail::sptrsv {

/// One of two executors, which whoever derives from it emplaces; the first until then.
template <class First, class Second>
class EitherExecutor {
 public:
  const Scheme& scheme() const {
    return std::visit([](const auto& runs) -> const Scheme& { return runs.scheme(); }, runs_);
  }
  int levels() const {
    return std::visit([](const auto& runs) { return runs.levels(); }, runs_);
  }
  std::size_t bytes() const {
    return std::visit([](const auto& runs) { return runs.bytes(); }, runs_);
  }

  template <ExecutionSpace Exec, class Matrix>
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    std::visit([&](auto& runs) { runs.update_values(exec, T, bad_diagonal); }, runs_);
  }

  template <ExecutionSpace Exec, Scalar V, Scalar Acc>
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    std::visit([&](auto& runs) { runs.apply(exec, conjugate, alpha, b, x); }, runs_);
  }

  /// One solve of one right-hand side, traced.
  template <ExecutionSpace Exec, Scalar V, Scalar Acc>
  SolveTrace trace(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
                   const Multivector<V>& x) {
    return std::visit([&](auto& runs) { return runs.trace(exec, conjugate, alpha, b, x); }, runs_);
  }

 protected:
  std::variant<First, Second> runs_;
};

}  // namespace heddle::detail::sptrsv
