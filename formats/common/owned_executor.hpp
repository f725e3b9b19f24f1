// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "executor.hpp"
#include "prediction.hpp"
#include "product.hpp"

namespace heddle::detail {

/// Numbers of vectors that a format's kernels are compiled for, ascending. A pass uses the lowest
/// number that is enough, and serves at most as many vectors as the last.
template <int... Counts>
struct VectorCounts {
  static constexpr int most = std::max({Counts...});

  /// Calls run.template operator()<Vectors>() with the lowest number that is at least `count`.
  template <class Run>
  static bool dispatch(std::int64_t count, const Run& run) {
    bool result = false;
    static_cast<void>(
        ((count <= Counts && (result = run.template operator()<Counts>(), true)) || ...));
    return result;
  }
};

/// The executor of a format that keeps a matrix of its own. The format provides Runs:
///
///     Runs(const Inspection<Exec, Matrix>&, ...)
///     using Counts = VectorCounts<1, 4, 8>;
///     Scheme scheme;
///     Storage storage;
///     bool has_dot(Op) const;
///     bool run<Vectors>(exec, Op, product, dot) const;
///
/// Storage has update_values(exec, A), bytes(), read_bytes() of a pass, without x and y, and
/// carried_bytes() that each vector adds. run returns whether there was room for the dot product,
/// if one is wanted, which needs one vector.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc, class Runs>
class OwnedExecutor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using Dot = team_sums::Dot<Acc>;

  template <class... Arguments>
  explicit OwnedExecutor(const Inspection<Exec, Matrix>& in, Arguments&&... arguments)
      : rows_(static_cast<double>(in.A.rows())),
        columns_(static_cast<double>(in.A.columns())),
        runs_(in, std::forward<Arguments>(arguments)...) {}

  const Scheme& scheme() const override { return runs_.scheme; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, Counts::most, [&](const Product<V, Acc>& pass) {
      Counts::dispatch(pass.x.count, [&]<int Vectors>() {
        return runs_.template run<Vectors>(exec, op, pass, Dot());
      });
    });
  }

  bool has_dot(Op op) const override { return runs_.has_dot(op); }
  bool apply_dot(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
                 const Multivector<V>& y, const Dot& dot) override {
    return runs_.template run<1>(exec, op, {conjugates(op), alpha, beta, x, y}, dot);
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    runs_.storage.update_values(exec, A);
  }

  std::size_t bytes() const override { return runs_.storage.bytes(); }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const double y = transposes(op) ? columns_ : rows_;
    return passes_over_matrix(vectors, Counts::most) * runs_.storage.read_bytes() +
           vectors * (runs_.storage.carried_bytes() +
                      static_cast<double>(sizeof(V)) * (rows_ + columns_ + with_beta * y));
  }

 private:
  using Counts = typename Runs::Counts;

  double rows_;
  double columns_;
  Runs runs_;
};

}  // namespace heddle::detail
