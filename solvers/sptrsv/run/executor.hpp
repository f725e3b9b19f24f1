// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <variant>

#include "blocks.hpp"
#include "rows.hpp"
#include "supernodes.hpp"
#include "tasks.hpp"

namespace heddle::detail::sptrsv {

/// The executors of a backend; the second runs the schemes that solve rows together.
template <ExecutionSpace Exec>
struct Executors {  ///< executors of a device whose teams may not wait
  template <class Matrix, Scalar V, Scalar Acc>
  using type = std::variant<RowsExecutor<Exec, Matrix, V, Acc>>;
};
template <ExecutionSpace Exec>
  requires ordered::on_threads<Exec>
struct Executors<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type =
      std::variant<RowsExecutor<Exec, Matrix, V, Acc>, SupernodesExecutor<Exec, Matrix, V, Acc>>;
};
template <ExecutionSpace Exec>
  requires(backends::has_lanes<Exec> && backends::waits_make_progress<Exec>)
struct Executors<Exec> {
  template <class Matrix, Scalar V, Scalar Acc>
  using type =
      std::variant<TasksExecutor<Exec, Matrix, V, Acc>, BlocksExecutor<Exec, Matrix, V, Acc>>;
};

/// See core.hpp.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor {
 public:
  Executor() = default;
  /// On a GPU the scheme is concrete, and in.levels is not null unless the scheme is in-order.
  Executor(const SolveInspection<Exec, Matrix>& in, const Scheme& scheme) {
    if constexpr (std::variant_size_v<Runs> > 1) {
      if (scheme.has("blocks") || scheme.has("supernodes")) {
        runs_.template emplace<1>(in, scheme);
        return;
      }
    }
    runs_.template emplace<0>(in, scheme);
  }

  const Scheme& scheme() const {
    return visit([](const auto& runs) -> const Scheme& { return runs.scheme(); });
  }
  int levels() const {
    return visit([](const auto& runs) { return runs.levels(); });
  }
  std::size_t bytes() const {
    return visit([](const auto& runs) { return runs.bytes(); });
  }
  void update_values(const Exec& exec, const Matrix& T, std::int64_t* bad_diagonal) {
    visit([&](auto& runs) { runs.update_values(exec, T, bad_diagonal); });
  }
  void apply(const Exec& exec, bool conjugate, Acc alpha, const Multivector<const V>& b,
             const Multivector<V>& x) {
    visit([&](auto& runs) { runs.apply(exec, conjugate, alpha, b, x); });
  }
  /// Calls use(executor), with the type of the executor that runs.
  template <class Use>
  decltype(auto) visit(const Use& use) const {
    return std::visit(use, runs_);
  }
  template <class Use>
  decltype(auto) visit(const Use& use) {
    return std::visit(use, runs_);
  }
  /// The executor of a scheme of plain rows.
  const RowsExecutor<Exec, Matrix, V, Acc>& rows() const { return std::get<0>(runs_); }

 private:
  using Runs = typename Executors<Exec>::template type<Matrix, V, Acc>;

  Runs runs_;
};

}  // namespace heddle::detail::sptrsv
