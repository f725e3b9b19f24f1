// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../common/executor.hpp"
#include "../common/product.hpp"
#include "../common/segments/kernel.hpp"
#include "../common/segments/share_rows.hpp"
#include "format.hpp"
#include "view.hpp"

namespace heddle::detail::coo {

/// Runs the scheme coo: borrows columns and values, and owns the row of each nonzero.
template <ExecutionSpace Exec, class Matrix, Scalar V, Scalar Acc>
class Executor final : public SpmvExecutor<Exec, Matrix, V, Acc> {
 public:
  using S = typename Matrix::scalar_type;
  using O = typename Matrix::ordinal_type;
  using Off = typename Matrix::offset_type;

  Executor(const Inspection<Exec, Matrix>& in, const Scheme& scheme)
      : A_(in.A), scheme_(scheme), rows_(in.exec, in.A, in.device) {}

  const Scheme& scheme() const override { return scheme_; }

  void apply(const Exec& exec, Op op, Acc alpha, const Multivector<const V>& x, Acc beta,
             const Multivector<V>& y) override {
    const View<S, O, Off, typename Rows::Row> view{rows_.local_row(), A_.col_idx().data(),
                                                   A_.values().data()};
    const Product<V, Acc> product{conjugates(op), alpha, beta, x, y};
    each_pass(product, segments::vectors_at_once<Exec>, [&](const Product<V, Acc>& pass) {
      segments::add_up_shares(exec, "heddle::spmv::coo", view, pass, rows_.table());
    });
  }

  void update_values(const Exec&, const Matrix& A) override { A_ = A; }

  std::size_t bytes() const override { return rows_.bytes(); }

  double moved_bytes(Op, int vectors, bool with_beta) const override {
    const double rows = A_.rows(), columns = A_.columns();
    const int passes = passes_over_matrix(vectors, segments::vectors_at_once<Exec>);
    return passes * (static_cast<double>(A_.nonzeros()) * (sizeof(S) + sizeof(O)) +
                     rows_.read_bytes(A_.nonzeros())) +
           vectors * (rows_.carried_bytes() +
                      static_cast<double>(sizeof(V)) * (columns + rows * (1 + with_beta)));
  }

 private:
  using Rows = segments::ShareRows<Exec, O, Off, Acc>;

  Matrix A_;
  Scheme scheme_;
  Rows rows_;
};

}  // namespace heddle::detail::coo

namespace heddle {

template <Scalar V, Scalar Acc, ExecutionSpace Exec, class Matrix>
std::unique_ptr<SpmvExecutor<Exec, Matrix, V, Acc>> CooFormat::inspect(
    const Inspection<Exec, Matrix>& in, const Scheme& scheme) {
  return std::make_unique<detail::coo::Executor<Exec, Matrix, V, Acc>>(in, scheme);
}

template <>
inline constexpr bool detail::is_defined<CooFormat> = true;

}  // namespace heddle
