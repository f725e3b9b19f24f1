// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/executor.hpp"
#include "../common/inspection.hpp"
#include "launches.hpp"
#include "storage.hpp"

namespace heddle::detail::dia {

/// Runs the scheme dia, and every op by it: owns a copy of the matrix.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  /// Takes a scheme whose parameters are resolved.
  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme, backends::Simd simd)
      : scheme_(scheme),
        simd_(simd),
        rows_and_columns_(static_cast<double>(in.A.rows()), static_cast<double>(in.A.columns())),
        storage_(in.exec, in.A) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    run_passes(exec, storage_.view(), product, transposes(op), simd_);
  }

  bool has_dot(Op) const override { return true; }
  bool apply_dot(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
                 const Multivector<V>& y, const team_sums::Dot<Acc>& dot) override {
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    return run<1>(exec, storage_.view(), product, transposes(op), simd_, dot);
  }

  void update_values(const Exec& exec, const Matrix& A) override {
    storage_.update_values(exec, A);
  }

  std::size_t bytes() const override { return storage_.bytes(); }

  double moved_bytes(Op op, int vectors, bool with_beta) const override {
    const auto [rows, columns] = rows_and_columns_;
    const double y = transposes(op) ? columns : rows;
    const int passes = passes_over_matrix(vectors, tuning.most_vectors);
    return passes * (static_cast<double>(storage_.places()) * sizeof(S) +
                     static_cast<double>(storage_.view().diagonals) * sizeof(O)) +
           vectors * static_cast<double>(sizeof(V)) * (rows + columns + with_beta * y);
  }

 private:
  Scheme scheme_;
  backends::Simd simd_;
  std::pair<double, double> rows_and_columns_;
  Storage<Exec, S, O, Off> storage_;
};

}  // namespace heddle::detail::dia
